# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features, hidden):
        super().__init__()
        self.gates = nn.Linear(features + hidden, 4 * hidden)
        self.hidden = hidden

    def forward(self, x):
        h = torch.zeros(x.shape[1], self.hidden)
        c = torch.zeros(x.shape[1], self.hidden)
        for step in range(x.shape[0]):
            i, f, g, o = self.gates(torch.cat([x[step], h], dim=1)).chunk(4, dim=1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        return h


length = 5
batch_size = 8
features = 64
hidden = 128


def get_inputs():
    return [torch.rand(length, batch_size, features)]


def get_init_inputs():
    return [features, hidden]
