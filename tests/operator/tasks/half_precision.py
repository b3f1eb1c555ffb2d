# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return (x.to(torch.bfloat16) * 3).to(torch.float32), x.argmax(dim=1)


def get_inputs():
    return [torch.rand(8, 32)]


def get_init_inputs():
    return []
