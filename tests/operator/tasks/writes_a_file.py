# SPDX-License-Identifier: Apache-2.0
import torch
import torch.nn as nn

with open("/tmp/sparserl-written-by-a-task", "w") as file:
    file.write("here")


class Model(nn.Module):
    def forward(self, x):
        return x


def get_inputs():
    return [torch.rand(8)]


def get_init_inputs():
    return []
