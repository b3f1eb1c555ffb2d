# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.rates = [rate.item() for rate in torch.linspace(0.1, 1, 4)]
        self.linear = nn.Linear(features, features)
        self.table = torch.arange(features).float().sin()

    def forward(self, x):
        for rate in self.rates:
            x = torch.tanh(self.linear(x) * rate) + self.table
        return x


rows, features = 256, 128


def get_inputs():
    return [torch.rand(rows, features)]


def get_init_inputs():
    return [features]
