#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The output of `sparserl device observe` as the tables of tests/benchmarks/observations.md: observations_table.py < OUTPUT

Prints a row for each observable, with the designs (simulated device only) in a table of their own, and the last line as it is.
Ends with 1 where a line is none of these: a table that lost rows says nothing.
"""
import re
import sys

OBSERVABLE = re.compile(r"(?P<name>\S.*?)\s+(?P<first>\d+)\s+(?P<second>\d+)\s+(?P<feature>none varies|none|all|zero|bit \d+)"
                        r"(?:\s+(?P<distance>[+-][\d.]+) \+- (?P<interval>[\d.]+)\s+(?P<excess>[+-]?[\d.]+|[+-]?inf)\s+(?P<p>[\d.e-]+)"
                        r"\s+(?P<smallest>[\d.]+))?\s+(?P<tests>[\d.]+ %)?\s*(?P<note>.*)")
REFUSED = re.compile(r"(?P<name>\S.*?)\s+no program reads it: (?P<verdict>\S+)")
DESIGN = re.compile(r"(?P<name>\S.*?)\s+(?P<tests>[\d.]+ %) of tests\s+(?P<target>[\d.]+ %) of the target's calls")


def main():
    observables, designs, last, unknown = [], [], "", []
    for line in sys.stdin.read().splitlines():
        line = line.rstrip()
        if not line or line.startswith("what a program reads") or re.match(r"\s*\d+ %", line):
            continue
        if found := DESIGN.fullmatch(line):
            designs.append(f"| {found['name']} | {found['tests']} | {found['target']} |")
        elif found := REFUSED.fullmatch(line):
            observables.append(f"| {found['name']} | | | | | | | | | refused: {found['verdict']} |")
        elif found := OBSERVABLE.fullmatch(line):
            distance = f"{found['distance']} ± {found['interval']}" if found["distance"] else ""
            note = "contract" if found["note"].startswith("the contract") else found["note"]
            cells = [found["name"], found["first"], found["second"], found["feature"], distance, found["excess"] or "",
                     found["p"] or "", found["smallest"] or "", found["tests"] or "", note]
            observables.append("| " + " | ".join(cells) + " |")
        elif "differ at" in line or "significant at" in line:
            last = line
        else:
            unknown.append(line)
    print("\n".join(observables))
    if designs:
        print("\n| design | of tests | of the target's calls |\n|---|---|---|")
        print("\n".join(designs))
    print("\n" + last)
    for line in unknown:
        print("unknown line: " + line, file=sys.stderr)
    return 1 if unknown or not observables or not last else 0


if __name__ == "__main__":
    sys.exit(main())
