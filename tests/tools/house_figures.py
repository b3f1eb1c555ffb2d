#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How often the same knowledge is written down: in how many source files a thing is named, and what is long.

Usage: house_figures.py [TREE]. Reads sources as text; tests count apart. A thing is taken by the names that its readers and
writers use: an opcode by `Op::NAME` or its row, a family by its number ("S14"), a parameter, metric and stage by the quoted
text, a subcommand by its quoted name. Prints means and the most, and functions over 100 lines where lizard is installed.
"""
import pathlib
import re
import shutil
import subprocess
import sys

TREE = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
SUFFIXES = {".h", ".cpp", ".def", ".txt"}


def sources(*folders):
    files = {}
    for folder in folders:
        for path in sorted((TREE / folder).rglob("*")):
            if path.suffix in SUFFIXES and path.is_file():
                text = path.read_text(encoding="utf-8", errors="replace")
                files[path.relative_to(TREE)] = re.sub(r"(^|\s)//.*$", "", text, flags=re.M)  # comments may speak of anything
    return files


def named(files, pattern):
    found = re.compile(pattern)
    return [path for path, text in files.items() if found.search(text)]


def row(what, names, pattern_of, files):
    counts = sorted(((len(named(files, pattern_of(name))), name) for name in names), reverse=True)
    counts = [c for c in counts if c[0] > 0]
    if counts:
        mean = sum(c for c, _ in counts) / len(counts)
        print(f"| files {what} is named in ({len(counts)} of them) | {mean:.1f} | {counts[0][0]} ({counts[0][1]}) |")


def main():
    files = sources("core", "app", "widgets")
    all_text = "\n".join(files.values())
    print("| | mean | most |\n|---|---|---|")
    operations = set(re.findall(r"\bOp::([A-Z]\w+)", all_text)) | set(re.findall(r"\bOPCODE\((\w+)", all_text))
    simulated = {path: text for path, text in files.items() if path.parts[1] not in ("kernel", "corpus")}  # they have an Op too
    row("an opcode", operations, lambda n: rf"\bOp::{n}\b|\b(OPCODE|FORMS|OP|FORM)\({n}\b", simulated)
    families = [f"S{i}" for i in range(1, 20)] + [f"M{i}" for i in range(1, 20)]
    row("a kernel family", families, lambda n: rf'"{n}"', files)
    parameters = set(re.findall(r'"((?:sft|rl|evaluate|eval|reward|judge|policy|tokenizer|checkpoint)\.(?!json|toml)[a-z_]+)"', all_text))
    row("a parameter", parameters, lambda n: rf'"{re.escape(n)}"', files)
    metrics = set(re.findall(r'"((?:actor|critic|kernel|timing_s|perf|objective|val|reward|matrix|judge)/[a-z0-9_/]+)"', all_text))
    row("a metric", metrics, lambda n: rf'"{re.escape(n)}"', files)
    row("a stage", ["sft", "rl", "evaluate", "pretrain", "rft"], lambda n: rf'"{n}"', files)
    commands = [p.stem for app in ("cli", "training") for p in (TREE / "app" / app / "commands").glob("*.cpp")]
    row("a subcommand", commands, lambda n: rf'add_subcommand\("{n}"|_COMMAND\({n}\b', files)
    sizes = sorted(((text.count("\n") + 1, path) for path, text in sources("core", "app", "widgets").items()), reverse=True)
    print(f"\nfiles over 600 lines: {[f'{path} {n}' for n, path in sizes if n > 600] or 'none'}; over 400: "
          f"{sum(n > 400 for n, _ in sizes)} of {len(sizes)}")
    lizard = shutil.which("lizard")
    if lizard:
        said = subprocess.run([lizard, "-l", "cpp", "-L", "100", "-C", "999", "-a", "99", "-w", *[str(TREE / f) for f in ("core", "app", "widgets")]],
                              capture_output=True, text=True).stdout
        print("functions over 100 lines:", re.findall(r"warning: (\S+) has", said) or "none")


if __name__ == "__main__":
    main()
