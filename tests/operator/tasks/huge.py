# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x.expand(1 << 20, 1 << 20).contiguous()


def get_inputs():
    return [torch.rand(1)]


def get_init_inputs():
    return []
