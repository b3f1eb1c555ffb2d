#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Functions that no program of the product calls: dead_code.py BUILD_DIR [--list]

The build must have been made with -ffunction-sections and --gc-sections (preset ci is; any other is refused). The linker drops the sections that a program
does not reach, so what a library defines and no program holds was not called from outside its file. The optimiser may have
put a function's only calls inline; so a name that the product's sources mention beyond its own declaration and
definition is alive. Virtual functions and operators are left to the compiler's warnings.

Exit status 1 if a function is dead that tests/house/dead_code_allowed.txt does not name with its reason.
"""
import argparse
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRODUCT = ("core", "app", "packaging", "widgets")


def symbols(path, kinds):
    """Demangled function names of `path` whose nm letter is one of `kinds`."""
    text = subprocess.run(["nm", "-C", "--defined-only", str(path)], capture_output=True, text=True, check=True).stdout
    found = set()
    for line in text.splitlines():
        parts = line.split(" ", 2)
        if len(parts) == 3 and parts[1] in kinds:
            found.add(parts[2])
    return found


def base_name(symbol):
    """`sparserl::Journal::open(std::string const&)` -> `open`; None for what is not an ordinary function."""
    if not symbol.startswith("sparserl::") or " for " in symbol or symbol.startswith("sparserl::operator"):
        return None
    head = re.sub(r"\[abi:\w+\]", "", symbol)
    depth, end = 0, len(head)
    for i, c in enumerate(head):
        if c == "<":
            depth += 1
        elif c == ">":
            depth -= 1
        elif c == "(" and depth == 0:
            end = i
            break
    name = head[:end].split("::")[-1]
    if not re.fullmatch(r"[a-z]\w*", name) or "(anonymous namespace)" in symbol or name == "tr":
        return None
    return name


def mentions():
    """How often each identifier stands in the product's sources, comments and strings left out."""
    count = collections.Counter()
    strip = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)
    for folder in PRODUCT:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".cpp", ".h", ".def"):
                count.update(re.findall(r"[A-Za-z_]\w*", strip.sub(" ", path.read_text(errors="replace"))))
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--list", action="store_true", help="print every dead function, the allowed ones too")
    arguments = parser.parse_args()
    binaries = [p for p in (arguments.build / "bin").glob("sparserl*") if p.is_file()]
    archives = [p for part in PRODUCT for p in (arguments.build / part).rglob("libsparserl_*.a")]
    if len(binaries) < 2 or not archives:
        sys.exit(f"dead_code: {arguments.build} holds no built product; build it with the preset ci first")
    cache = arguments.build / "CMakeCache.txt"
    if not cache.is_file() or "--gc-sections" not in cache.read_text(errors="replace"):
        sys.exit(f"dead_code: {arguments.build} keeps what nobody calls, so nothing would be found; build it with the preset ci")
    alive = set()
    for binary in binaries:
        alive |= symbols(binary, "TtWw")
    defined = {}
    for archive in archives:
        for symbol in symbols(archive, "T"):
            defined[symbol] = archive.name
    count = mentions()
    spread = collections.Counter()  # overloads and namesakes: each has a declaration and a definition of its own
    for symbol in defined:
        spread[base_name(symbol)] += 1
    dead = sorted({(archive, symbol) for symbol, archive in defined.items()
                   if symbol not in alive and base_name(symbol) and count[base_name(symbol)] <= 2 * spread[base_name(symbol)]})
    allowed = {}
    for line in (pathlib.Path(__file__).parent / "dead_code_allowed.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, reason = line.partition(" ")
            allowed[name] = reason
    def short(symbol):
        return re.sub(r"\[abi:\w+\]|\(.*", "", symbol.removeprefix("sparserl::"))

    unknown = [(a, s) for a, s in dead if short(s) not in allowed]
    for archive, symbol in dead if arguments.list else unknown:
        print(f"{archive}: {symbol}")
    stale = sorted(set(allowed) - {short(s) for _, s in dead})
    for name in stale:
        print(f"dead_code_allowed.txt: {name} is called now, or gone; remove its line")
    print(f"dead_code: {len(defined)} functions, {len(dead)} that no program calls, {len(unknown)} of them not allowed")
    return 1 if unknown or stale else 0


if __name__ == "__main__":
    sys.exit(main())
