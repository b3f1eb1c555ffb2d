# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, channels, outputs):
        super().__init__()
        self.conv = nn.Conv2d(channels, outputs, 3, stride=2, padding=1)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x):
        return torch.nn.functional.gelu(self.norm(self.conv(x)))


batch_size = 16
channels = 3
outputs = 64
side = 128


def get_inputs():
    return [torch.rand(batch_size, channels, side, side)]


def get_init_inputs():
    return [channels, outputs]
