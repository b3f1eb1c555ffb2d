# SPDX-License-Identifier: Apache-2.0
"""What the commands say that neither judge nor train: help, errors, matrices, programs, parameters."""
import hashlib
import json
import re

import samples
from cleaning import pretty
from tools import Output

PRESET_OF_STAGE = {"sft": "quickstart-sft", "rl": "quickstart-ppo", "evaluate": "quickstart-evaluate"}


def subcommands(help_text):
    """Names below "Subcommands:"."""
    listed = help_text.partition("Subcommands:")[2]
    return re.findall(r"^  ([a-z-]+) ", listed, re.MULTILINE)


def helps(tools, words):
    done = tools.run(*words, "--help")
    yield Output(f"help {' '.join(words)}".strip(), tools.transcript(done))
    for name in subcommands(done.stdout):
        yield from helps(tools, [*words, name])


def commands(tools):
    yield from helps(tools, [])
    for words in ([], ["nonsense"], ["judge"], ["train", "no-such-preset"], ["corpus", "sample", "--task", "x", "--out", "o"],
                  ["features", "missing.mtx"], ["features", "rmat(scale=banana)"], ["multiply", "missing.mtx"],
                  ["import"], ["import", "missing.mtx", "nothing(n=1)"], ["bench"], ["bench", "--task", "spmm", "--columns", "1"],
                  ["bench", "--families", "S99"], ["pack", "missing.mtx"], ["pack", "--list", "missing.pack"],
                  ["judge", "missing.cu", "--matrix", "banded(n=9)", "--device", "sim"],
                  ["judge", "missing.cu", "--matrix", "banded(n=9)", "--seed", "-1"], ["export"],
                  ["export", "--run", "missing"], ["runs", "--project", "missing"], ["project", "reindex", "missing"],
                  ["worker", "missing"], ["job", "missing"],
                  ["generate", "--policy", "missing", "--matrix", "banded(n=9)"],
                  ["evaluate", "--policy", "missing", "--matrices", "banded(n=9)", "--device", "sim"],
                  ["device", "attack", "missing"],
                  ["judge", "a.cu", "--matrix", "banded(n=9)", "--device", "moon"]):
        for form in ([], ["--json"]):
            yield Output(f"said {' '.join([*words, *form])}".strip(), tools.said(*words, *form))
    keys = [json.loads(line) for line in tools.must("doctor", "--json").splitlines()]
    yield Output("doctor", pretty([{"key": item["key"], "title": item["title"], "fields": sorted(item)} for item in keys]))
    models = [line for line in tools.must("device", "info", "--json").splitlines() if '"simulated' in line]
    yield Output("device models", "\n".join(models))


def programs(tools):
    for task, families in (("spmv", samples.SPMV_FAMILIES), ("spmm", samples.SPMM_FAMILIES)):
        for family in families:
            folder = tools.work / f"programs-{family}"
            told = tools.must("corpus", "sample", "--json", "--task", task, "--family", family, "-n", 30, "--seed", 2,
                              "--variety", 0.6, "--out", folder)
            texts = []
            for line in told.splitlines():
                item = json.loads(line)
                with open(tools.work / item["file"], encoding="utf-8") as file:
                    texts.append(f"// {json.dumps(item['parameters'])}\n{file.read()}")
            text = "\n".join(texts)
            yield Output(f"{task} {family}", text, f"{len(texts)} programs, {len(text)} characters")
        folder = tools.work / f"mixed-{task}"
        yield Output(f"{task} mixed", tools.said("corpus", "sample", "--task", task, "-n", 60, "--out", folder))


def recommend(tools):
    words = samples.words(tools, samples.MANY, samples.FILES)
    for task, options in (("spmv", []), ("spmm8", ["--columns", 8]), ("spmm32", ["--columns", 32])):
        told = tools.must("corpus", "recommend", "--json", "--task", task[:4], "-n", 12, *options, *words)
        lists = {}
        for line in told.splitlines():
            item = tools.cleaner.value(json.loads(line))
            lists.setdefault(item["matrix"], []).append(item)
        for matrix, items in lists.items():
            best = items[0]
            yield Output(f"{task} {matrix}", pretty(items), f"{best['family']} {best['score']:.4g}")
    folder = tools.work / "recommended"
    tools.must("corpus", "recommend", "-n", 5, "--out", folder, samples.SMALL[2])
    text = "".join(file.read_text(encoding="utf-8") for file in sorted(folder.glob("*.cu")))
    yield Output("programs written", text)


def listing(folder):
    """Every file below the folder with its digest."""
    lines = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            lines.append(f"{hashlib.sha256(path.read_bytes()).hexdigest()} {path.relative_to(folder)}")
    return "\n".join(lines)


def matrices(tools):
    words = samples.words(tools, samples.MANY, samples.FILES)
    for line in tools.must("features", "--json", *words).splitlines():
        features = tools.cleaner.value(json.loads(line))
        name = samples.short(features["file"])
        yield Output(f"features {name}", pretty(features), f"{features['rows']} x {features['cols']}, {features['nnz']}")
    yield Output("features as text", tools.said("features", *words[::5]))
    for form in ([], ["--json"]):
        yield Output(" ".join(["multiply", *form]), tools.said("multiply", *form, words[-1]))
        yield Output(" ".join(["import", *form]), tools.said("import", *form, "--cache", "cache", words[-1], words[-2],
                                                             "missing.mtx", "--generate", words[0]))
        yield Output(" ".join(["pack", *form]), tools.said("pack", *form, "--out", "some.pack", *words[:6], words[-1]))
        yield Output(" ".join(["pack --list", *form]), tools.said("pack", *form, "--list", "some.pack"))
        yield Output(" ".join(["packed features", *form]), tools.said("features", *form, "some.pack"))
    yield Output("cache", listing(tools.work / "cache"))
    yield Output("pack's digest", hashlib.sha256((tools.work / "some.pack").read_bytes()).hexdigest())


def parameters(tools):
    yield Output("presets", tools.said("train", "--list"))
    for line in tools.must("train", "--list", "--json").splitlines():
        preset = json.loads(line)
        yield Output(f"preset {preset['preset']}", pretty(preset), preset["stage"])
    for stage, preset in PRESET_OF_STAGE.items():
        yield Output(f"parameters of {stage}", tools.said("train", preset, "--parameters"))
        told = json.loads(tools.must("train", preset, "--parameters", "--json"))
        yield Output(f"parameters of {stage} as JSON", pretty(told))
