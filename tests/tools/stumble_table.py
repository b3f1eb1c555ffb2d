#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Machines that stumble: stumble_table.py --bin build/dev/bin [--quick]

Commands under a limit of file sizes (`ulimit -f`) and of address space (`ulimit -v`), processes of a run whose port is taken
by somebody else or that are there twice, lines of a journal whose times are no times, many trainings that begin at once, an
index that is rebuilt beside a busy one. Every command has to end by itself, as declared: with one sentence that names what is the
matter, and without the limit it has to go on from the last good checkpoint to the weights of a run that nothing happened to. Prints a
table; the status is 1 where a row does not hold.
"""
import argparse
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

import patience
import probe

ROOT = pathlib.Path(__file__).resolve().parents[2]
SFT = dict(probe.SFT, **{"judge.seed": 7, "system.every": 0, "eval.samples": 2})
PATIENCE = 600


class Table:
    def __init__(self, options, folder):
        self.programs, self.folder, self.quick = probe.Programs(options.bin), folder, options.quick
        self.project = folder / "p"
        self.failures = 0
        self.programs.make_project(self.project)
        self.reference = self.project / "runs/reference"
        done = self.train(self.reference)
        assert done.code == 0, done.text

    def row(self, what, good, found):
        self.failures += not good
        print(f"| {what} | {' '.join(str(found).replace(str(self.folder), '').split())[:300]} | {'' if good else '**NOT AS DECLARED**'} |", flush=True)

    def limited(self, limit, words):
        """A command below a limit of the shell."""
        return self.programs.run([*map(str, words)], timeout=PATIENCE, prefix=["bash", "-c", f'{limit}; exec "$0" "$@"'], cwd=self.folder)

    def words(self, run, **settings):
        return ["--quiet", "train", "quickstart-sft", "--project", self.project, "--run", run, *probe.assignments(dict(SFT, **settings))]

    def train(self, run, **settings):
        return self.programs.run([str(word) for word in self.words(run, **settings)], timeout=PATIENCE)

    def weights(self, run):
        last = sorted(path for path in (run / "checkpoints").glob("step-*") if (path / "DONE").exists())[-1]
        return last.name, {str(path.relative_to(last)): probe.sha256(path) for path in last.rglob("model.safetensors")}

    def whole(self, run):
        """No complete checkpoint is damaged."""
        return all(probe.checkpoint_fault(path) == "" for path in (run / "checkpoints").glob("step-*") if (path / "DONE").exists())

    def sentence(self, outcome, pattern):
        """Status 1 and one sentence that names what is the matter; what else is said are warnings."""
        said = [line for line in outcome.sentences() if not line.startswith("warning:")]
        return outcome.code == 1 and any(re.search(pattern, line) for line in said), f"exit {outcome.code}: {' / '.join(said[:3])}"


def file_sizes(table):
    folder = table.folder
    matrix = folder / "m.mtx"
    generator = random.Random(1)
    entries = sorted({(generator.randrange(3000) + 1, generator.randrange(3000) + 1) for _ in range(30000)})
    matrix.write_text("%%MatrixMarket matrix coordinate real general\n" + f"3000 3000 {len(entries)}\n" +
                      "".join(f"{row} {column} {generator.uniform(-1, 1)}\n" for row, column in entries))
    kept = folder / "kept"
    programs = folder / "programs"
    made = table.programs.run(["corpus", "sample", "--task", "spmv", "-n", "1", "--out", str(programs)])
    assert made.code == 0, made.text
    program = next(programs.glob("*.cu"))
    commands = {
        "import into a project": ["import", matrix, "--project", folder / "q%"],
        "pack": ["pack", matrix, "--out", folder / "p%.pack"],
        "project new": ["project", "new", folder / "n%"],
        "project reindex": ["project", "reindex", table.project],
        "runs": ["runs", "--project", table.project],
        "corpus sample": ["corpus", "sample", "--task", "spmv", "-n", "40", "--out", folder / "c%"],
        "policy import": ["policy", "import", ROOT / "tests/policy/fixtures/codet5/tied", "--out", folder / "h%"],
        "evaluate": ["evaluate", "--policy", table.reference, "--matrices", "stencil2d(n=8)", "-n", "2", "-k", "1", "--run", folder / "e%"],
        "generate": ["generate", "--policy", table.reference, "--matrix", "stencil2d(n=8)", "-n", "2", "--out", folder / "g%"],
        "export": ["export", "--program", program, "--matrix", "stencil2d(n=8)", "--unverified", "--out", folder / "x%"],
    }
    number = 0
    for name, words in commands.items():
        for kib in (0, 8) if table.quick else (0, 1, 8, 64):
            number += 1
            filled = [str(word).replace("%", str(number)) for word in words]
            if name == "import into a project":
                table.programs.run(["project", "new", filled[-1]])
            if name in ("project reindex", "runs"):
                shutil.rmtree(kept, ignore_errors=True)
                for file in table.project.glob("project.sqlite*"):
                    file.unlink()
            under = table.limited(f"ulimit -f {kib}", filled)
            free = table.programs.run(filled, timeout=PATIENCE)
            good = under.code is not None and under.code >= 0 and \
                (under.code == 0 or (under.code == 1 and bool(re.search("File too large|disk|ulimit", under.text)))) and under.code != 2
            if name in ("project reindex", "runs", "import into a project"):
                good = good and free.code == 0
            table.row(f"{name}, ulimit -f {kib}", good, f"exit {under.code}, then {free.code}: " +
                      (under.sentences() or ["-"])[-1])
    for kib in (0, 4, 30) if table.quick else (0, 1, 4, 16, 30, 60, 120):
        run = table.project / f"runs/f{kib}"
        under = table.limited(f"ulimit -f {kib}", table.words(run))
        whole, ended = table.whole(run), under.code in (0, 1) and (under.code == 0 or "File too large" in under.text)
        again = table.train(run) if not (run / "run.toml").exists() else table.programs.run(["--quiet", "train", "--run", str(run)], timeout=PATIENCE)
        equal = again.code == 0 and table.weights(run) == table.weights(table.reference)
        table.row(f"train, ulimit -f {kib}", ended and whole and equal, f"exit {under.code}, then {again.code}: " + (under.sentences() or ["-"])[-1] +
                  ("" if equal else again.text[-200:]))


def address_space(table):
    for mib in (700, 4300, 4700) if table.quick else (300, 700, 1500, 2600, 4000, 4200, 4300, 4400, 4500, 4700, 5000, 5500, 6000, 8000):
        run = table.project / f"runs/v{mib}"
        under = table.limited(f"ulimit -v {mib * 1024}", table.words(run))
        whole = table.whole(run)
        ended = under.code == 0 or (under.code == 1 and bool(re.search("memory|ulimit -v|address space", under.text)) and len(under.sentences()) <= 3)
        again = table.train(run) if not (run / "run.toml").exists() else table.programs.run(["--quiet", "train", "--run", str(run)], timeout=PATIENCE)
        equal = again.code == 0 and table.weights(run) == table.weights(table.reference)
        table.row(f"train, ulimit -v {mib} MiB", ended and whole and equal, f"exit {under.code}, then {again.code}: " + (under.sentences() or ["-"])[-1])


class Listener:
    """A program that has a port, and does with connections what it likes."""

    def __init__(self, what):
        self.socket = socket.socket()
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen(8)
        self.port, self.what, self.kept = self.socket.getsockname()[1], what, []
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                peer, _ = self.socket.accept()
            except OSError:
                return
            self.kept.append(peer)
            if self.what == "closes":
                peer.close()
            elif self.what == "talks":
                peer.sendall(b"SSH-2.0-OpenSSH_9.2\r\n" * 50)


def port():
    """One that nobody listens at, of those that the system gives nobody by itself (they begin at 32,768)."""
    while True:
        number = random.SystemRandom().randrange(10_000, 30_000)
        with socket.socket() as probing:
            try:
                probing.bind(("127.0.0.1", number))
                return number
            except OSError:
                continue


def processes(table):
    def rank(number, at, run, size=2, seconds=6, more=()):
        environment = {"RANK": str(number), "WORLD_SIZE": str(size), "LOCAL_RANK": str(number), "LOCAL_WORLD_SIZE": str(size),
                       "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(at)}
        words = [*map(str, table.words(run)), "--join-seconds", str(seconds), *more]
        return table.programs.start(words, environment=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def end(process, seconds=90):
        try:
            return patience.communicate(process, patience.patience(seconds))[0], process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return process.communicate()[0] + " STILL WAITING", None

    for what in ("is silent", "talks", "closes"):
        listener = Listener(what)
        said, code = end(rank(1, listener.port, table.project / "runs/l"))
        good = code == 1 and f"127.0.0.1:{listener.port}" in said and "rocess 1" in said
        table.row(f"a foreign program has the port and {what}", good, f"exit {code}: {said.strip().splitlines()[-1] if said.strip() else '-'}")
        said, code = end(rank(0, listener.port, table.project / "runs/l0"))
        table.row(f"the same, for process 0 ({what})", code == 1 and f"port {listener.port}" in said, f"exit {code}: {said.strip()[-200:]}")
        listener.socket.close()
    at, run = port(), table.project / "runs/doubled"
    group = [rank(0, at, run, size=3, seconds=40), rank(1, at, run, size=3, seconds=40), rank(1, at, run, size=3, seconds=40)]
    time.sleep(1)
    ends = [end(process, 120) for process in (group[1], group[2])]
    good = any(code == 1 and "another process with rank 1 of this run has already connected to 127.0.0.1" in said for said, code in ends)
    said, code = end(group[0], 120)
    good = good and code == 1 and "did not come to" in said and said.rstrip().split(":")[-1].count("2") > 0
    table.row("a rank that is there twice", good, " / ".join(said.strip().splitlines()[-1] for said, _ in ends if said.strip()) + " / " + said.strip()[-160:])
    at = port()
    first = rank(0, at, table.project / "runs/one", seconds=25)
    time.sleep(0.5)
    second = rank(1, at, table.project / "runs/other", seconds=25)
    said, code = end(second)
    first_said, first_code = end(first)
    table.row("a process of another run comes to the port", code == 1 and "are of another run than process 1" in said and first_code == 1 and
              "did not come" in first_said, f"exit {code}: {said.strip()[-200:]}")
    together = table.programs.run([*map(str, table.words(table.project / "runs/both")), "--nproc", "2"], timeout=PATIENCE)
    table.row("two processes of one command", together.code == 0, f"exit {together.code} {together.text[-200:]}")


TIMES = ['"nan"', '"inf"', '"-inf"', "1e400", "-1e400", '"x"', "null", "true", "[]", "{}", "-5", "0", "1e300", '"1e400"', "9" * 400, None]


def journal_times(table):
    run = table.project / "runs/times"
    shutil.copytree(table.reference, run)
    journal = run / "journal.jsonl"
    lines = journal.read_text().splitlines()
    generator = random.Random(3)
    for value in TIMES:
        changed = list(lines)
        for at in generator.sample(range(len(lines)), 3):
            entry = re.sub(r'"t":[-+0-9.eE]+', f'"t":{value}' if value is not None else '"u":0', changed[at], count=1)
            assert entry != changed[at], changed[at]
            changed[at] = entry
        journal.write_text("\n".join(changed) + "\n")
        indexed = table.programs.run(["project", "reindex", str(table.project)], timeout=PATIENCE)
        listed = table.programs.run(["runs", "--project", str(table.project)], timeout=PATIENCE)
        counts = probe.counts_of_index(table.project, table.reference)
        good = indexed.code == 0 and listed.code == 0 and counts == probe.counts_of_journal(table.reference) and "reference" in listed.out and \
            "times" in listed.out and not re.search(r"\bnan\b|\binf\b", listed.out)
        table.row(f"a journal's t is {(value or 'missing')[:12]}", good, f"reindex {indexed.code}, runs {listed.code} " + " ".join((indexed.sentences() + listed.sentences())[:2]))
    shuffled = list(lines)
    generator.shuffle(shuffled)
    journal.write_text("\n".join(shuffled) + "\n")
    indexed = table.programs.run(["project", "reindex", str(table.project)], timeout=PATIENCE)
    listed = table.programs.run(["runs", "--project", str(table.project)], timeout=PATIENCE)
    table.row("a journal's lines are in any order", indexed.code == 0 and listed.code == 0 and
              probe.counts_of_index(table.project, table.reference) == probe.counts_of_journal(table.reference), f"reindex {indexed.code}, runs {listed.code}")
    shutil.rmtree(run)


def at_once(table):
    project = table.folder / "eight"
    table.programs.make_project(project)
    words = ["--quiet", "train", "quickstart-sft", "--project", str(project), *probe.assignments(dict(SFT, **{"sft.steps": 2}))]
    begun = [table.programs.start(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for _ in range(8)]
    ends = [(patience.communicate(process, patience.patience(PATIENCE))[0], process.returncode) for process in begun]
    runs = sorted(path.name for path in (project / "runs").glob("0*"))
    table.row("eight trainings at once", all(code == 0 for _, code in ends) and len(runs) == 8, f"{[code for _, code in ends]} {len(runs)} runs " +
              " ".join(said.strip()[-100:] for said, code in ends if code))


def beside_a_window(table):
    environment = {"QT_QPA_PLATFORM": "offscreen", "XDG_CONFIG_HOME": str(table.folder / "config")}
    log = open(table.folder / "window.log", "wb")
    window = table.programs.start([str(table.project)], name="sparserl-workbench", environment=environment, stdout=log, stderr=log)
    worker = table.programs.start([str(word) for word in table.words(table.project / "runs/busy", **{"sft.steps": 60})], stdout=log, stderr=log)
    try:
        codes, said = [], []
        for _ in range(3 if table.quick else 10):
            done = table.programs.run(["project", "reindex", str(table.project)], timeout=PATIENCE)
            codes.append(done.code)
            said += done.sentences()
        worker.wait(patience.patience(PATIENCE))
        wanted, end = None, time.monotonic() + patience.patience(60)
        while time.monotonic() < end:
            try:
                wanted = {run.name: (probe.counts_of_index(table.project, run), probe.counts_of_journal(run))
                          for run in (table.project / "runs").iterdir() if (run / "journal.jsonl").exists()}
                if all(index == journal for index, journal in wanted.values()):
                    break
            except sqlite3.Error:
                pass
            time.sleep(0.5)
        good = all(code == 0 for code in codes) and wanted and all(index == journal for index, journal in wanted.values()) and window.poll() is None
        wrong = [name for name, (index, journal) in (wanted or {}).items() if index != journal]
        table.row("reindex beside a window and a worker", good, f"{codes}, the index has what the journals have but {wrong or 'nothing'} " + " ".join(said[:2]))
    finally:
        for process in (window, worker):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
                process.wait(patience.patience(60))


def roots_of_runners(table):
    def left():
        return {path.name for path in pathlib.Path("/tmp").glob("sparserl-root-*")}
    before = left()
    for _ in range(3 if table.quick else 30):
        process = table.programs.start(["corpus", "check", "--task", "spmv", "-n", "3", "--inputs", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0.05, 0.6))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    table.programs.run(["corpus", "check", "--task", "spmv", "-n", "1", "--inputs", "1"], timeout=PATIENCE)
    end = time.monotonic() + patience.patience(60)  # runners of others come and go
    while not left() <= before and time.monotonic() < end:
        time.sleep(0.1)
    table.row("runners that are killed while they begin", left() <= before, f"left: {sorted(left() - before)}")


PARTS = {"files": file_sizes, "memory": address_space, "processes": processes, "times": journal_times, "eight": at_once, "window": beside_a_window,
         "roots": roots_of_runners}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--parts", default=",".join(PARTS), help="some of " + ", ".join(PARTS))
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="stumble-"))
    table = Table(options, folder)
    print("| what happens | how it ends | |\n|---|---|---|")
    for part in options.parts.split(","):
        PARTS[part](table)
    if table.failures == 0:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{table.failures} not as declared")
    sys.exit(0 if table.failures == 0 else 1)


if __name__ == "__main__":
    main()
