#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/policy/fixtures/smollm2.json: tokens and log-probabilities of SmolLM2-135M-Instruct by llama.cpp.

Usage: make_smollm2_fixture.py .deps/models/SmolLM2-135M-Instruct.Q4_1.gguf tests/policy/fixtures/smollm2.json
Needs xllamacpp and gguf of PyPI. The file's weights are written as the fp32 that they stand for first: from quantised
ones llama.cpp computes with quantised activations, and the result is that of no model.
"""
import json
import sys
import tempfile

import llama_cpp

COUNT = 64
CHAT = "<|im_start|>system\nYou are a helpful AI assistant.<|im_end|>\n<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"
PROMPTS = [
    "The capital of France is", "Once upon a time there was a matrix", "def fibonacci(n):\n", "import numpy as np\n\ndef spmv(",
    "#include <stdio.h>\n\nint main(void)\n{\n", "__global__ void scale(float* x, float a, int n)\n{\n    int i = ", "Water boils at",
    "In 1969, two men", "1, 2, 3, 4, 5,", "A sparse matrix is a matrix in which", "Q: What is 12 * 12?\nA:", "La capitale de l'Italie est",
    "Dear Sir or Madam,\n\nI am writing", "SELECT name, age FROM people WHERE", "The quick brown fox", "\n\n", "x",
    CHAT.format("What is gravity?"), CHAT.format("Write a Python function that reverses a list."), CHAT.format("Name three colours."),
]

source, target = sys.argv[1:]
rows = []
with tempfile.TemporaryDirectory() as folder:
    llama_cpp.write_as_fp32(source, f"{folder}/fp32.gguf")
    server = llama_cpp.Server(f"{folder}/fp32.gguf")
    for prompt in PROMPTS:
        names = prompt.startswith("<|im_start|>")
        ids = server.tokens(prompt, names)
        tokens, logps, seconds = server.greedy(ids, COUNT)
        rows.append({"prompt": prompt, "names": names, "ids": ids, "tokens": tokens, "logps": [round(p, 5) for p in logps],
                     "lead": round(min(a - b for a, b in zip(logps, seconds)), 5)})
        print(len(tokens), rows[-1]["lead"], prompt[:40].encode(), flush=True)
with open(target, "w", encoding="utf-8") as file:
    file.write("[" + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "]\n")
