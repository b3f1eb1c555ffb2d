# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        while x.shape[0] > 999:
            pass
        return torch.relu(x)


rows = 1000


def get_inputs():
    return [torch.randn(rows, 4)]


def get_init_inputs():
    return []
