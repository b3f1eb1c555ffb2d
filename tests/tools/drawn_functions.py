#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a drawn part of a test's functions, so that the suite ends in minutes and still meets everything over time.

    drawn_functions.py --one-in 3 PROGRAM [ARGUMENTS]

PROGRAM is a Qt Test program, or with --unittest a Python file of unittest. One of so many functions runs, at
least one, others every time. A function with at least so many rows of data always runs, with one of so many rows.
SPARSERL_TEST_SHARE=1 runs all of them, and any other number one of so many; SPARSERL_TEST_DRAW repeats the draw that
this program prints (tests/drawn_share.h knows the same two).
"""
import argparse
import ast
import hashlib
import os
import pathlib
import secrets
import subprocess
import sys


def functions_of_qt(program):
    """Functions in their order, each with the names of its rows."""
    listed = subprocess.run([program, "-datatags"], stdout=subprocess.PIPE, text=True, check=True).stdout
    functions = {}
    for line in listed.splitlines():
        words = line.split(" ", 2)
        if len(words) > 1 and words[0].isidentifier() and words[1].isidentifier():
            functions.setdefault(words[1], []).extend(words[2:])
    return functions


def functions_of_unittest(path):
    tree = ast.parse(pathlib.Path(path).read_text(encoding="utf-8"))
    return {f"{one.name}.{function.name}": [] for one in tree.body if isinstance(one, ast.ClassDef)
            for function in one.body if isinstance(function, ast.FunctionDef) and function.name.startswith("test")}


def some(names, one_in, draw):
    """One of so many, rounded up, in their order."""
    count = -(-len(names) // one_in)
    best = sorted(names, key=lambda name: hashlib.sha256(f"{draw}/{name}".encode()).digest())[:count]
    return [name for name in names if name in best]


def drawn(functions, one_in, draw):
    """What a program is told to run: functions, and rows as function:row."""
    if one_in <= 1:
        return list(functions)
    by_rows = {name for name, rows in functions.items() if len(rows) >= one_in}
    whole = some([name for name in functions if name not in by_rows], one_in, draw)
    chosen = []
    for name, rows in functions.items():
        if name in by_rows:
            chosen += [f"{name}:{row}" for row in some(rows, one_in, draw)]
        elif name in whole:
            chosen.append(name)
    return chosen


def number(variable, otherwise):
    word = os.environ.get(variable, "")
    return int(word) if word.isdecimal() and int(word) > 0 else otherwise


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--one-in", type=int, required=True)
    parser.add_argument("--unittest", action="store_true")
    parser.add_argument("program")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    asked = parser.parse_args()
    one_in = number("SPARSERL_TEST_SHARE", asked.one_in)
    draw = number("SPARSERL_TEST_DRAW", secrets.randbits(31) | 1)
    command = ([sys.executable] if asked.unittest else []) + [asked.program, *asked.arguments]
    if one_in > 1:
        os.environ["SPARSERL_TEST_DRAW"] = str(draw)  # For the shares that functions and rows draw themselves.
        functions = (functions_of_unittest if asked.unittest else functions_of_qt)(asked.program)
        if not functions:
            sys.exit(f"{asked.program} lists no functions")
        chosen = drawn(functions, one_in, draw)
        print(f"drawn, one in {one_in}: {', '.join(chosen)}\nThe same again: SPARSERL_TEST_SHARE={one_in} "
              f"SPARSERL_TEST_DRAW={draw}; all of {len(functions)} functions: SPARSERL_TEST_SHARE=1", flush=True)
        command += chosen
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
