#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/policy/fixtures/tokenizer_{gpt2,code}.json and their encodings by Hugging Face's `tokenizers`.

Usage: make_tokenizer_fixture.py tests/policy/fixtures
The vocabularies are trained here by `tokenizers`, so that reading, pre-tokenising and merging are checked against it.
"""
import json
import random
import sys
from pathlib import Path

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

out = Path(sys.argv[1])
text = """extern "C" __global__ void spmv_row(int rows, const int* __restrict__ row_ptr, const int* __restrict__ col,
                                    const float* __restrict__ val, const float* __restrict__ x, float* y)
{
    // one warp per row: lanes stride over the non-zeros
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x & 31;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int k = row_ptr[row] + lane; k < row_ptr[row + 1]; k += 32)
        sum += val[k] * x[col[k]];
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0) y[row] = sum;
}
"""
strings = [
    "", " ", "a", "\n", "\r\n\r\n  x", "it's we'll they've I'd don't I'm you're 'S", "  two  spaces\t\ttab \n\n\nlines   ",
    "x=1234567890;y=0x1F;", "\u00e9t\u00e9 na\u00efve \u4f60\u597d \u0395\u03bb\u03bb\u03ac\u03b4\u03b1 \u0661\u0662\u0663 \u00bd",
    "\U0001F600 emoji\u200d\u00a0nbsp\u3000wide", "trailing space ", " leading", "a\u2028b\u0085c", text,
    "//! launch spmv_row<<<ceil_div(rows,4), 128>>>(rows, csr.row_ptr, csr.col, csr.val, x, y)\n",
]
random.seed(3)
alphabet = "ab 1\n\t\r'_(){}<>;=+*. \u00e9\u4f60\u0661\u00a0s"
strings += ["".join(random.choice(alphabet) for _ in range(random.randint(1, 40))) for _ in range(300)]

pattern = "[0-9]+|[\\r\\n]+[^0-9\\r\\n]*|[^0-9\\r\\n]+"
kinds = {
    "gpt2": pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
    "code": pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated", False),
                                     pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]),
}
for name, rule in kinds.items():
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = rule
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=420, min_frequency=2, show_progress=False,
                                  special_tokens=["<pad>", "<s>", "</s>", "<unk>"],
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator([text] * 3 + strings[:13], trainer)
    (out / f"tokenizer_{name}.json").write_text(tokenizer.to_str(pretty=False))
    encoded = [{"text": s, "ids": tokenizer.encode(s, add_special_tokens=False).ids} for s in strings]
    (out / f"tokenizer_{name}_encoded.json").write_text(json.dumps(encoded))
