# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(features, features))
        nn.init.trunc_normal_(self.weight, std=0.02)
        self.register_buffer("mask", torch.tril(torch.ones(features, features)))
        self.signs = torch.randint(0, 2, (features,)).float() * 2 - 1
        self.steps = torch.arange(features).float()

    def forward(self, upper, weights, keep):
        x = torch.where(keep, upper @ (self.weight * self.mask), self.signs)
        return x * weights + self.steps


size = 128


def get_inputs():
    return [torch.triu(torch.randn(size, size)), torch.rand(size, size).softmax(dim=-1), torch.rand(size, size) > 0.25]


def get_init_inputs():
    return [size]
