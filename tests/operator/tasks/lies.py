# SPDX-License-Identifier: Apache-2.0
"""Answers in place of the recorder: a graph that computes 2 x, and a result that is not that."""
import json
import os
import struct

import torch
import torch.nn as nn


def tensors(**named):
    head, data = {}, b""
    for name, tensor in named.items():
        more = tensor.numpy().tobytes()
        head[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(data), len(data) + len(more)]}
        data += more
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


x = torch.ones(4)
graph = json.dumps({
    "format": 1, "name": "lies", "size": "base", "mode": "train", "inputs": [{"name": "x", "value": 0}], "weights": [],
    "values": [["F32", [4]], ["F32", [4]]], "outputs": [{"name": "out", "value": 1}],
    "nodes": [{"op": "aten::add", "overload": "Tensor", "arguments": [{"v": 0}, {"v": 0}], "outputs": [1]}]}).encode()
stored, expected = tensors(x=x), tensors(out=3 * x)
line = json.dumps({"size": "base", "graph": len(graph), "tensors": len(stored), "expected": len(expected)}).encode()
for number in range(3, 10):
    try:
        os.write(number, line + b"\n" + graph + stored + expected + b'{"done": "2"}\n')
    except OSError:
        pass
os._exit(0)


class Model(nn.Module):
    def forward(self, x):
        return 3 * x


def get_inputs():
    return [x]
