# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.lstm = nn.LSTM(features, hidden, batch_first=True)

    def forward(self, x):
        return self.lstm(x)[0][:, -1]


batch_size = 8
features = 64
hidden = 128


def get_inputs():
    return [torch.rand(batch_size, 3, features)]


def get_init_inputs():
    return [features, hidden]
