# SPDX-License-Identifier: Apache-2.0
import torch
from task import input_t, output_t
from utils import Exactly


def ref_kernel(data: input_t) -> output_t:
    with Exactly():
        a, b, settings, output = data
        output[...] = a * settings["scale"] + b.cuda()
        return output


def generate_input(size: int, scale: float, twice: bool, seed: int) -> input_t:
    gen = torch.Generator(device="cuda")
    gen.manual_seed(seed)
    a = torch.randn(size, device="cuda", dtype=torch.float16, generator=gen).contiguous()
    b = torch.rand(size, device="cuda", dtype=torch.float16, generator=gen) * (2 if twice else 1)
    return a, b.to("cuda:0"), {"scale": scale}, torch.empty(size, device="cuda", dtype=torch.float16)
