# SPDX-License-Identifier: Apache-2.0
"""What judging programs on the simulated device says: whole verdict records, counters, `bench`."""
import csv
import io
import json
import os
import pathlib

import samples
from cleaning import TIME_COLUMNS, MASK, dump, pretty
from tools import Output

PROGRAMS_PER_FAMILY = 8


def record_key(record):
    """What of a verdict is worth a word in the repository."""
    words = [record["verdict"], *record.get("flags", [])]
    if "warm" in record:
        words.append(f"{record['warm']['median']:.4g} us")
    return " ".join(words)


def judged(tools, programs, matrix, *options):
    """{program's file name: record} of a judgement on one matrix."""
    if not programs:
        return {}
    lines = tools.must("judge", "--json", "--device", "sim", "--judge-seed", samples.JUDGE_SEED, "--matrix", matrix, *options, *programs).splitlines()
    records = {}
    for record in map(json.loads, lines):
        name = pathlib.Path(record.pop("file")).stem
        records[name] = tools.cleaner.value(record)
    return records


def outputs(records, prefix):
    for name in sorted(records):
        yield Output(f"{prefix}{name}", pretty(records[name]), record_key(records[name]))


def sampled(tools, task, families, count, seed):
    """Files of `count` programs of every family, in order: [(family, [file, ...])]."""
    result = []
    for family in families:
        folder = tools.work / f"{task}-{family}"
        tools.must("corpus", "sample", "--task", task, "--family", family, "-n", count, "--seed", seed, "--out", folder)
        result.append((family, sorted(folder.glob("*.cu"))))
    return result


def corpus(tools):
    matrices = samples.words(tools, samples.SMALL, ["1138_bus", "well1033"])
    for task, families in (("spmv", samples.SPMV_FAMILIES), ("spmm", samples.SPMM_FAMILIES)):
        groups = {}
        for number, (_, files) in enumerate(sampled(tools, task, families, PROGRAMS_PER_FAMILY, 11)):
            for i, file in enumerate(files):
                width = 1 if task == "spmv" else (8, 32)[i % 2]
                groups.setdefault((number + i) % len(matrices) + width * 100, []).append(file)
        # Few groups and several of each, as the reference program is judged once for each group.
        for group, files in tools.some(sorted(groups.items()), 4):
            matrix, width = matrices[group % 100], group // 100
            options = ["--task", "spmv"] if width == 1 else ["--task", "spmm", "--columns", width]
            records = judged(tools, tools.some(files, 8), matrix, "--seed", 5, *options)
            yield from outputs(records, f"{task}{width if width > 1 else ''} {samples.short(matrix)} ")


def honest(tools):
    folder = tools.root / "tests/honest/programs"
    files = {"spmv": [], "spmm": []}
    for file in sorted(folder.glob("*.cu")):
        files["spmm" if "//! task spmm" in file.read_text(encoding="utf-8") else "spmv"].append(file)
    for task, programs in files.items():
        records = judged(tools, tools.some(programs), "random(rows=300,cols=280,mean=12)", "--seed", 3, "--task", task)
        yield from outputs(records, f"{task} ")


def attacks(tools):
    """Every fourth attack, with those it is to be judged after."""
    source = tools.root / "tests/adversarial"
    listed = json.loads((source / "attacks.json").read_text(encoding="utf-8"))
    by_name = {attack["program"]: attack for attack in listed}
    wanted = set()
    for attack in tools.some(listed[::4]):
        while attack and attack["program"] not in wanted:
            wanted.add(attack["program"])
            attack = by_name.get(attack.get("after"))
    folder = tools.work / "attacks"
    (folder / "programs").mkdir(parents=True)
    (folder / "attacks.json").write_text(json.dumps([a for a in listed if a["program"] in wanted]), encoding="utf-8")
    for name in wanted:
        os.symlink(source / "programs" / f"{name}.cu", folder / "programs" / f"{name}.cu")
    for line in tools.must("device", "attack", folder, "--device", "sim", "--judge-seed", samples.JUDGE_SEED,
                           "--json").splitlines():
        told = tools.cleaner.value(json.loads(line))
        key = record_key(told["record"]) + ("" if told["ok"] else " THROUGH")
        yield Output(told["attack"], pretty(told), key)


def profiles(tools):
    """Heat of source lines: counters of programs of twenty families."""
    chosen = [("spmv", family) for family in samples.SPMV_FAMILIES[::2]]
    chosen += [("spmm", family) for family in samples.SPMM_FAMILIES[::2]]
    files = {"spmv": [], "spmm": []}
    for task, family in chosen:
        files[task] += sampled(tools, task, [family], 1, 3)[0][1]
    for task, programs in files.items():
        for model in ("h200", "generic"):
            records = judged(tools, tools.some(programs, 8), "blockfem(nodes=64,block=3)", "--task", task, "--lines", "--model", model)
            for name, record in sorted(records.items()):
                rows = len(record.get("lines", {}).get("rows", []))
                yield Output(f"{task} {model} {name}", pretty(record), f"{record_key(record)}, {rows} lines")


def bench_table(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    for row in rows:
        for column in TIME_COLUMNS & row.keys():
            row[column] = MASK
    return "\n".join(map(dump, rows))


def bench(tools):
    runs = {
        "spmv": ["--task", "spmv", "--limit-per-matrix", 12],
        "spmv generic": ["--task", "spmv", "--limit-per-matrix", 4, "--model", "generic", "--all-formats"],
        "spmm": ["--task", "spmm", "--columns", 8, "--limit-per-matrix", 8],
        "spmv no cold": ["--task", "spmv", "--limit-per-matrix", 3, "--no-cold", "--families", "S1,S6,S11"],
    }
    for name, options in runs.items():
        table = tools.work / f"{name}.csv"
        matrices = samples.SMALL[:5] if name == "spmv" else samples.SMALL[5:7]
        said = tools.said("bench", "--json", "--device", "sim", "--seed", 1, "--csv", table, *options, *matrices)
        yield Output(f"{name}: said", said)
        text = bench_table(table.read_text(encoding="utf-8"))
        yield Output(f"{name}: table", text, f"{len(text.splitlines())} rows")
