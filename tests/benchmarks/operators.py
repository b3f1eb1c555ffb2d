#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tables of operators.md from what `sparserl --json operator import` and `operator synthesize` printed.
    operators.py LINES...
"""
import collections
import json
import statistics
import sys


def median(numbers):
    numbers = [x for x in numbers if x is not None]
    return statistics.median(numbers) if numbers else float("nan")


def bytes_words(count):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{count:.1f} {unit}" if unit != "B" else f"{count:.0f} B"
        count /= 1024


def level_of(line):
    parts = line["task"].split("/")
    return parts[-2] if len(parts) > 1 and parts[-2].startswith("level") else "tasks"


def imports(lines):
    levels = collections.defaultdict(list)
    for line in lines:
        levels[level_of(line)].append(line)
    heads = ["level", "tasks", "imported", "sizes", "agree", "largest difference over tolerance", "full size", "fills only",
             "flagged", "given up", "calls, median (most)", "import, median (most)", "fp64, median (most)", "memory in fp64, most"]
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    for level, tasks in sorted(levels.items()):
        done = [task for task in tasks if "refused" not in task]
        reports = [size["report"] for task in done for size in task["sizes"] if "report" in size]
        outputs = [output for report in reports for output in report["outputs"]]
        compared = [output for output in outputs if output.get("recorded") is not None]
        ratios = [float(output["recorded"]) / float(output["tolerance"]) for output in compared if float(output["tolerance"]) > 0]
        full = [task for task in done if task["sizes"][-1]["size"] == "full"]
        calls = [task["sizes"][0]["nodes"] for task in done]
        seconds = [task["seconds"] for task in done]
        exact = [report["seconds_64"] for report in reports]
        row = [level, len(tasks), len(done), len(reports), f"{len(compared)} of {len(outputs)}", f"{max(ratios, default=0):.2f}",
               len(full), sum("unreproduced" not in task or not task["unreproduced"] for task in full),
               sum(bool(task["flags"]) for task in done), sum(len(task["rejected"]) for task in done),
               f"{median(calls):.0f} ({max(calls, default=0)})", f"{median(seconds):.1f} s ({max(seconds, default=0):.0f} s)",
               f"{median(exact) * 1000:.2g} ms ({max(exact, default=0):.1f} s)",
               bytes_words(max((report["peak_bytes"] for report in reports), default=0))]
        print("| " + " | ".join(map(str, row)) + " |")
    print()
    for line in lines:
        name = "/".join(line["task"].split("/")[-2:])
        if "refused" in line:
            print(f"- {name}: refused: {line['refused']}")
            continue
        for kind in ("flags", "rejected"):
            for sentence in line[kind]:
                print(f"- {name}: {kind}: {sentence}")
        if line["no_full"]:
            print(f"- {name}: no full size: {line['no_full']}")


def made(tasks, funnel):
    print("| " + " | ".join(["layers", "tasks", "calls, median", "modelled, median (range)", "fp64 at the base, median"]) + " |")
    print("|" + "---|" * 5)
    layers = collections.defaultdict(list)
    for task in tasks:
        layers[task["layers"]].append(task)
    for count, some in sorted(layers.items()):
        modelled = [1000 * task["modelled_seconds"] for task in some]
        print(f"| {count} | {len(some)} | {median([task['sizes'][0]['nodes'] for task in some]):.0f} "
              f"| {median(modelled):.1f} ms ({min(modelled):.1f} to {max(modelled):.1f}) "
              f"| {1000 * median([task['sizes'][0]['report']['seconds_64'] for task in some]):.2g} ms |")
    print()
    print(json.dumps(funnel, indent=1))


def main():
    for file in sys.argv[1:]:
        lines = [json.loads(line) for line in open(file)]
        funnel = [line["funnel"] for line in lines if "funnel" in line]
        if funnel:
            made([line for line in lines if "sizes" in line], funnel[0])
        else:
            imports([line for line in lines if "task" in line])


main()
