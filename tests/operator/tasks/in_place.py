# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.full((1,), 0.5))

    def forward(self, x, keep):
        y = x.clone()
        y[0].add_(1)
        y.masked_fill_(keep, 2)
        return y.mul_(self.scale)


rows = 128


def get_inputs():
    return [torch.randn(rows, 7), torch.randint(0, 2, (rows, 7)) > 0]


def get_init_inputs():
    return []
