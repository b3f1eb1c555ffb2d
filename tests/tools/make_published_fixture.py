#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/policy/fixtures/published: tokenizers with the rules of published models, texts, and their tokens by
Hugging Face's `tokenizers`.

Usage: make_published_fixture.py tests/policy/fixtures/published
"""
import json
import sys
from pathlib import Path

import published_tokenizers as published

out = Path(sys.argv[1])
out.mkdir(parents=True, exist_ok=True)
texts = [text for text in published.SAMPLES + published.random_texts(24, 5) if len(text) < 160]
(out / "texts.json").write_text(json.dumps(texts))
for name in published.rules():
    tokenizer = published.make(name, published.training_texts(), 300)
    (out / f"{name}.json").write_text(tokenizer.to_str(pretty=False))
    rows = []
    for text in texts:
        tokenizer.encode_special_tokens = True
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        row = {"ids": ids}
        if (decoded := tokenizer.decode(ids, skip_special_tokens=True)) != text:
            row["decoded"] = decoded
        tokenizer.encode_special_tokens = False
        if (named := tokenizer.encode(text, add_special_tokens=False).ids) != ids:
            row["named"] = named  # where names of special tokens are those tokens
        rows.append(row)
    (out / f"{name}_encoded.json").write_text(json.dumps(rows, separators=(",", ":")))
