#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the tokens of `sparserl policy tokens` with those of Hugging Face's `tokenizers` (pip install tokenizers).

Usage: compare_tokenizers.py --bin build/release/bin [--count 100000] [--seed 7] [--names llama3,qwen2] [--vocabulary 4000]
Prints a line for each set of rules, with names of special tokens as text and as tokens; exits 1 where any text differs.
"""
import argparse
import json
import subprocess
import sys
import tempfile
import time
import unicodedata
from pathlib import Path

import published_tokenizers as published

parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
parser.add_argument("--bin", required=True, type=Path)
parser.add_argument("--count", type=int, default=100000)
parser.add_argument("--seed", type=int, default=7)
parser.add_argument("--names", default=",".join(published.rules()))
parser.add_argument("--vocabulary", type=int, default=4000)
options = parser.parse_args()

texts = published.SAMPLES + published.random_texts(options.count, options.seed)
failed = False
for name in options.names.split(","):
    tokenizer = published.make(name, published.training_texts(), options.vocabulary)
    with tempfile.TemporaryDirectory() as folder:
        tokenizer.save(f"{folder}/tokenizer.json")
        Path(folder, "config.json").write_text(json.dumps({"eos_token_id": tokenizer.get_vocab_size() - 1}))
        Path(folder, "texts").write_text("".join(json.dumps(text) + "\n" for text in texts))
        for names_are_tokens in (False, True):
            start = time.monotonic()
            command = [options.bin / "sparserl", "policy", "tokens", folder, f"{folder}/texts", "--lines"]
            ran = subprocess.run(command + ["--names"] * names_are_tokens, stdout=subprocess.PIPE, check=True)
            ours = [json.loads(line) for line in ran.stdout.decode().split("\n")[:-1]]
            seconds = time.monotonic() - start
            tokenizer.encode_special_tokens = not names_are_tokens
            theirs = [e.ids for e in tokenizer.encode_batch(texts, add_special_tokens=False)]
            differing = [text for text, a, b in zip(texts, ours, theirs, strict=True) if a != b]
            # Its normal forms are those of an older Unicode, in which some marks have another class.
            older = [text for text in differing if name in published.FORMS
                     and tokenizer.normalizer.normalize_str(text) != unicodedata.normalize(published.FORMS[name], text)]
            differing = [text for text in differing if text not in older]
            for text in differing[:3]:
                print(f"{name}: {text!r}", file=sys.stderr)
            failed = failed or bool(differing)
            print(f"{name}, names are {'tokens' if names_are_tokens else 'text'}: {len(differing)} of {len(texts)} texts differ"
                  f"{f' ({len(older)} more have an older normal form there)' if older else ''}, "
                  f"{sum(map(len, ours))} tokens, {seconds:.1f} s", flush=True)
sys.exit(failed)
