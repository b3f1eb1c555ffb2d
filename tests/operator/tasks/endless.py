# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        while True:
            x = x + 1


def get_inputs():
    return [torch.rand(8)]


def get_init_inputs():
    return []
