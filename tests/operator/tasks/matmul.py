# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)


rows, inner, columns = 256, 512, 128


def get_inputs():
    return [torch.rand(rows, inner), torch.rand(inner, columns)]


def get_init_inputs():
    return []
