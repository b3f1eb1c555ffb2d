#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folders include what stands before them in these lists, and nothing else (CONTRIBUTING, "Layout").

  check_arrows.py          names each include that points the other way; exits 1 where there is one
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# From below.
LISTS = {
    "core": "base operator machine target source verdict matrix corpus kernel ptx compile device evaluation search runner reward endpoint project remote export policy training",
    "core/evaluation": "protocol runners cases steps judge bench audit operators",
    "core/operator": "graph run import synthesis",
    "core/policy": "files tokenizer matrix compute cuda kernels model t5 causal families sampling policy",
    "core/project": "files run curves index queries",
    "core/training": "parameters work data evaluated learning sampling stages",
}
# Libraries of one level know nothing of each other; what they may need all the same is in their CMakeLists.txt.
NEVER = {
    "core/project": "corpus kernel ptx compile device evaluation runner reward",
    "core/remote": "corpus kernel ptx compile device evaluation runner reward",
    "core/verdict": "machine",
    "widgets": "corpus kernel ptx compile device evaluation runner reward export policy",
}


def includes(folder):
    for file in sorted(folder.rglob("*")):
        if file.suffix in (".h", ".cpp"):
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                if match := re.match(r'#include "([^"]+)"', line):
                    yield f"{file.relative_to(ROOT)}:{number}", match[1]


def main():
    faults = []
    for top, names in LISTS.items():
        order = names.split()
        prefix = top.removeprefix("core").strip("/")
        for folder in sorted(path for path in (ROOT / top).iterdir() if path.is_dir()):
            if folder.name not in order:
                faults.append(f"{folder.relative_to(ROOT)} has no place in the list of tests/house/check_arrows.py")
                continue
            for place, path in includes(folder):
                parts = path.split("/")
                if prefix:
                    if parts[0] != prefix or len(parts) < 3:
                        continue
                    parts = parts[1:]
                if parts[0] in order and order.index(parts[0]) > order.index(folder.name):
                    faults.append(f"{place} includes {path}, which stands above it")
    for top, names in NEVER.items():
        for place, path in includes(ROOT / top):
            if path.split("/")[0] in names.split():
                faults.append(f"{place} includes {path}, which it must do without")
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
