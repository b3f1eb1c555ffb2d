# SPDX-License-Identifier: Apache-2.0
"""What the tools that mistreat projects share: small projects, runs of the real programs, and looks at what they left."""
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import time

import patience

# A policy too small to learn anything: what counts is that every stage does all of its work.
SFT = {
    "threads": 1, "policy.d_model": 16, "policy.d_ff": 16, "policy.heads": 2, "policy.encoder_layers": 1,
    "policy.decoder_layers": 1, "tokenizer.vocabulary": 700, "sft.steps": 12, "sft.batch": 4,
    "sft.programs_per_matrix": 4, "sft.heldout_programs": 2, "eval.every": 8, "checkpoint.every": 4,
    "checkpoint.keep": 9, "policy.max_tokens": 250, "sft.variety": 0}
RL = {"threads": 1, "rl.iterations": 6, "rl.matrices": 1, "rl.samples": 3, "eval.every": 4, "checkpoint.every": 2,
      "checkpoint.keep": 9}

MATRICES = """
[[matrix]]
name = 'grid'
generator = 'stencil2d(n=8)'
split = 'train'

[[matrix]]
name = 'held'
generator = 'banded(n=70,band=3)'
split = 'held-out'
"""


def assignments(values):
    words = []
    for key, value in values.items():
        words += ["--set", f"{key}={value}"]
    return words


@dataclasses.dataclass
class Outcome:
    """What a command did; code is negative for a signal, None where it had to be killed after its time."""
    words: list
    code: int
    out: str
    err: str
    seconds: float

    @property
    def text(self):
        return self.out + self.err

    def sentences(self):
        """What it said on stderr, without the lines of progress, of times and of what suits a project, and its warnings on stdout."""
        lines = re.split(r"[\r\n]+", self.err)
        noise = re.compile(r"^sparserl: suggestion: |^\s*$|^\s*\d+ % |^\d{4}-\d\d-\d\dT|^\x1b")
        return [line.strip() for line in lines if not noise.match(line)] + \
            [line.strip() for line in self.out.splitlines() if line.startswith("warning:")]


class Programs:
    """The programs of a build, run with an environment of their own."""

    def __init__(self, folder, environment=None):
        self.folder = pathlib.Path(folder).resolve()
        self.environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", LC_ALL="C.UTF-8", OMP_NUM_THREADS="1",
                                SPARSERL_TRUST="all")
        self.environment.update(environment or {})

    def path(self, name="sparserl"):
        return str(self.folder / name)

    def start(self, words, name="sparserl", prefix=(), environment=None, **more):
        """A process in a group of its own, so that its children can be found."""
        return subprocess.Popen([*prefix, self.path(name), *words], stdin=subprocess.DEVNULL, start_new_session=True,
                                env=dict(self.environment, **(environment or {})), **more)

    def run(self, words, timeout=60, **more):
        """What a command did. It may take `timeout` seconds on a machine that does nothing else (patience.py)."""
        timeout = patience.patience(timeout)
        begin = time.monotonic()
        process = self.start(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        try:
            out, err = patience.communicate(process, timeout)
            code = process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            code = None
        return Outcome(list(words), code, out.decode(errors="replace"), err.decode(errors="replace"),
                       time.monotonic() - begin)

    def make_project(self, folder, matrices=MATRICES):
        made = self.run(["project", "new", str(folder)])
        assert made.code == 0, made.text
        with open(folder / "project.toml", "a") as file:
            file.write(matrices)


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def is_plain(path):
    return path.is_file() and not path.is_symlink()


def tree(folder):
    """{relative path: SHA-256} of the plain files below a folder."""
    return {str(path.relative_to(folder)): sha256(path) for path in sorted(folder.rglob("*")) if is_plain(path)}


def complete_lines(path):
    """[(byte offset behind the line, entry)] of the readable lines of a journal that are complete."""
    entries = []
    at = 0
    for line in path.read_bytes().split(b"\n")[:-1]:
        at += len(line) + 1
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and isinstance(entry.get("seq"), int) and isinstance(entry.get("kind"), str):
            entries.append((at, entry))
    return entries


def entries_of(run):
    path = run / "journal.jsonl"
    return [entry for _, entry in complete_lines(path)] if is_plain(path) else []


def last_state(run):
    states = [entry.get("state") for entry in entries_of(run) if entry["kind"] == "state"]
    return states[-1] if states else None


def counts_of_journal(run):
    """What an index must have of a run: distinct points, samples and checkpoints, whatever stands there twice."""
    metrics, samples, checkpoints = set(), set(), set()
    for entry in entries_of(run):
        if entry["kind"] == "metric":
            metrics |= {(name, entry.get("split", "train"), entry["step"]) for name in entry.get("values", {})}
        elif entry["kind"] == "sample":
            samples.add(entry["seq"])
        elif entry["kind"] == "checkpoint":
            checkpoints.add(entry.get("name"))
    return {"metric": len(metrics), "sample": len(samples), "samples": len(samples), "checkpoint": len(checkpoints)}


def counts_of_index(project, run):
    """The same from the index; None where it does not know the run."""
    base = sqlite3.connect(f"file:{project / 'project.sqlite'}?mode=ro", uri=True, timeout=10)
    try:
        row = base.execute("SELECT id, samples FROM run WHERE name=?", (run.name,)).fetchone()
        if row is None:
            return None
        counts = {table: base.execute(f"SELECT count(*) FROM {table} WHERE run=?", (row[0],)).fetchone()[0]
                  for table in ("metric", "sample", "checkpoint")}
        return dict(counts, samples=row[1])
    finally:
        base.close()


def integrity(project):
    base = sqlite3.connect(f"file:{project / 'project.sqlite'}?mode=ro", uri=True, timeout=10)
    try:
        return base.execute("PRAGMA integrity_check").fetchone()[0]
    finally:
        base.close()


def doubled_steps(run):
    """Metrics of one name, split and step that the journal has twice."""
    seen, twice = set(), []
    for entry in entries_of(run):
        if entry["kind"] == "metric":
            for name in entry.get("values", {}):
                key = (name, entry.get("split", "train"), entry["step"])
                if key in seen:
                    twice.append(key)
                seen.add(key)
    return twice


def checkpoint_fault(folder):
    """What is wrong with a complete checkpoint, by its own checksums; empty: nothing."""
    try:
        text = (folder / "checkpoint.json").read_bytes()
        if (folder / "DONE").read_text() != f"sha256 {hashlib.sha256(text).hexdigest()}\n":
            return "DONE is not that of checkpoint.json"
        for name, wanted in json.loads(text)["files"].items():
            data = (folder / name).read_bytes()
            if len(data) != wanted["bytes"] or hashlib.sha256(data).hexdigest() != wanted["sha256"]:
                return f"{name} is not what checkpoint.json says"
    except (OSError, ValueError, KeyError) as error:
        return f"{type(error).__name__}: {error}"
    return ""
