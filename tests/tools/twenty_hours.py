#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two projects at once live through what happens to projects: trainings, kills, full disks, moved folders, set clocks, windows.

    twenty_hours.py --bin build/dev/bin --libraries build/dev/tests --events 500 --seed 1

Each event is drawn at random, and after each everything that must hold is looked at:
- a journal that was once seen goes on, or what was taken from it is set aside, and never anything up to a complete checkpoint;
- no step stands in a journal twice, numbers ascend, and what the index counts is what the journals have;
- SQLite finds nothing wrong with the index;
- every checkpoint is complete, and one that was seen complete never goes or changes;
- nothing half-written is left once the next start has gone by, and no process;
- exit statuses are those of the manual.
In the end every run is resumed to its end: no step may be missing, and the policies must be those, bit for bit, of runs that
nothing happened to. The memory of a window that is open all the time, and the peak of every worker, are measured.

Prints a table and ends with 1 where anything failed; then the projects are kept, and seed and number of the event say how to
come back to it (the moments of kills are drawn too, but the machine's speed decides what they hit).
"""
import argparse
import collections
import json
import os
import pathlib
import random
import re
import secrets
import shutil
import signal
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import uuid

import patience
import probe

STEPS = 40
SFT = dict(probe.SFT, **{"sft.steps": STEPS, "checkpoint.every": 5, "eval.every": 20, "checkpoint.keep": 60})
RL = dict(probe.RL, **{"rl.iterations": 8, "checkpoint.keep": 60})
WEIGHTS = "model.safetensors"
MOST_MORE = 40  # MiB that a window open for hundreds of events may hold more than a new one: caches of pictures and pages


class Process:
    """One that lives on between events. What it says goes to a file, so that no pipe fills."""

    def __init__(self, programs, words, log, name="sparserl", environment=None):
        self.words, self.log = words, log
        with open(log, "wb") as file:
            self.process = programs.start(words, name=name, environment=environment, stdout=file, stderr=subprocess.STDOUT)
        self.code = None
        self.peak = 0  # KiB
        self.allowed = {0}
        self.began = time.monotonic()

    def poll(self):
        if self.code is None:
            pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if pid != 0:
                self.code = self.process.returncode = os.waitstatus_to_exitcode(status)
                self.peak = usage.ru_maxrss
        return self.code

    def wait(self, seconds):
        """Its end, for so many seconds of a machine that does nothing else (patience.py)."""
        end = time.monotonic() + patience.patience(seconds)
        while self.poll() is None and time.monotonic() < end:
            time.sleep(0.02)
        return self.code

    def send(self, number):
        if self.poll() is None:
            os.kill(self.process.pid, number)

    def said(self):
        return self.log.read_text(errors="replace")

    def memory(self):
        """MiB that are resident."""
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024


class Record:
    """A run as it was last seen."""

    def __init__(self, kind, parent=None):
        self.kind, self.parent = kind, parent
        self.journal = b""
        self.checkpoints = {}  # name: {file: SHA-256}
        self.stamps = {}


class Home:
    """One of the two projects, and what is known of it."""

    def __init__(self, path, number):
        self.path, self.number = path, number
        self.runs = {}
        self.worker = None
        self.worker_run = None
        self.window = None
        self.shift = 0
        self.count = 0
        self.matrices = 2
        self.pure = number == 1  # no matrices come: runs must end like the reference
        self.filler = None

    def run_path(self, name):
        return self.path / "runs" / name

    def busy(self):
        return self.worker is not None and self.worker.poll() is None


class Failure(Exception):
    pass


def require(good, text):
    if not good:
        raise Failure(text)


class Life:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.random = random.Random(options.seed)
        self.token = uuid.uuid4().hex
        libraries = pathlib.Path(options.libraries).resolve()
        self.fault_library = next(libraries.glob("libfault_files.so"))
        self.clock_library = next(libraries.glob("libshift_clock.so"))
        settings = folder / "settings"
        settings.mkdir()
        self.programs = probe.Programs(options.bin, {"SPARSERL_TEST_TOKEN": self.token, "XDG_CONFIG_HOME": str(settings)})
        self.has_window = pathlib.Path(self.programs.path("sparserl-workbench")).exists()
        self.logs = folder / "logs"
        self.logs.mkdir()
        self.homes = []
        self.events = collections.Counter()
        self.failures = collections.Counter()
        self.sentences = []
        self.window_memory = []  # (event, MiB)
        self.fresh_memory = 0    # MiB of a window that was opened at the end
        self.worker_peaks = collections.defaultdict(list)
        self.event = 0
        self.mounted = None
        self.checks_checked = 0
        self.patience = 60 * options.slow
        self.stray_seconds = 30  # In which what is left over may still end.

    # ---- beginning and end

    def begin(self):
        reference = self.folder / "reference"
        self.programs.make_project(reference)
        begin = time.monotonic()
        done = self.programs.run(self.words_of("sft", reference / "runs" / "sft", reference), timeout=self.patience)
        require(done.code == 0, done.text)
        self.typical = time.monotonic() - begin
        done = self.programs.run(self.words_of("rl", reference / "runs" / "rl", reference, reference / "runs" / "sft"),
                                 timeout=self.patience)
        require(done.code == 0, done.text)
        last = {"sft": f"step-{STEPS:06}", "rl": f"step-{RL['rl.iterations']:06}"}
        self.reference = {kind: probe.sha256(reference / "runs" / kind / "checkpoints" / last[kind] / WEIGHTS) for kind in last}
        self.last = last
        place = self.folder / "disk"
        place.mkdir()
        if os.geteuid() == 0 and subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600m", "twenty_hours", str(place)],
                                                stderr=subprocess.DEVNULL).returncode == 0:
            self.mounted = place
        for number in range(2):
            home = Home(place / f"project-{number}", number)
            self.programs.make_project(home.path)
            self.homes.append(home)

    def end(self):
        for home in self.homes:
            for process in (home.worker, home.window):
                if process is not None:
                    process.send(signal.SIGKILL)
                    process.wait(60)
        for pid in self.alive():
            os.kill(pid, signal.SIGKILL)
        if self.mounted:
            subprocess.run(["umount", "-l", str(self.mounted)], check=False)

    def save_from_disk(self):
        """What a failure left must survive the unmounting."""
        if self.mounted:
            kept = self.folder / "kept"
            shutil.copytree(self.mounted, kept, symlinks=True, dirs_exist_ok=True)

    # ---- commands

    def words_of(self, kind, run, project, parent=None):
        words = ["--quiet", "train", f"quickstart-{'sft' if kind == 'sft' else 'ppo'}", "--run", str(run), "--project", str(project)]
        if parent:
            words += ["--parent", str(parent)]
        return words + probe.assignments(SFT if kind == "sft" else RL)

    def environment(self, home):
        return {"LD_PRELOAD": str(self.clock_library), "SPARSERL_CLOCK_SHIFT": str(home.shift)} if home.shift else {}

    def call(self, home, words, codes=(0,), environment=None):
        done = self.programs.run(words, timeout=self.patience, environment=environment or self.environment(home))
        require(done.code in codes, f"{' '.join(words)}: ended with {done.code}: {done.text[-800:]}")
        return done

    def launch(self, home, name, words, environment=None):
        log = self.logs / f"{self.event:04}-{home.number}-{name}.log"
        home.worker = Process(self.programs, words, log, environment=environment or self.environment(home))
        home.worker_run = name

    def resume_words(self, home, name):
        if self.random.random() < 0.3:
            return ["--quiet", "worker", str(home.run_path(name))]
        return ["--quiet", "train", "--run", str(home.run_path(name))]

    def finish_worker(self, home, seconds=None):
        """Waits for the worker's end and judges how it ended. Gives its status; None: there was none."""
        worker = home.worker
        if worker is None:
            return None
        code = worker.wait(seconds or self.patience)
        if code is None:
            worker.send(signal.SIGKILL)
            worker.wait(60)
            home.worker = None
            raise Failure(f"{home.worker_run}: the worker did not end within {seconds or self.patience:.0f} s")
        home.worker = None
        self.worker_peaks["sft" if "sft" in home.worker_run else "rl"].append(worker.peak / 1024)
        said = worker.said()
        # A signal may come before the program has begun.
        early = code < 0 and -code in worker.allowed and not said
        require(code in worker.allowed or early, f"{home.worker_run}: the worker ended with {code}: {said[-800:]}")
        if code == 1:
            require(said.strip() != "", f"{home.worker_run}: failed without a word")
        return code

    def state(self, home, name):
        run = home.run_path(name)
        return probe.last_state(run) if (run / "run.toml").exists() else None

    def unfinished(self, home):
        return [name for name in home.runs if (home.run_path(name) / "run.toml").exists() and self.state(home, name) != "done"
                and self.startable(home, name)]

    def startable(self, home, name):
        parent = home.runs[name].parent
        return parent is None or home.run_path(parent).exists()

    def policies(self, home):
        return [name for name in home.runs if self.state(home, name) == "done"]

    # ---- events; each gives back whether it could take place

    def start(self, home):
        if home.busy():
            return False
        unfinished = self.unfinished(home)
        if unfinished and self.random.random() < 0.7:
            name = self.random.choice(unfinished)
            self.launch(home, name, self.resume_words(home, name))
            return True
        if len(home.runs) > 14: # a project of bounded size, so that memory can be judged
            self.run_removed(home)
        parents = [name for name in self.policies(home) if home.runs[name].kind == "sft"]
        kind = "rl" if parents and self.random.random() < 0.6 else "sft"
        home.count += 1
        name = f"{home.count:04}-{kind}"
        parent = self.random.choice(parents) if kind == "rl" else None
        home.runs[name] = Record(kind, parent)
        self.launch(home, name, self.words_of(kind, home.run_path(name), home.path, home.run_path(parent) if parent else None))
        return True

    def moment(self):
        """A random moment of a worker's life."""
        time.sleep(self.random.random() ** 1.5 * self.typical * 1.2)

    def with_worker(self, home):
        if not home.busy():
            self.finish_worker(home, 1)
            self.start(home)
        self.moment()
        return home.worker

    def kill(self, home):
        worker = self.with_worker(home)
        worker.allowed |= {-signal.SIGKILL}
        worker.send(signal.SIGKILL)
        self.finish_worker(home, 10)
        return True

    def interrupt(self, home, number):
        worker = self.with_worker(home)
        worker.allowed |= {130, number}
        worker.send(number)
        self.finish_worker(home, 3 + 10 * self.options.slow)
        return True

    def interrupted(self, home):
        return self.interrupt(home, signal.SIGINT)

    def terminated(self, home):
        return self.interrupt(home, signal.SIGTERM)

    def hung_up(self, home):
        return self.interrupt(home, signal.SIGHUP)

    def let_it_end(self, home):
        if home.worker is None:
            self.start(home)
        name = home.worker_run
        code = self.finish_worker(home)
        # A disk that was full before may have ended it with 1 already.
        require(code != 0 or self.state(home, name) == "done", f"{name}: ended with {code} and is {self.state(home, name)}")
        return True

    def control(self, home, command, **more):
        run = home.run_path(home.worker_run)
        if not (run / "run.toml").exists():
            return False
        line = json.dumps(dict({"id": uuid.UUID(int=self.random.getrandbits(128)).hex, "t": time.time() - 1e6, "command": command},
                               **more)) + "\n"
        with open(run / "control.jsonl", "a") as file:
            file.write(line)
        return True

    def commands(self, home):
        self.with_worker(home)
        name = home.worker_run
        kind = self.random.choice(["pause", "checkpoint", "stop", "set"])
        if kind == "set":
            return self.control(home, "set", key="checkpoint.keep", value=str(self.random.randint(60, 90)))
        if not self.control(home, kind):
            return False
        if kind == "pause":
            time.sleep(0.3)
            self.control(home, "resume")
        if kind == "stop":
            self.finish_worker(home)
            require(self.state(home, name) in ("paused", "done", "running", "queued"), f"{name}: stopped and {self.state(home, name)}")
        return True

    def second_worker(self, home):
        self.with_worker(home)
        name = home.worker_run
        if not (home.run_path(name) / "run.toml").exists():
            return False
        done = self.call(home, self.resume_words(home, name), codes=(0, 1))
        if done.code == 1:
            require("is working on this run already" in done.err, f"a second worker says: {done.err[-500:]}")
        elif home.busy():
            # The first had not begun when the second did: then it was the first that was refused.
            home.worker.allowed |= {1}
        else:
            home.worker.allowed |= {1}
        return True

    def list_runs(self, home):
        # While the window makes a new index, there may be none for a moment.
        self.call(home, ["--json", "runs", "--project", str(home.path)], codes=(0, 1) if self.watched(home) else (0,))
        return True

    def reindex(self, home):
        self.call(home, ["project", "reindex", str(home.path)])
        return True

    def watched(self, home):
        return home.window is not None and home.window.poll() is None

    def index_pulled_away(self, home):
        index = home.path / "project.sqlite"
        if not index.is_file():
            return False
        how = self.random.choice(["all", "file", "log", "page", "cut", "folder"])
        if how in ("all", "file"):
            index.unlink()
        if how in ("all", "log"):
            for suffix in ("-wal", "-shm"):
                pathlib.Path(f"{index}{suffix}").unlink(missing_ok=True)
        if how == "page":
            size = index.stat().st_size
            with open(index, "r+b") as file:
                file.seek(self.random.randrange(max(1, size // 4096)) * 4096)
                file.write(self.random.randbytes(4096))
        if how == "cut":
            os.truncate(index, index.stat().st_size // 2)
        if how == "folder":
            index.unlink()
            index.mkdir()
        if how in ("page", "cut"): # SQLite sees damage only where it looks
            self.call(home, ["project", "reindex", str(home.path)])
        listed = self.list_runs(home)
        if index.is_dir():  # The runs were listed without it; what a user put there stays until the user takes it away.
            index.rmdir()
        return listed

    def moved(self, home):
        """Renamed, or copied to another place and the old one removed."""
        if home.busy() or home.window is not None:
            return False
        self.finish_worker(home)
        target = home.path.parent / f"moved-{home.number}-{self.event}"
        if self.random.random() < 0.5:
            home.path.rename(target)
        else:
            shutil.copytree(home.path, target, symlinks=True)
            shutil.rmtree(home.path)
        home.path = target
        return self.list_runs(home)

    def clock_set(self, home):
        home.shift = self.random.choice([0, 3600, -3600, 86400, -86400, -10 * 365 * 86400, 10 * 365 * 86400])
        return self.list_runs(home)

    def disk_full(self, home):
        """Somebody fills the disk while a worker runs or begins; then there is room again."""
        self.with_worker(home)
        if self.mounted and self.random.random() < 0.6:
            return self.disk_really_full(home)
        self.finish_worker(home)
        name = home.worker_run
        if not (home.run_path(name) / "run.toml").exists() or self.state(home, name) == "done":
            self.start(home)
            self.finish_worker(home)
        unfinished = self.unfinished(home)
        environment = {"LD_PRELOAD": str(self.fault_library), "SPARSERL_FAULT_ROOT": str(home.path),
                       "SPARSERL_FAULT_AT": str(self.random.randint(1, 120)),
                       "SPARSERL_FAULT_KIND": self.random.choice(["full", "full", "eio", "torn"])}
        if unfinished:
            name = self.random.choice(unfinished)
            self.launch(home, name, self.resume_words(home, name), environment)
        else:
            home.count += 1
            name = f"{home.count:04}-sft"
            home.runs[name] = Record("sft")
            self.launch(home, name, self.words_of("sft", home.run_path(name), home.path), environment)
        home.worker.allowed |= {1, -signal.SIGKILL}
        self.finish_worker(home)
        return True

    def disk_really_full(self, home):
        filler = self.mounted / "filler"
        left = self.random.choice([0, 4096, 20000, 100000])
        others = [other for other in self.homes if other is not home]
        for each in self.homes:
            if each.worker is not None:
                each.worker.allowed |= {1}
        try:
            with open(filler, "wb") as file:
                try:
                    while True:
                        file.write(bytes(1 << 20))
                        file.flush()
                except OSError:
                    pass
            os.truncate(filler, max(0, filler.stat().st_size - left))
            time.sleep(self.random.random() * self.typical)
            self.call(home, ["runs", "--project", str(home.path)], codes=(0, 1))
            if not home.busy():
                self.finish_worker(home)
                unfinished = self.unfinished(home)
                if unfinished:
                    name = self.random.choice(unfinished)
                    self.launch(home, name, self.resume_words(home, name))
                    home.worker.allowed |= {1}
            for each in [home, *others]:
                if each.worker is not None:
                    each.worker.wait(self.typical)
        finally:
            filler.unlink(missing_ok=True)
        self.finish_worker(home)
        return True

    def window(self, home):
        """A window opens, is looked at by nobody, and is closed or killed."""
        if home.window is not None or not self.has_window:
            return False
        log = self.logs / f"{self.event:04}-{home.number}-window.log"
        home.window = Process(self.programs, [str(home.path)], log, name="sparserl-workbench", environment=self.environment(home))
        time.sleep(0.3 + self.random.random() * 2)
        window, home.window = home.window, None
        require(window.poll() is None, f"the window ended with {window.code}: {window.said()[-800:]}")
        window.send(self.random.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGHUP]))
        require(window.wait(60) is not None, "the window does not end")
        return True

    def imported(self, home):
        if home.pure or home.matrices >= 12:
            return False
        rows = self.random.randint(20, 60)
        entries = sorted({(self.random.randint(1, rows), self.random.randint(1, rows)) for _ in range(rows * 4)})
        file = self.folder / f"m{self.event}.mtx"
        file.write_text(f"%%MatrixMarket matrix coordinate real general\n{rows} {rows} {len(entries)}\n" +
                        "".join(f"{r} {c} {self.random.random():.6f}\n" for r, c in entries))
        done = self.call(home, ["import", str(file), "--project", str(home.path), "--split", "held-out"], codes=(0, 1))
        if done.code == 1:
            require("another program is changing this project" in done.err, done.err[-500:])
        else:
            home.matrices += 1
            require(f"m{self.event}" in (home.path / "project.toml").read_text(), "the imported matrix is not in project.toml")
        return True

    def used(self, home):
        """Generate from a policy, judge a program of the corpus, export, features."""
        policies = [name for name in self.policies(home) if list(home.run_path(name).glob("checkpoints/step-*"))]
        kind = self.random.choice(["generate", "judge", "export", "features"])
        if kind == "generate" and policies:
            self.call(home, ["--quiet", "generate", "--policy", str(home.run_path(self.random.choice(policies))), "--matrix",
                             "stencil2d(n=8)", "-n", "2", "--device", "sim", "--max-tokens", "40"])
        elif kind == "export" and policies:
            out = home.path / "exports" / f"e{self.event}"
            sft = [name for name in policies if home.runs[name].kind == "sft"]
            self.call(home, ["--quiet", "export", "--run", str(home.run_path(self.random.choice(sft))), "--out", str(out)])
            require((out / "manifest.json").exists(), "the export has no manifest")
        elif kind == "features":
            self.call(home, ["features", "stencil2d(n=8)"])
        else:
            out = self.folder / f"programs-{self.event}"
            self.call(home, ["corpus", "sample", "--task", "spmv", "--family", "S1", "-n", "1", "--out", str(out)])
            program = sorted(out.rglob("*.cu"))[0]
            self.call(home, ["--quiet", "judge", str(program), "--matrix", "stencil2d(n=8)", "--task", "spmv", "--device", "sim"])
        return True

    def command_killed(self, home):
        """A command other than a training dies in the middle; the same command works then."""
        matrix = self.folder / f"k{self.event}.mtx"
        rows = 300 + self.event
        matrix.write_text(f"%%MatrixMarket matrix coordinate real general\n{rows} {rows} {rows}\n" +
                          "".join(f"{i} {i} 1.5\n" for i in range(1, rows + 1)))
        done = [name for name in self.policies(home) if home.runs[name].kind == "sft"]
        choices = [["--json", "runs", "--project", str(home.path)]]
        if not self.watched(home):
            choices.append(["project", "reindex", str(home.path)])
        if not home.pure and home.matrices < 12:
            choices.append(["import", str(matrix), "--project", str(home.path), "--split", "held-out"])
        if done:
            choices.append(["--quiet", "export", "--run", str(home.run_path(self.random.choice(done))), "--out",
                            str(home.path / "exports" / f"k{self.event}")])
        words = self.random.choice(choices)
        process = Process(self.programs, words, self.logs / f"{self.event:04}-{home.number}-killed.log",
                          environment=self.environment(home))
        time.sleep(self.random.random() * self.typical * 0.6)
        process.send(self.random.choice([signal.SIGKILL, signal.SIGINT]))
        require(process.wait(60) is not None, f"{' '.join(words)}: does not end")
        if words[0] == "import":
            again = self.call(home, words, codes=(0, 1))
            require(again.code == 0 or "already" in again.err, f"import after a killed one: {again.err[-500:]}")
            copies = [file for file in (home.path / "matrices").iterdir() if file.read_bytes() == matrix.read_bytes()]
            require(len(copies) == 1, f"import after a killed one: {len(copies)} copies of its file")
            home.matrices += 1
        elif words[1] == "export":
            again = self.call(home, words, codes=(0, 1))
            whole = (pathlib.Path(words[-1]) / "program.ptx").exists()
            require(again.code == 0 or whole, f"export after a killed one: {again.err[-500:]}")
        else:
            self.call(home, words, codes=(0, 1) if self.watched(home) else (0,))
        return True

    def run_removed(self, home):
        """Somebody throws an old run away."""
        if home.busy():
            return False
        self.finish_worker(home)
        parents = {home.runs[name].parent for name in home.runs}
        done = [name for name in self.policies(home) if name not in parents]
        if len(done) < 4:
            return False
        name = self.random.choice(done)
        shutil.rmtree(home.run_path(name))
        del home.runs[name]
        return self.list_runs(home)

    # ---- what must hold

    def check(self, home):
        for name, record in list(home.runs.items()):
            self.check_run(home, name, record)
        self.check_processes()

    def check_run(self, home, name, record):
        run = home.run_path(name)
        if not run.exists():
            require(record.journal == b"", f"{name}: the run is gone")
            return
        journal = run / "journal.jsonl"
        require(journal.exists(), f"{name}: a run without a journal")
        now = journal.read_bytes()
        self.check_history(name, record, now, run)
        record.journal = now[:now.rfind(b"\n") + 1]
        seqs, gens, points = [], [], collections.Counter()
        for line in record.journal.splitlines():
            try:
                entry = json.loads(line)
            except ValueError as error:
                raise Failure(f"{name}: a line of the journal is unreadable: {line[:200]!r}") from error
            seqs.append(entry["seq"])
            gens.append(entry["gen"])
            if entry["kind"] == "metric":
                points.update((metric, entry.get("split", "train"), entry["step"]) for metric in entry["values"])
        require(all(a < b for a, b in zip(seqs, seqs[1:])), f"{name}: seq does not ascend")
        require(all(a <= b for a, b in zip(gens, gens[1:])), f"{name}: gen descends")
        twice = [point for point, count in points.items() if count > 1]
        require(not twice, f"{name}: doubled: {twice[:5]}")
        self.check_checkpoints(run, name, record)

    def check_history(self, name, record, now, run):
        if now.startswith(record.journal):
            return
        same = 0
        for line in record.journal.splitlines(keepends=True):
            if now[same:same + len(line)] != line:
                break
            same += len(line)
        aside = b"".join(path.read_bytes() for path in [*run.glob("journal.discarded.*.jsonl"), *run.glob("journal.torn")])
        for line in record.journal[same:].splitlines(keepends=True):
            require(line in aside, f"{name}: lost from the journal: {line[:200]!r}")
            if b'"kind":"checkpoint"' in line:
                entry = json.loads(line)
                folder = run / "checkpoints" / entry["name"]
                # Its event may be rolled back only if the checkpoint itself never came to be, or came later again (a worker
                # that is killed between the two leaves an event; the next one may write both at the same place).
                name_text = f'"kind":"checkpoint","name":"{entry["name"]}"'.encode()
                if folder.exists() and name_text not in now and json.loads((folder / "checkpoint.json").read_text())["journal_seq"] == entry["seq"] + 1:
                    raise Failure(f"{name}: the journal was shortened below the checkpoint {entry['name']}")

    def check_checkpoints(self, run, name, record):
        set_aside = run / "checkpoints.set-aside"
        require(not set_aside.exists(), f"{name}: set aside without damage: {set_aside}")
        there = {}
        for folder in sorted((run / "checkpoints").glob("step-*")):
            stamp = (folder / "checkpoint.json").stat().st_mtime_ns
            if record.stamps.get(folder.name) != stamp:
                fault = probe.checkpoint_fault(folder)
                while fault and (now := (folder / "checkpoint.json").stat().st_mtime_ns) != stamp:  # a worker put another in its place
                    stamp, fault = now, probe.checkpoint_fault(folder)
                require(not fault, f"{name}: {folder.name}: {fault}")
                record.stamps[folder.name] = stamp
                record.checkpoints[folder.name] = probe.tree(folder)
            there[folder.name] = True
        for known in record.checkpoints:
            if known not in there:
                pending = run / "checkpoints" / f".old-{known}"
                require(pending.exists() or (run / "checkpoints" / known).exists(), f"{name}: the checkpoint {known} is gone")

    def check_index(self, home):
        """With nobody at work: the index has what the journals have. A window keeps it so by itself, soon."""
        if home.busy():
            return
        self.finish_worker(home)
        self.list_runs(home)
        end = time.monotonic() + (patience.patience(15 * self.options.slow) if self.watched(home) else 0)
        while True:
            wrong = self.index_fault(home)
            if not wrong:
                return
            require(time.monotonic() < end, wrong)
            time.sleep(0.3)

    def index_fault(self, home):
        try:
            if probe.integrity(home.path) != "ok":
                return "the index is damaged"
            for name in home.runs:
                run = home.run_path(name)
                if (run / "run.toml").exists():
                    have, want = probe.counts_of_index(home.path, run), probe.counts_of_journal(run)
                    if have != want:
                        return f"{name}: the index has {have}, the journal {want}"
        except sqlite3.Error as error:
            return f"the index cannot be read: {error}"
        return ""

    def alive(self):
        """Processes that carry our token."""
        pids = []
        mark = f"SPARSERL_TEST_TOKEN={self.token}".encode()
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    if mark in (entry / "environ").read_bytes() and b"\nState:\tZ" not in (entry / "status").read_bytes():
                        pids.append(int(entry.name))
                except OSError:
                    continue
        return pids

    def check_processes(self):
        ours = {process.process.pid for home in self.homes for process in (home.worker, home.window)
                if process is not None and process.poll() is None}
        end = time.monotonic() + patience.patience(self.stray_seconds)
        while True:
            stray = []
            for pid in self.alive():
                try:
                    session = os.getsid(pid)
                except ProcessLookupError:
                    continue
                if session not in ours:
                    stray.append((pid, pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")))
            if not stray:
                return
            require(time.monotonic() < end, f"processes are left over: {stray}")
            time.sleep(0.1)

    # ---- the whole

    WEIGHTED = {
        "start a training": (start, 8), "kill -9": (kill, 12), "Ctrl-C": (interrupted, 5), "SIGTERM": (terminated, 4),
        "SIGHUP": (hung_up, 4), "let it end": (let_it_end, 10), "control commands": (commands, 8),
        "a second worker": (second_worker, 4), "list runs": (list_runs, 3), "reindex": (reindex, 4),
        "pull the index away": (index_pulled_away, 8), "move or copy the project": (moved, 6), "set the clock": (clock_set, 5),
        "fill the disk": (disk_full, 8), "open and kill a window": (window, 6), "import a matrix": (imported, 3),
        "generate, judge, export": (used, 5),
        "kill another command": (command_killed, 5), "throw a run away": (run_removed, 6)}

    def one(self):
        home = self.random.choice(self.homes)
        names = list(self.WEIGHTED)
        weights = [self.WEIGHTED[name][1] for name in names]
        while True:
            name = self.random.choices(names, weights)[0]
            try:
                if not self.WEIGHTED[name][0](self, home):
                    continue
                self.events[name] += 1
                for each in self.homes:
                    self.check(each)
                if self.event % 5 == 0:
                    self.check_index(home)
            except Failure as failure:
                self.failures[name] += 1
                self.events[name] += 1
                self.sentences.append(f"seed {self.options.seed}, event {self.event} ({name}, project {home.number}): {failure}")
                print(self.sentences[-1], flush=True)
            return name

    def all(self):
        self.begin()
        # A window that sees it all; its project stays where it is.
        if self.has_window:
            self.homes[0].window = Process(self.programs, [str(self.homes[0].path)], self.logs / "window.log",
                                           name="sparserl-workbench")
        begin = time.monotonic()
        last = begin
        for self.event in range(1, self.options.events + 1):
            name = self.one()
            self.watch()
            if time.monotonic() - last > 60:
                last = time.monotonic()
                print(f"{self.event} events after {last - begin:.0f} s, last: {name}", file=sys.stderr, flush=True)
            if len(self.sentences) >= self.options.most:
                print("too many failures, stopping", flush=True)
                break
        self.seconds = time.monotonic() - begin
        self.event += 1
        self.finish()

    def watch(self):
        window = self.homes[0].window
        if window is None:
            return
        if window.poll() is None:
            self.window_memory.append((self.event, window.memory()))
            return
        self.failures["the window"] += 1
        self.sentences.append(f"seed {self.options.seed}, event {self.event}: the window ended with {window.code}: "
                              f"{window.said()[-800:]}")
        print(self.sentences[-1], flush=True)
        self.homes[0].window = None

    def finish(self):
        """Everything goes on to its end, and is what it would have been."""
        window, self.homes[0].window = self.homes[0].window, None
        if window is not None:
            window.send(signal.SIGTERM)
            window.wait(60)
            self.compare_windows()
        for home in self.homes:
            try:
                self.finish_worker(home)
                for name in self.unfinished(home):
                    self.launch(home, name, self.resume_words(home, name))
                    self.finish_worker(home)
                    require(self.state(home, name) == "done", f"{name}: cannot be brought to its end")
                self.check(home)
                self.check_index(home)
                self.call(home, ["project", "reindex", str(home.path)])
                self.check_index(home)
                for name, record in home.runs.items():
                    self.check_end(home, name, record)
                self.age_leftovers(home)
                self.call(home, ["project", "reindex", str(home.path)])
                left = [str(path) for path in home.path.rglob("*") if re.search(r"/\.(tmp|old|removing|new|bundle)-|\.tmp-\d|index\.rebuild", str(path))]
                require(not left, f"left over: {left}")
            except Failure as failure:
                self.failures["the end"] += 1
                self.sentences.append(f"seed {self.options.seed}, the end of project {home.number}: {failure}")
                print(self.sentences[-1], flush=True)
            self.events["the end"] += 1
        try:
            self.check_processes()
        except Failure as failure:
            self.failures["the end"] += 1
            self.sentences.append(str(failure))
            print(self.sentences[-1], flush=True)
        self.check_the_checks()

    def compare_windows(self):
        """What the window that was open all the time holds more than one that is opened now and shows the same: more runs
        are more memory in both, and a leak is in the old one alone."""
        if not self.window_memory:
            return
        fresh = Process(self.programs, [str(self.homes[0].path)], self.logs / "fresh-window.log", name="sparserl-workbench")
        sizes = []
        while fresh.poll() is None and len(sizes) < 60 * self.options.slow:
            sizes.append(fresh.memory())
            if len(sizes) > 10 and max(sizes[-6:]) - min(sizes[-6:]) < 0.5:
                break
            time.sleep(0.5)
        self.fresh_memory = sizes[-1]
        fresh.send(signal.SIGTERM)
        fresh.wait(60)
        more = self.window_memory[-1][1] - self.fresh_memory
        self.events["the window's memory"] += 1
        if more > MOST_MORE:
            self.failures["the window's memory"] += 1
            self.sentences.append(f"seed {self.options.seed}: the window that was open all the time holds {more:.0f} MiB more "
                                  "than one that shows the same")
            print(self.sentences[-1], flush=True)

    def age_leftovers(self, home):
        """In a project others may be writing; what a kill left there goes when it is old."""
        for folder in (home.path, home.path / "cache", home.path / "matrices", home.path / "exports"):
            for path in [*folder.glob("*.tmp-*"), *folder.glob(".bundle-*")]:
                os.utime(path, (time.time() - 86400,) * 2)

    def check_the_checks(self):
        """What must be seen is seen: each of these is one fault."""
        home = self.homes[1]
        name = next((each for each in self.policies(home) if len(home.runs[each].checkpoints) > 2), None)
        if name is None or self.sentences:
            return
        run, record = home.run_path(name), home.runs[name]
        journal = run / "journal.jsonl"
        lines = record.journal.splitlines(keepends=True)
        metric = max(at for at, line in enumerate(lines) if b'"kind":"metric"' in line)
        checkpoint = run / "checkpoints" / sorted(record.checkpoints)[1]

        def flip():
            data = bytearray((checkpoint / WEIGHTS).read_bytes())
            data[len(data) // 2] ^= 1
            (checkpoint / WEIGHTS).write_bytes(data)
            record.stamps.clear()

        def forget():
            base = sqlite3.connect(home.path / "project.sqlite")
            base.execute("DELETE FROM metric WHERE step=2")
            base.commit()
            base.close()

        stray = []

        def leave():
            stray.append(subprocess.Popen(["sleep", "86400"], start_new_session=True, env=self.programs.environment))
            end = time.monotonic() + patience.patience(10)
            while stray[-1].pid not in self.alive():  # A process has no environment yet while it begins.
                require(time.monotonic() < end, "a process that was started has no environment")
                time.sleep(0.01)

        faults = {
            "a line lost": lambda: journal.write_bytes(b"".join(lines[:metric] + lines[metric + 1:])),
            "a line twice": lambda: journal.write_bytes(b"".join(lines + lines[metric:metric + 1])),
            "a step twice": lambda: journal.write_bytes(b"".join(lines) + lines[metric].replace(b'"seq":', b'"seq":9')),
            "half a line": lambda: journal.write_bytes(b"".join(lines) + b'{"seq":\n'),
            "a journal cut": lambda: journal.write_bytes(b"".join(lines[:metric])),
            "a checkpoint gone": lambda: shutil.rmtree(checkpoint),
            "weights changed": flip,
            "a row of the index gone": forget,
            "a process left": leave}
        for what, do in faults.items():
            kept = self.folder / "kept-run"
            shutil.copytree(run, kept, copy_function=shutil.copy2)
            stamps, before = dict(record.stamps), record.journal
            do()
            self.stray_seconds = 1  # This one is to stay.
            try:
                self.check(home)
                if what == "a row of the index gone":
                    wrong = self.index_fault(home)
                    require(not wrong, wrong)
            except Failure:
                pass
            else:
                self.failures["the end"] += 1
                self.sentences.append(f"nobody saw {what}")
                print(self.sentences[-1], flush=True)
            shutil.rmtree(run)
            shutil.move(kept, run)
            record.stamps, record.journal = stamps, before
        self.stray_seconds = 30
        for process in stray:
            process.kill()
            process.wait()
        self.checks_checked = len(faults)

    def check_end(self, home, name, record):
        run = home.run_path(name)
        if not (run / "run.toml").exists():
            return
        metric = "loss" if record.kind == "sft" else "reward"
        steps = {entry["step"] for entry in probe.entries_of(run) if entry["kind"] == "metric" and entry.get("split") == "train"
                 and metric in entry["values"]}
        want = set(range(1, (STEPS if record.kind == "sft" else RL["rl.iterations"]) + 1))
        require(steps == want, f"{name}: steps {sorted(want - steps)} are missing, {sorted(steps - want)} too many")
        if home.pure:
            got = probe.sha256(run / "checkpoints" / self.last[record.kind] / WEIGHTS)
            require(got == self.reference[record.kind], f"{name}: the policy is not the one of an undisturbed run")

    def report(self):
        print(f"\n{'event':<28}{'times':>7}{'failed':>8}")
        for name in sorted(self.events, key=lambda each: -self.events[each]):
            print(f"{name:<28}{self.events[name]:>7}{self.failures[name]:>8}")
        print(f"{'all':<28}{sum(self.events.values()):>7}{sum(self.failures.values()):>8}")
        runs = sum(len(home.runs) for home in self.homes)
        print(f"\nseed {self.options.seed}: {self.seconds:.0f} s, {runs} runs at the end, "
              f"disk {'a tmpfs that was really full' if self.mounted else 'full by preloaded faults only'}; "
              f"{self.checks_checked} faults made on purpose, all seen")
        for kind, peaks in self.worker_peaks.items():
            print(f"memory of {len(peaks)} workers ({kind}): median {statistics.median(peaks):.0f} MiB, most {max(peaks):.0f} MiB")
        if self.window_memory:
            print(self.slope())

    def slope(self):
        settled = [(event, size) for event, size in self.window_memory if event > self.options.events * 0.2]
        if len(settled) < 5:
            return f"memory of the window: most {max(size for _, size in self.window_memory):.0f} MiB"
        line = statistics.linear_regression(*zip(*settled))
        return (f"memory of the window that was open all the time: {settled[0][1]:.0f} MiB behind the first fifth, "
                f"{settled[-1][1]:.0f} MiB at the end, most {max(size for _, size in self.window_memory):.0f} MiB, "
                f"slope {line.slope * 100:+.2f} MiB in 100 events; one opened at the end holds {self.fresh_memory:.0f} MiB")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="folder of sparserl, sparserl-runner and sparserl-workbench")
    parser.add_argument("--libraries", required=True, help="folder of libfault_files.so and libshift_clock.so")
    parser.add_argument("--events", type=int, default=500)
    parser.add_argument("--seed", type=int, help="draws the events (default: another every time)")
    parser.add_argument("--slow", type=float, default=1, help="factor for all patience, for busy machines")
    parser.add_argument("--most", type=int, default=20, help="stop after so many failures")
    options = parser.parse_args()
    if options.seed is None:
        options.seed = secrets.randbits(31)
        print(f"the same again: --seed {options.seed}", flush=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="twenty-hours-"))
    life = Life(options, folder)
    try:
        life.all()
        life.report()
    finally:
        failed = bool(life.sentences) or sys.exc_info()[0] is not None
        if failed:
            life.save_from_disk()
        life.end()
        if failed:
            print(f"the projects are kept in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    return 1 if life.sentences else 0


if __name__ == "__main__":
    sys.exit(main())
