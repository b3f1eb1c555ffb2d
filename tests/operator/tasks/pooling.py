# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, window):
        super().__init__()
        self.most = nn.MaxPool2d(window, stride=2)
        self.mean = nn.AvgPool2d(window)

    def forward(self, x):
        return self.mean(self.most(x)), x.sum(dim=(2, 3))


batch_size = 16
side = 256


def get_inputs():
    return [torch.rand(batch_size, 4, side, side)]


def get_init_inputs():
    return [3]
