#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The version is one everywhere: check_versions.py [--bin DIR]

CMakeLists.txt has it. CITATION.cff, the changelog, and what the programs in DIR print must have the same, with the same date.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Options that make each program tell its version.
PROGRAMS = {"sparserl": ["--version"], "sparserl-training": ["--version"], "sparserl-workbench": ["--version"], "sparserl-runner": ["--version"], "sparserl-oracle": ["--version"]}


def found(pattern, file):
    match = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
    return match[1] if match else f"none in {file}"


def problems(folder):
    version = found(r"^project\(\w+ VERSION (\S+)", "CMakeLists.txt")
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        yield f"CMakeLists.txt: {version}"
    sections = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    if sections[0] != "Unreleased":
        yield f"CHANGELOG.md begins with {sections[0]}, not with Unreleased"
    released = [re.fullmatch(r"(\d+\.\d+\.\d+) - (\d{4}-\d\d-\d\d)", section) for section in sections[1:]]
    for section, match in zip(sections[1:], released):
        if not match:
            yield f"CHANGELOG.md: “{section}” is no version and date"
    if not released or not released[0]:
        return
    dates = [match[2] for match in released if match]
    if dates != sorted(dates, reverse=True):
        yield "CHANGELOG.md: the newest version does not stand first"
    if released[0][1] != version:
        yield f"CHANGELOG.md has {released[0][1]} as the newest version, CMakeLists.txt {version}"
    for pattern, wanted in ((r"^version: (\S+)", version), (r"^date-released: (\S+)", dates[0])):
        if found(pattern, "CITATION.cff") != wanted:
            yield f"CITATION.cff has {found(pattern, 'CITATION.cff')} where {wanted} belongs"
    for name, options in PROGRAMS.items() if folder else ():
        if not (folder / name).exists():
            continue
        done = subprocess.run([folder / name, *options], capture_output=True, text=True, check=False,
                              env={**os.environ, "QT_QPA_PLATFORM": "offscreen"})
        words = done.stdout.split()
        if done.returncode != 0 or version not in words:
            yield f"{name} {' '.join(options)} prints “{(done.stdout + done.stderr).strip()}” instead of {version}"
    if folder and (folder / "sparserl").exists():
        done = subprocess.run([folder / "sparserl", "--version", "--json"], capture_output=True, text=True, check=False)
        try:
            said = json.loads(done.stdout).get("version")
        except ValueError:
            said = done.stdout + done.stderr
        if said != version:
            yield f"sparserl --version --json prints {said}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path)
    wrong = list(problems(parser.parse_args().bin))
    for problem in wrong:
        print(problem, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
