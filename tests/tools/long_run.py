#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A run with a journal of ten million points: read whole, indexed, interrupted, shown in a window, exported.

    long_run.py --bin build/release/bin [--points 10000000] [--keep FOLDER]

A real run of SFT gets so many points of metrics into its journal, ten a step, before the line of its best program and its
end: what reads only the beginning finds neither. Prints a table, and ends with 1 where anything is not as it must be:
- `project reindex` counts what the journal has, interrupted at random moments and repeated too; what was interrupted left the index as it was;
- `runs RUN` says the last values; `export` finds the program behind the points;
- a window builds the index by itself, uses less than 1 % of a core when it is idle, and counts the same.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import probe

A_STEP = 10


class Trial:
    def __init__(self, options, folder):
        self.programs = probe.Programs(options.bin)
        self.project, self.points = folder / "p", options.points
        self.run = self.project / "runs" / "long"
        self.failures = 0

    def row(self, what, good, found, seconds=None):
        self.failures += not good
        print(f"{what:<58}{'' if seconds is None else f'{seconds:8.1f} s':>11}  {found}{'' if good else '   FAILED'}", flush=True)

    def command(self, *words, timeout=900):
        return self.programs.run(["--quiet", *map(str, words)], timeout=timeout)

    def make(self):
        self.programs.make_project(self.project)
        made = self.command("train", "quickstart-sft", "--run", self.run, *probe.assignments(probe.SFT))
        assert made.code == 0, made.text
        journal = self.run / "journal.jsonl"
        entries = [json.loads(line) for line in journal.read_text().splitlines()]
        # Any verdict will do, but its program must be the last that the journal tells of.
        at = max(i for i, entry in enumerate(entries) if entry["kind"] == "verdict" and entry["record"]["verdict"] == "correct")
        self.program, self.matrix = entries[at]["record"]["program"], entries[at]["record"]["matrix_name"]
        last = entries.pop(at)
        generator = random.Random(1)
        with open(journal, "w", encoding="utf-8") as file:
            for entry in entries[:at]:
                file.write(json.dumps(entry, separators=(",", ":")) + "\n")
            seq, t, gen = entries[at - 1]["seq"], entries[at - 1]["t"], entries[at - 1]["gen"]
            for step in range(1, self.points // A_STEP + 1):
                seq += 1
                values = ",".join(f'"long/metric_{i}":{generator.random():.6f}' for i in range(A_STEP))
                file.write(f'{{"gen":{gen},"kind":"metric","seq":{seq},"split":"long","step":{step},"t":{t},"values":{{{values}}}}}\n')
            for entry in [last, *entries[at:]]:
                seq += 1
                file.write(json.dumps(dict(entry, seq=seq), separators=(",", ":")) + "\n")
        self.last_values = json.loads("{" + values + "}")
        self.row("journal", True, f"{self.points:,} points, {journal.stat().st_size / 1e6:.0f} MB")
        shutil.copy(journal, self.run.parent.parent / "journal.copy")

    def counts(self):
        try:
            base = sqlite3.connect(f"file:{self.project / 'project.sqlite'}?mode=ro", uri=True, timeout=10)
        except sqlite3.Error:
            return 0, 0
        try:
            points = base.execute("SELECT count(*) FROM metric WHERE split='long'").fetchone()[0]
            return points, base.execute("SELECT count(*) FROM metric").fetchone()[0]
        except sqlite3.Error:
            return 0, 0
        finally:
            base.close()

    def reindex(self):
        done = self.command("project", "reindex", self.project, "--json")
        points, self.all = self.counts()
        self.row("reindex", done.code == 0 and points == self.points, f"{points:,} points", done.seconds)
        whole = done.seconds
        for number in range(3):
            process = self.programs.start(["--quiet", "project", "reindex", str(self.project)], stdout=subprocess.DEVNULL,
                                          stderr=subprocess.DEVNULL)
            time.sleep(random.Random(number).uniform(0.1, 0.9) * whole)
            begin = time.monotonic()
            process.send_signal(signal.SIGINT)
            code = process.wait(60)
            took = time.monotonic() - begin
            self.row(f"reindex, Ctrl-C ({number + 1})", code in (0, 130) and took < 4 and self.counts() == (self.points, self.all),
                     f"status {code}, the index is whole", took)
        done = self.command("project", "reindex", self.project)
        self.row("reindex again", done.code == 0 and self.counts() == (self.points, self.all), f"{self.counts()[0]:,} points", done.seconds)

    def commands(self):
        done = self.command("runs", self.run, "--json")
        said = done.out.find(str(self.last_values["long/metric_9"])) >= 0
        self.row("runs RUN", done.code == 0 and said, "the last values", done.seconds)
        out = self.project.parent / "bundle"
        done = self.command("export", "--run", self.run, "--program", self.program, "--matrix", self.matrix, "--out", out)
        self.row("export of the program behind the points", done.code == 0 and (out / "manifest.json").exists(),
                 done.text.strip()[-200:] if done.code else "written", done.seconds)

    def cpu(self, pid):
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def window(self):
        (self.project / "project.sqlite").unlink()
        begin = time.monotonic()
        window = self.programs.start([str(self.project)], name="sparserl-workbench", stderr=subprocess.DEVNULL)
        try:
            self.watch(window, begin)
        finally:
            window.kill()
        same = (self.run / "journal.jsonl").read_bytes() == (self.project / "journal.copy").read_bytes()
        self.row("journal", same, "is what it was")

    def watch(self, window, begin):
        while time.monotonic() - begin < 600 and window.poll() is None and self.counts()[1] != self.all:
            time.sleep(0.5)
        self.row("window: index that was deleted", self.counts() == (self.points, self.all), f"{self.counts()[0]:,} points",
                 time.monotonic() - begin)
        time.sleep(10)
        before, begin = self.cpu(window.pid), time.monotonic()
        time.sleep(60)
        share = (self.cpu(window.pid) - before) / (time.monotonic() - begin)
        size = int(pathlib.Path(f"/proc/{window.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
        self.row("window: idle for a minute", share < 0.01, f"{100 * share:.2f} % of a core, {size:.0f} MiB")
        window.send_signal(signal.SIGTERM)
        self.row("window: closed", window.wait(20) is not None, "by a signal")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--points", type=int, default=10_000_000)
    parser.add_argument("--keep", type=pathlib.Path, help="make the project in this new folder and keep it")
    options = parser.parse_args()
    folder = options.keep or pathlib.Path(tempfile.mkdtemp(prefix="long-run-"))
    folder.mkdir(exist_ok=True)
    try:
        trial = Trial(options, folder)
        trial.make()
        trial.reindex()
        trial.commands()
        trial.window()
    finally:
        if not options.keep:
            shutil.rmtree(folder, ignore_errors=True)
    return 1 if trial.failures else 0


if __name__ == "__main__":
    sys.exit(main())
