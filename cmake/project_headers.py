# SPDX-License-Identifier: Apache-2.0
"""Which of the project's headers a file reads: for unity_groups.py and tests/house/check_includes.py."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def includes(path):
    """The project's headers that a file names: seen from core, from its folder or from the root."""
    for name in INCLUDE.findall(path.read_text(errors="replace")):
        for base in (path.parent, ROOT / "core", ROOT, ROOT / "tests", ROOT / "app", ROOT / "widgets", ROOT / "packaging"):
            if (base / name).is_file():
                yield (base / name).resolve()
                break


def closure(path, known):
    """All headers that a file reads, itself not among them. `known`: what each header names, filled here."""
    seen, todo = set(), list(includes(path))
    while todo:
        header = todo.pop()
        if header not in seen:
            seen.add(header)
            if header not in known:
                known[header] = list(includes(header))
            todo += known[header]
    return seen
