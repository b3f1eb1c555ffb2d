#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden outputs: what the real programs say today, so that a change that should change nothing can prove it.

  golden.py check  [--part P]... [--bin DIR] [--full DIR]   compares with the recorded outputs here
  golden.py record [--part P]... [--bin DIR] [--full DIR]   records them again; the commit message says why
  golden.py diff OLD NEW                                    compares two folders that --full wrote
  golden.py list                                            the parts

A part's file PART.jsonl holds a line for each output: its name, the SHA-256 of its text (clock times masked) and a few
words of it. --full DIR also writes the texts themselves, one file each; with `check --against OLD` what differs is
shown line by line. `check --every N` judges each N-th program only, from a drawn one on (--first repeats a draw): the suite
does, and checks only some of the parts (--parts); before and after a change that should change nothing, check all. Outputs of training are exact on one kind of processor only: elsewhere they need only be there.
"""
import argparse
import concurrent.futures
import difflib
import hashlib
import json
import os
import pathlib
import random
import secrets
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import cleaning  # noqa: E402
import parts  # noqa: E402
from tools import Tools  # noqa: E402


def machine():
    """What floating-point results of tensor libraries depend on: the processor's model and abilities."""
    wanted = {}
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition(":")
        if key.strip() in ("model name", "flags", "Features", "CPU part"):
            wanted.setdefault(key.strip(), value.strip())
    return hashlib.sha256(json.dumps(wanted, sort_keys=True).encode()).hexdigest()[:16]


def run_part(name, binaries, full, every, first):
    """The part's outputs: {name: record}, in order. Writes the texts below `full` where that is given."""
    records = {}
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="golden-") as folder:
        tools = Tools(pathlib.Path(binaries).resolve(), HERE.parent.parent, pathlib.Path(folder).resolve(), every, first)
        for output in parts.PARTS[name].run(tools):
            if output.name in records:
                raise RuntimeError(f"{name}: two outputs are called {output.name}")
            record = {"name": output.name, "sha256": hashlib.sha256(output.text.encode()).hexdigest()[:32]}
            if output.key:
                record["key"] = output.key
            if output.bound:
                record["bound"] = True
            records[output.name] = record
            if full:
                file = pathlib.Path(full) / name / (output.name.replace("/", "_")[:180] + ".txt")
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(output.text, encoding="utf-8")
    print(f"{name}: {len(records)} outputs in {time.monotonic() - started:.0f} s", flush=True)
    return records


def write_part(name, records):
    lines = [json.dumps({"golden": name, "machine": machine()})]
    lines += [json.dumps(record, ensure_ascii=False) for record in records.values()]
    (HERE / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_part(name):
    lines = (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    head = json.loads(lines[0])
    return head["machine"], {record["name"]: record for record in map(json.loads, lines[1:])}


def compare(name, records, same_machine, recorded, every):
    """Sentences, one for each output that is another."""
    differences = []
    some = every > 1 and parts.PARTS[name].thinned
    for key in records.keys() if some else recorded.keys() | records.keys():
        old, new = recorded.get(key), records.get(key)
        if old is None or new is None:
            differences.append((key, "is new" if old is None else "is gone"))
        elif old.get("bound") and not same_machine:
            continue
        elif old.get("key") != new.get("key"):
            differences.append((key, f"was {old.get('key')!r}, is {new.get('key')!r}"))
        elif old["sha256"] != new["sha256"]:
            differences.append((key, "its text is another"))
    return sorted(differences)


def show_difference(old_folder, new_folder, part, name):
    file = name.replace("/", "_")[:180] + ".txt"
    texts = []
    for folder in (old_folder, new_folder):
        path = pathlib.Path(folder) / part / file
        if not path.exists():
            print(f"      {folder} has no text of it")
            return
        texts.append(path.read_text(encoding="utf-8").splitlines())
    for line in list(difflib.unified_diff(*texts, "old", "new", lineterm="", n=1))[2:26]:
        print("      " + line[:300])


def run_parts(options, full):
    names = [name for name in parts.PARTS if not options.part or name in options.part]
    if options.only:
        names = [name for name in names if parts.PARTS[name].quick == (options.only == "quick")]
    if getattr(options, "parts", None) and os.environ.get("SPARSERL_TEST_SHARE") != "1":
        drawn = random.Random(options.first).sample(names, min(options.parts, len(names)))
        names = [name for name in names if name in drawn]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        every, first = getattr(options, "every", 1), getattr(options, "first", 0)
        futures = {name: pool.submit(run_part, name, options.bin, full, every, first) for name in names}
        return {name: future.result() for name, future in futures.items()}


def record(options):
    for name, records in run_parts(options, options.full).items():
        write_part(name, records)
    return 0


def check(options):
    if options.every > 1:
        # Beyond --every, so that every part meets every program: the parts are drawn with it, too.
        options.first = secrets.randbelow(options.every << 16) if options.first is None else options.first
        print(f"one in {options.every} is judged; the same again: --every {options.every} --first {options.first}", flush=True)
    elif options.first is None:
        options.first = 0
    with tempfile.TemporaryDirectory(prefix="golden-full-") as scratch:
        full = options.full or (scratch if options.against else None)
        count = 0
        for name, records in run_parts(options, full).items():
            recorded_machine, recorded = read_part(name)
            same = recorded_machine == machine()
            if not same and any(entry.get("bound") for entry in recorded.values()):
                print(f"{name}: recorded on another kind of processor; outputs of training need only be there")
            for entry, what in compare(name, records, same, recorded, options.every):
                count += 1
                print(f"  {name}: {entry} {what}")
                if options.against:
                    show_difference(options.against, full, name, entry)
        if count:
            print(f"{count} outputs differ. If they should, run `tests/golden/golden.py record` and say why in the commit.")
        return 1 if count else 0


def diff(options):
    old, new = pathlib.Path(options.old), pathlib.Path(options.new)
    files = {path.relative_to(folder) for folder in (old, new) for path in folder.rglob("*.txt")}
    count = 0
    for file in sorted(files):
        texts = [(folder / file).read_text(encoding="utf-8") if (folder / file).exists() else None for folder in (old, new)]
        if texts[0] != texts[1]:
            count += 1
            print(f"{file}:{' is new' if texts[0] is None else ' is gone' if texts[1] is None else ''}")
            show_difference(old, new, str(file.parent), file.stem)
    print(f"{count} of {len(files)} outputs differ")
    return 1 if count else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("check", "record"):
        command = commands.add_parser(name)
        command.add_argument("--part", action="append", choices=list(parts.PARTS), help="only this part; may be repeated")
        command.add_argument("--only", choices=("quick", "slow"), help="only the parts that take seconds, or the others")
        command.add_argument("--bin", default=os.environ.get("SPARSERL_BIN", str(HERE.parent.parent / "build/dev/bin")),
                             help="folder of the programs (default: build/dev/bin)")
        command.add_argument("--full", help="folder for the whole texts")
        command.add_argument("--jobs", type=int, default=2, help="parts at once")
        if name == "check":
            command.add_argument("--every", type=int, default=1, help="judge only each N-th program")
            command.add_argument("--first", type=int, help="the number of the first of these (default: drawn)")
            command.add_argument("--parts", type=int, help="check only so many of the parts, drawn with --first; "
                                                                "SPARSERL_TEST_SHARE=1 checks all")
            command.add_argument("--against", help="folder that --full wrote before: shows what differs")
    command = commands.add_parser("diff")
    command.add_argument("old")
    command.add_argument("new")
    commands.add_parser("list")
    options = parser.parse_args()
    if options.command == "list":
        for name, part in parts.PARTS.items():
            print(f"{name:<12}{'quick  ' if part.quick else '       '}{part.what}")
        return 0
    return {"check": check, "record": record, "diff": diff}[options.command](options)


if __name__ == "__main__":
    sys.exit(main())
