#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs on another machine, and what can happen to them: remote_table.py --bin build/dev/bin --libraries build/dev/tests

Each situation has an ssh server of its own on loopback, a home folder there, and a network in between that can be cut, stopped
and slowed down (far_machine.py). It has to end equal to the same run on this machine (every line of the journal but its times
and the weights; after a resume: every step once, and the weights), or with one sentence that is declared here, after
which nothing may be lost. Never as something else. Prints a table; the status is 1 where a row does not hold, 77 where there
is no ssh server. `--quick N`: N rows for the suite, by lot among those that take seconds, all of
these with SPARSERL_TEST_SHARE=1; `--only WORD`: rows whose name has it.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

import drawn_functions
import far_machine
import patience
import probe

SFT = dict(probe.SFT, **{"judge.seed": 7, "system.every": 0, "eval.samples": 2})
WEIGHTS = "model.safetensors"
PATIENCE = 600
SITUATIONS = []


def situation(name, quick=False, slow=False, root=False):
    def add(function):
        SITUATIONS.append((name, function, quick, slow, root))
        return function
    return add


def essence(run):
    """What a journal says, the clock aside."""
    lines = []
    for entry in probe.entries_of(run):
        entry.pop("t")
        if entry["kind"] == "metric":
            entry["values"] = {name: value for name, value in entry["values"].items() if not name.startswith(("timing", "perf/", "judge/"))}
        elif entry["kind"] == "verdict":
            entry["record"].pop("judge_seconds", None)
        lines.append(json.dumps(entry, sort_keys=True))
    return lines


def checkpoints(run):
    return sorted(path for path in (run / "checkpoints").glob("step-*") if (path / "DONE").exists())


def weights(run):
    """The weights of the last checkpoint by file."""
    last = checkpoints(run)[-1]
    return last.name, {str(path.relative_to(last)): probe.sha256(path) for path in sorted(last.rglob(WEIGHTS))}


def steps(run, kept=False):
    """Steps of training in the journal, and in what was taken from it here."""
    entries = probe.entries_of(run)
    for file in run.glob("journal.cut.*.jsonl") if kept else ():
        entries += [entry for _, entry in probe.complete_lines(file)]
    return sorted(entry["step"] for entry in entries if entry["kind"] == "metric" and entry.get("split", "train") == "train"
                  and any(name.startswith("loss") or "/loss" in name for name in entry["values"]))


class Wrong(Exception):
    pass


def must(holds, what):
    if not holds:
        raise Wrong(what)


class Stage:
    """One situation: a project here, a machine there."""

    def __init__(self, options, folder, references, home="home"):
        self.options, self.folder, self.references = options, folder, references
        self.far = far_machine.Machine(folder / "far", options.bin, home)
        self.programs = probe.Programs(options.bin, {
            "PATH": f"{self.far.path}:{os.environ['PATH']}", "XDG_CONFIG_HOME": str(folder / "config"), "TMPDIR": str(folder / "tmp"),
            "SPARSERL_TRUST": "no"})
        (folder / "tmp").mkdir()
        self.project = folder / "project"
        self.programs.make_project(self.project)
        self.begun = []

    def end(self):
        self.far.network.refuse()
        self.far.stop()
        for process in self.begun:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        # Workers there and followers here are detached.
        for process in pathlib.Path("/proc").iterdir():
            try:
                words = (process / "cmdline").read_bytes()
                if str(self.folder).encode() in words or (process / "cwd").resolve().is_relative_to(self.folder):
                    os.kill(int(process.name), signal.SIGKILL)
            except (OSError, ValueError):
                pass

    # Commands.

    def words(self, host="far", more=(), project=None, settings=None):
        return ["train", "quickstart-sft", "--project", str(project or self.project), "--host", host, *more,
                *probe.assignments(dict(SFT, **(settings or {})))]

    def run(self, *words, timeout=PATIENCE, **more):
        done = self.programs.run(["--quiet", *map(str, words)], timeout=timeout, **more)
        must(done.code is not None, f"`{' '.join(map(str, words[:4]))} ...` did not end: {done.text[-500:]}")
        return done

    def train(self, **more):
        return self.run(*self.words(**more))

    def resume(self, run=None):
        return self.run("train", "--run", run or self.here)

    def begin(self, *words):
        """A command that goes on beside the situation; what it says goes to said()."""
        log = open(self.folder / f"said-{len(self.begun)}", "wb")
        process = self.programs.start(["--quiet", *map(str, words)], stdout=log, stderr=subprocess.STDOUT)
        self.begun.append(process)
        return process

    def said(self):
        return "".join((self.folder / f"said-{i}").read_text(errors="replace") for i in range(len(self.begun)))

    # Places.

    @property
    def here(self):
        return self.project / "runs/0001-sft"

    def mark(self, run=None):
        try:
            return json.loads(((run or self.here) / "remote.json").read_text())
        except (OSError, ValueError):
            return {}

    def there(self, run=None):
        return self.far.home / self.mark(run)["run"]

    # Waiting.

    def wait(self, what, holds, seconds=PATIENCE):
        end = time.monotonic() + patience.patience(seconds)
        while time.monotonic() < end:
            try:
                found = holds()
            except (OSError, KeyError, ValueError):
                found = None
            if found:
                return found
            time.sleep(0.02)
        raise Wrong(f"waited in vain: {what}; said: {self.said()[-800:]}")

    def worker(self):
        """The process that works there."""
        def find():
            pid = int((self.there() / "worker.lock").read_text().split()[0])
            return pid if b"worker" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes() else None
        return self.wait("a worker there", find)

    def slowly(self):
        """Every file operation of the far worker takes a tenth of a second longer."""
        self.far.say(f"environment=(LD_PRELOAD={self.options.libraries}/libfault_files.so SPARSERL_FAULT_ROOT={self.far.home}/sparserl-projects "
                     "SPARSERL_FAULT_KIND=slow SPARSERL_FAULT_AT=1)\n")

    def started(self, **more):
        """A run that has come to its first checkpoint there, and goes on slowly."""
        self.slowly()
        process = self.begin(*self.words(**more))
        self.wait("a checkpoint there", lambda: len(checkpoints(self.there())) > 1)
        return process

    def ended(self, run=None):
        self.wait("the end", lambda: self.mark(run).get("ended"))

    def killed(self):
        """Started, and then the worker there is killed; all that it wrote has come."""
        process = self.started()
        os.kill(self.worker(), signal.SIGKILL)
        must(process.wait(patience.patience(PATIENCE)) == 1, f"exit {process.returncode}: {self.said()}")
        must("has ended" in self.said(), self.said())
        self.far.say("")

    # What must hold.

    def equal(self, run=None, reference="plain"):
        run, wanted = run or self.here, self.references[reference]
        must(essence(run) == essence(wanted), "the journal is not that of a run here")
        must(weights(run) == weights(wanted), "the weights are not those of a run here")
        return "equal"

    def resumed(self, run=None, reference="plain"):
        run, wanted = run or self.here, self.references[reference]
        must(probe.last_state(run) == "done", f"the last state is {probe.last_state(run)}")
        must(weights(run) == weights(wanted), "the weights are not those of a run here")
        must(steps(run) == steps(wanted), f"steps {steps(run)}, not {steps(wanted)}")
        return "equal after a resume"

    def sentence(self, outcome, pattern, code=1):
        """It ended with one sentence, the declared one."""
        sentences = [line for line in outcome.sentences() if not line.startswith("warning:")]
        must(outcome.code == code, f"exit {outcome.code}: {outcome.text[-600:]}")
        must(len(sentences) == 1 and re.search(pattern, sentences[0]), f"not one sentence like /{pattern}/: {sentences}")
        return sentences[0].replace(str(self.folder), "")

    def fine(self, outcome):
        must(outcome.code == 0, f"exit {outcome.code}: {outcome.text[-600:]}")

    def no_run(self):
        must(not self.here.exists(), "a run was made")


# A machine as it is.

def carried(s, *programs):
    """What the far machine took files with, once a run was sent; of the programs, it has these."""
    log = s.folder / "carried"
    for program in programs:
        wrapper = s.far.bin / program
        wrapper.write_text(f"#!/bin/sh\necho {program} >> '{log}'\nexec {shutil.which(program)} \"$@\"\n")
        wrapper.chmod(0o755)
    s.fine(s.train())
    return set(log.read_text().split())


@situation("sent through tar", quick=True)
def _(s):
    must(carried(s, "tar") == {"tar"}, "it was not sent through tar")
    return s.equal()


@situation("sent by rsync", quick=True)
def _(s):
    if not shutil.which("rsync"):
        return "skipped: no rsync here"
    must(carried(s, "tar", "rsync") == {"rsync"}, "it was not sent by rsync")
    return s.equal()


@situation("blanks and quotes in the home folder there")
def _(s):
    s.fine(s.train(host="far:it's a \"folder\" $(touch pwned)"))
    must(not list(s.folder.rglob("pwned")), "a shell has run a name")
    return s.equal()


@situation("a login that prints", quick=True)
def _(s):
    s.far.say("noise=$'Welcome\\nto far, \\e[1mtoday\\e[0m'\n")
    s.fine(s.train())
    return s.equal()


for _shell in ("dash", "rbash"):
    @situation(f"the shell there is {_shell}")
    def _(s, shell=_shell):
        if not shutil.which(shell):
            return f"skipped: no {shell} here"
        s.far.say(f"shell=/bin/{shell}\n")
        s.fine(s.train())
        return s.equal()

for _mask in ("077", "000", "027"):
    @situation(f"umask {_mask} there")
    def _(s, mask=_mask):
        s.far.say(f"umask {mask}\n")
        s.fine(s.train())
        return s.equal()

for _days in (3, -400):
    @situation(f"a clock there that is {_days} days off", quick=_days == 3)
    def _(s, days=_days):
        s.far.say(f"environment=(LD_PRELOAD={s.options.libraries}/libshift_clock.so SPARSERL_CLOCK_SHIFT={days * 86400})\n")
        s.fine(s.train())
        return s.equal()


@situation("clocks that jump on both sides during the run")
def _(s):
    shift = s.folder / "shift"
    shift.write_text("0")
    library = f"{s.options.libraries}/libshift_clock.so"
    s.programs.environment.update(LD_PRELOAD=library, SPARSERL_CLOCK_FILE=str(shift))
    s.far.say(f"environment=('LD_PRELOAD={library}:{s.options.libraries}/libfault_files.so' SPARSERL_CLOCK_FILE={shift} "
              f"SPARSERL_FAULT_ROOT={s.far.home}/sparserl-projects SPARSERL_FAULT_KIND=slow SPARSERL_FAULT_AT=1)\n")
    process = s.begin(*s.words())
    for days in (5, -90, 700, 0):
        s.wait("a checkpoint there", lambda: checkpoints(s.there()))
        shift.write_text(str(days * 86400))
        time.sleep(0.7)
    must(process.wait(patience.patience(PATIENCE)) == 0, s.said())
    return s.equal()


@situation("a link that carries 10 kB a second", slow=True)
def _(s):
    s.far.network.rate = 10_000
    s.fine(s.train(settings={"checkpoint.keep": 1}))
    return s.equal(reference="one checkpoint")


# Machines that cannot be used.

def refused(s, pattern):
    sentence = s.sentence(s.train(), pattern)
    s.no_run()
    return sentence


@situation("an unknown host key", quick=True)
def _(s):
    s.far.know("")
    return refused(s, "the key of far is not known here")


@situation("another host key than before")
def _(s):
    s.far.know("other")
    return refused(s, "the host key of far has changed")


@situation("a password is asked for")
def _(s):
    (s.far.folder / "authorized").write_text("")
    return refused(s, "does not let this user in without a password")


@situation("no ssh server")
def _(s):
    s.far.network.refuse()
    return refused(s, "refuses connections by ssh")


@situation("a name that nobody knows")
def _(s):
    sentence = s.sentence(s.train(host="nowhere.invalid"), "there is no host called")
    s.no_run()
    return sentence


@situation("the program is missing there", quick=True)
def _(s):
    s.far.without("sparserl")
    return refused(s, "has no program")


def other_program(s, text):
    s.far.without("sparserl")
    program = s.far.bin / "sparserl"
    program.write_text(text)
    program.chmod(0o755)


@situation("another version there", quick=True)
def _(s):
    other_program(s, "#!/bin/sh\nprintf '\\036SRL {\"server\":1,\"version\":\"0.0.7\",\"rsync\":false}\\n\\036SRL {\"all\":true}\\n'\n")
    return refused(s, r"far has version 0\.0\.7 of SparseRL Workbench, this machine has")


@situation("a version that talks otherwise there")
def _(s):
    other_program(s, "#!/bin/sh\nprintf '\\036SRL {\"server\":99,\"version\":\"9.9\"}\\n'\n")
    return refused(s, r"far has version 9\.9")


@situation("another program of that name there")
def _(s):
    other_program(s, "#!/bin/sh\necho hello\n")
    return refused(s, "is not the one that is needed")


@situation("another version comes there while the run works")
def _(s):
    s.killed()
    other_program(s, "#!/bin/sh\nprintf '\\036SRL {\"server\":1,\"version\":\"0.0.7\",\"rsync\":false}\\n\\036SRL {\"all\":true}\\n'\n")
    sentence = s.sentence(s.resume(), r"far has version 0\.0\.7")
    s.far.without("sparserl")
    (s.far.bin / "sparserl").symlink_to(s.options.bin / "sparserl")
    s.fine(s.resume())
    s.resumed()
    return sentence


# Connections.

@situation("cut while it is sent", quick=True)
def _(s):
    s.far.network.limit = 9000
    first = s.train()
    if first.code == 0:
        raise Wrong("the connection was not cut")
    sentence = s.sentence(first, "the connection to far broke|says:|could not be read")
    if s.here.exists():
        s.fine(s.resume())
        s.equal()
    return sentence


@situation("cut again and again while it is followed", quick=True)
def _(s):
    process = s.started()
    for _ in range(12):
        time.sleep(random.uniform(1, 4))
        s.far.network.cut()
    must(process.wait(patience.patience(PATIENCE)) == 0, s.said())
    return s.equal()


@situation("cut while a checkpoint comes")
def _(s):
    s.far.network.rate = 60_000
    process = s.started()
    cuts = 0
    while process.poll() is None:
        if cuts < 4 and list((s.here / ".incoming").rglob(WEIGHTS)):
            s.far.network.cut()
            cuts += 1
            s.far.network.rate = None if cuts == 4 else 60_000
            time.sleep(0.3)
        time.sleep(0.02)
    must(process.returncode == 0, s.said())
    must(cuts > 0, "no checkpoint was met")
    return s.equal()


@situation("a network that carries nothing any more")
def _(s):
    process = s.started()
    s.far.network.stalled = True
    s.wait("that it is noticed", lambda: s.mark().get("problem"), 200)
    s.far.network.cut()
    s.far.network.stalled = False
    must(process.wait(patience.patience(PATIENCE)) == 0, s.said())
    must("far" in s.said(), "nothing was said")
    return s.equal()


@situation("the connection's server is stopped")
def _(s):
    process = s.started()
    stopped = s.far.connections()
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    s.wait("that it is noticed", lambda: s.mark().get("problem"), 200)
    for pid in stopped:
        os.kill(pid, signal.SIGCONT)
    must(process.wait(patience.patience(PATIENCE)) == 0, s.said())
    return s.equal()


@situation("the ssh server is killed and comes again")
def _(s):
    process = s.started()
    s.far.stop()
    time.sleep(1)
    s.far.start()
    must(process.wait(patience.patience(PATIENCE)) == 0, s.said())
    return s.equal()


@situation("the host's key changes while it is followed")
def _(s):
    process = s.started()
    s.far.stop()
    s.far.start("other")
    s.wait("that it is noticed", lambda: "key of far" in s.mark().get("problem", ""))
    s.far.know("other")
    must(process.wait(patience.patience(PATIENCE)) == 0, s.said())
    must("the host key of far has changed" in s.said(), s.said())
    return s.equal()


@situation("pause, change and stop while it is cut", quick=True)
def _(s):
    process = s.started()
    s.far.network.refuse()
    s.wait("that it is noticed", lambda: not s.mark()["connected"])
    with open(s.here / "control.jsonl", "a", encoding="utf-8") as file:
        for number, command in enumerate(({"command": "set", "key": "sft.lr", "value": "0.000123"}, {"command": "pause"}, {"command": "stop"})):
            file.write(json.dumps({"id": f"own-{number}", "t": time.time(), **command}) + "\n")
    s.far.network.allow()
    must(process.wait(patience.patience(PATIENCE)) == 0, s.said())
    text = (s.here / "journal.jsonl").read_text()
    must("0.000123" in text and "own-2" in text and probe.last_state(s.here) == "paused", "the commands did not arrive")
    must(text == (s.there() / "journal.jsonl").read_text(), "the journals differ")
    return "stopped on request, changed as asked"


# Followers.

@situation("two followers")
def _(s):
    process = s.started()
    s.wait("a follower", lambda: s.mark()["connected"] and (s.here / "follower.lock").read_text())
    sentence = s.sentence(s.run("remote", "follow", s.here), "another process follows this run already")
    must(process.wait(patience.patience(PATIENCE)) == 0, s.said())
    s.equal()
    return sentence


def follower(s):
    return s.wait("a follower", lambda: int((s.here / "follower.lock").read_text().split()[0]))


@situation("the follower is killed")
def _(s):
    process = s.started()
    os.kill(follower(s), signal.SIGKILL)
    time.sleep(0.5)
    s.fine(s.run("remote", "follow", s.here))
    must(process.wait(patience.patience(PATIENCE)) == 0, s.said())
    return s.equal()


@situation("who showed the run is killed")
def _(s):
    process = s.started()
    process.kill()
    process.wait()
    s.ended()
    return s.equal()


@situation("a follower's lock that names a process of somebody else", quick=True)
def _(s):
    s.killed()
    innocent = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    holder = subprocess.Popen([sys.executable, "-c", "import fcntl, sys, time; f = open(sys.argv[1], 'r+'); fcntl.flock(f, fcntl.LOCK_EX);"
                               "f.truncate(0); f.write(sys.argv[2]); f.flush(); print(flush=True); time.sleep(1000)", str(s.here / "follower.lock"),
                               f"{innocent.pid} 00000000-0000-0000-0000-000000000000 77\n"], stdout=subprocess.PIPE)
    holder.stdout.readline()
    try:
        sentence = s.sentence(s.resume(), "cannot be identified on this machine")
        must(innocent.poll() is None and holder.poll() is None, "a process of somebody else was ended")
    finally:
        innocent.kill()
        holder.kill()
    innocent.wait()
    holder.wait()
    s.fine(s.resume())
    s.resumed()
    return sentence


# Workers there.

@situation("the worker there is killed", quick=True)
def _(s):
    s.killed()
    s.fine(s.resume())
    return s.resumed()


@situation("the machine there restarts")
def _(s):
    process = s.started()
    worker = s.worker()
    s.far.stop()
    os.kill(worker, signal.SIGKILL)
    # A number that was a worker's is another process's now.
    (s.there() / "worker.started").write_text(f"{os.getpid()} 1\n")
    s.far.say("")
    s.far.start()
    must(process.wait(patience.patience(PATIENCE)) == 1, s.said())
    must("the worker on far has ended" in s.said(), s.said())
    s.fine(s.resume())
    return s.resumed()


@situation("the worker there may write no large files")
def _(s):
    s.far.say("ulimit -f 40\n")
    first = s.train()
    s.sentence(first, "far|File too large|ended")
    s.far.say("")
    s.fine(s.resume())
    return s.resumed()


def small_disk(s, size):
    folder = s.far.home / "sparserl-projects"
    folder.mkdir()
    must(subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder]).returncode == 0, "no tmpfs")
    return folder


@situation("the disk there is full when it is sent", root=True)
def _(s):
    folder = small_disk(s, "12k")
    try:
        sentence = s.sentence(s.train(), "far says: .*No space left.*Free some space")
        subprocess.run(["mount", "-o", "remount,size=64m", folder], check=True)
        s.fine(s.resume())
        s.equal()
    finally:
        subprocess.run(["umount", "-l", folder], check=False)
    return sentence


@situation("the disk there gets full while it works", root=True)
def _(s):
    folder = small_disk(s, "700k")
    try:
        s.sentence(s.train(), "No space left|has ended")
        must(checkpoints(s.here), "no checkpoint came")
        subprocess.run(["mount", "-o", "remount,size=64m", folder], check=True)
        s.fine(s.resume())
        return s.resumed()
    finally:
        subprocess.run(["umount", "-l", folder], check=False)


@situation("it was rolled back there", quick=True)
def _(s):
    s.killed()
    s.fine(s.resume())
    s.resumed()
    before = probe.tree(s.here)
    again = s.resume()
    s.fine(again)
    must("Done on far" in again.text, again.text)
    after = probe.tree(s.here)
    must(all(after.get(name) == digest for name, digest in before.items() if name.startswith(("journal", "checkpoints"))), "it was changed")
    return s.resumed()


@situation("resumed when it is done")
def _(s):
    s.fine(s.train())
    again = s.resume()
    s.fine(again)
    must("Done on far" in again.text, again.text)
    return s.equal()


# Identities.

@situation("a number that comes again", quick=True)
def _(s):
    s.fine(s.train())
    shutil.rmtree(s.here)
    s.fine(s.train(settings={"seed": 5}))
    return s.equal(reference="seed 5")


@situation("another run in the folder there", quick=True)
def _(s):
    s.killed()
    first = s.there()
    s.fine(s.train(settings={"seed": 5}))
    shutil.rmtree(first)
    shutil.copytree(s.there(s.project / "runs/0002-sft"), first)
    before = probe.tree(s.here)
    sentence = s.sentence(s.resume(), "holds another run than the one that was sent")
    after = probe.tree(s.here)
    must(all(after.get(name) == digest for name, digest in before.items() if name.startswith(("journal", "checkpoints"))), "it was changed here")
    s.wait("the end of what follows it", lambda: s.run("remote", "follow", s.here).code == 1)
    shutil.move(first, s.folder / "moved")
    s.fine(s.resume())
    s.resumed()
    return sentence


@situation("the folder there is removed while it works")
def _(s):
    process = s.started()
    os.kill(s.worker(), signal.SIGSTOP)
    shutil.rmtree(s.there())
    s.far.network.cut()
    must(process.wait(patience.patience(PATIENCE)) == 1, s.said())
    must("the run is not there any more" in s.said(), s.said())
    must(checkpoints(s.here), "what was here is gone")
    s.far.say("")
    s.fine(s.resume())
    return s.resumed()


@situation("a parent that was trained again", quick=True)
def _(s):
    parent = s.project / "runs/parent"
    for seed, reference in ((1, "child of seed 1"), (2, "child of seed 2")):
        shutil.rmtree(parent, ignore_errors=True)
        s.fine(s.run("train", "quickstart-sft", "--project", s.project, "--run", parent, *probe.assignments(dict(SFT, seed=seed))))
        s.fine(s.train(more=["--parent", str(parent)], settings={"sft.steps": 4}))
        s.equal(sorted(s.project.glob("runs/0*"))[-1], reference)
    return "equal"


@situation("no parent here")
def _(s):
    sentence = s.sentence(s.train(more=["--parent", "not-there"]), "not-there")
    s.no_run()
    return sentence


def with_parent(s):
    parent = s.project / "runs/parent"
    s.fine(s.run("train", "quickstart-sft", "--project", s.project, "--run", parent, *probe.assignments(dict(SFT, seed=1))))
    return parent


@situation("the parent here goes before it is resumed")
def _(s):
    parent = with_parent(s)
    s.slowly()
    process = s.begin(*s.words(more=["--parent", str(parent)], settings={"sft.steps": 4, "checkpoint.every": 1}))
    s.wait("a checkpoint there", lambda: len(checkpoints(s.there())) > 1)
    os.kill(s.worker(), signal.SIGKILL)
    process.wait(patience.patience(PATIENCE))
    s.far.say("")
    shutil.rmtree(parent)
    s.fine(s.resume())
    must(weights(s.here) == weights(s.references["child of seed 1"]), "the weights are not those of a run here")
    return "equal after a resume"


@situation("the policy there was damaged")
def _(s):
    parent = with_parent(s)
    more = {"more": ["--parent", str(parent)], "settings": {"sft.steps": 4}}
    s.fine(s.train(**more))
    file = next(s.far.home.rglob(f"policies/**/{WEIGHTS}"))
    data = bytearray(file.read_bytes())
    data[-5] ^= 1
    file.chmod(0o644)
    file.write_bytes(data)
    s.fine(s.train(**more))
    return s.equal(s.project / "runs/0002-sft", "child of seed 1")


@situation("the list of matrices changes here")
def _(s):
    process = s.started()
    with open(s.project / "project.toml", "a", encoding="utf-8") as file:
        file.write("\n[[matrix]]\nname = 'late'\ngenerator = 'stencil2d(n=9)'\nsplit = 'train'\n")
    must(process.wait(patience.patience(PATIENCE)) == 0, s.said())
    return s.equal()


@situation("a fork of a far run here")
def _(s):
    s.fine(s.train(settings={"seed": 1}))
    child = s.project / "runs/child"
    s.fine(s.run("train", "quickstart-sft", "--project", s.project, "--run", child, "--parent", s.here,
                 *probe.assignments(dict(SFT, **{"sft.steps": 4}))))
    return s.equal(child, "child of seed 1")


# Copies, backups, moves.

@situation("a copy of the project that is to be followed and steered", quick=True)
def _(s):
    process = s.started()
    s.wait("something here", lambda: (s.here / "journal.jsonl").stat().st_size > 2000)
    copy = s.folder / "copy"
    shutil.copytree(s.project, copy)
    run = copy / "runs/0001-sft"
    s.sentence(s.run("remote", "follow", run), "is read-only")
    s.fine(s.run("project", "trust", copy))
    with open(run / "control.jsonl", "a") as control:
        control.write('{"command":"stop","id":"of-the-copy","t":1.0}\n')
    s.sentence(s.run("remote", "stop", run), "this is a copy")
    s.sentence(s.run("remote", "adopt", run), "this is a copy")
    refused = s.sentence(s.run("remote", "follow", run), "this is a copy")
    must(process.wait(patience.patience(PATIENCE)) == 0, s.said())
    s.equal()
    return refused


@situation("the project is moved, and a copy of it is resumed first", quick=True)
def _(s):
    s.killed()
    first, copy = s.there(), s.folder / "copy"
    shutil.copytree(s.project, copy)
    s.project = s.project.rename(s.folder / "moved")
    s.fine(s.run("project", "trust", copy))
    run = copy / "runs/0001-sft"
    taken = s.resume(run)
    s.fine(taken)
    must(s.there(run) == first and "but is no longer there" in taken.text, taken.text[-500:])
    again = s.resume()
    s.fine(again)
    must(s.there() != first and "is used by the project" in again.text, again.text[-500:])
    return s.resumed()


@situation("a copy of the project goes its own way")
def _(s):
    s.killed()
    copy = s.folder / "copy"
    shutil.copytree(s.project, copy)
    run, first = copy / "runs/0001-sft", s.there()
    s.fine(s.run("project", "trust", copy))
    before = probe.tree(first)
    s.fine(s.resume(run))
    s.resumed(run)
    must(s.there(run) != first and probe.tree(first) == before, "the run of the original was used")
    s.fine(s.resume())
    must(s.there() == first, "the original's run is elsewhere now")
    return s.resumed()


@situation("the project here is moved while it works")
def _(s):
    process = s.started()
    process.kill()
    process.wait()
    os.kill(follower(s), signal.SIGKILL)
    first = s.there()
    s.project = s.project.rename(s.folder / "moved")
    time.sleep(6)  # until then what follows it might just begin
    s.fine(s.resume())
    must(s.there() == first, "it works in another folder there")
    must(len(list(s.far.home.glob("sparserl-projects/*"))) == 1, "there are two folders there")
    return s.equal()


@situation("a backup here that is older than the run there")
def _(s):
    process = s.started()
    s.wait("something here", lambda: checkpoints(s.here))
    backup = s.folder / "backup"
    shutil.copytree(s.project, backup)
    must(process.wait(patience.patience(PATIENCE)) == 0, s.said())
    shutil.rmtree(s.project)
    backup.rename(s.project)
    s.fine(s.run("project", "trust", s.project))
    s.fine(s.run("remote", "follow", s.here))
    return s.equal()


# Journals and checkpoints that differ.

def followed_again(s):
    """Follows once more what has ended."""
    mark = s.mark()
    mark["ended"] = False
    (s.here / "remote.json").write_text(json.dumps(mark))
    return s.run("remote", "follow", s.here)


@situation("the journal there is shorter than here", quick=True)
def _(s):
    s.killed()
    journal = s.there() / "journal.jsonl"
    lines = (s.here / "journal.jsonl").read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-3]))
    s.fine(followed_again(s))
    kept = list(s.here.glob("journal.cut.*.jsonl"))
    must(len(kept) == 1 and kept[0].read_bytes() == b"".join(lines[-3:]), f"what was here is gone: {kept}")
    notice = s.mark()["notice"]
    must("not the one that was followed" in notice, "it was not said")
    s.fine(s.resume())
    must(probe.last_state(s.here) == "done" and weights(s.here) == weights(s.references["plain"]), "the weights are not those of a run here")
    must(steps(s.here, kept=True) == steps(s.references["plain"]), "steps are lost")
    return notice


@situation("the journal there is empty")
def _(s):
    s.killed()
    before = (s.here / "journal.jsonl").read_bytes()
    (s.there() / "journal.jsonl").write_bytes(b"")
    s.fine(followed_again(s))
    must(next(s.here.glob("journal.cut.*.jsonl")).read_bytes() == before, "what was here is gone")
    s.fine(s.resume())
    must(weights(s.here) == weights(s.references["plain"]), "the weights are not those of a run here")
    return "followed, all is kept; then the weights of a run here"


@situation("the journal there ends with half a line")
def _(s):
    s.killed()
    with open(s.there() / "journal.jsonl", "a", encoding="utf-8") as file:
        file.write('{"seq":99999,"kind":"met')
    s.fine(followed_again(s))
    must(b"99999" not in (s.here / "journal.jsonl").read_bytes(), "half a line came")
    s.fine(s.resume())
    return s.resumed()


@situation("a line of the journal there stands twice")
def _(s):
    s.killed()
    journal = s.there() / "journal.jsonl"
    journal.write_bytes(journal.read_bytes() + journal.read_bytes().splitlines(keepends=True)[-1])
    s.fine(followed_again(s))
    must((s.here / "journal.jsonl").read_bytes() == journal.read_bytes(), "the journals differ")
    s.fine(s.resume())
    return s.resumed()


@situation("a checkpoint there is damaged", quick=True)
def _(s):
    process = s.started()
    os.kill(follower(s), signal.SIGKILL)
    s.wait("a second checkpoint there", lambda: len(checkpoints(s.there())) > 1)
    damaged = next(path for path in checkpoints(s.there()) if not (s.here / "checkpoints" / path.name).exists())
    file = next(damaged.rglob(WEIGHTS))
    data = bytearray(file.read_bytes())
    data[-5] ^= 1
    file.write_bytes(data)
    s.fine(s.run("remote", "follow", s.here))
    must(process.wait(patience.patience(PATIENCE)) == 0, s.said())
    must(not (s.here / "checkpoints" / damaged.name).exists(), "a damaged checkpoint is here")
    must("is damaged there" in (s.mark()["notice"] + (s.here / "follower.log").read_text() + s.said()), "it was not said")
    return s.equal()


@situation("all checkpoints there are lost", quick=True)
def _(s):
    s.killed()
    must(len(checkpoints(s.here)) > 1, "no checkpoint is here")
    at = int(checkpoints(s.here)[-1].name[5:])
    shutil.rmtree(s.there() / "checkpoints")
    s.fine(s.resume())
    must(at == 0 or not (s.here / "checkpoints.set-aside").exists(), "what was here was moved")
    return s.resumed()


@situation("the newest checkpoints there are lost while it is followed")
def _(s):
    s.killed()
    lost = checkpoints(s.there())[-1]
    shutil.rmtree(lost)
    s.fine(followed_again(s))
    places = [s.here / "checkpoints" / lost.name, s.here / "checkpoints.set-aside" / lost.name]
    must(any(probe.checkpoint_fault(place) == "" for place in places if place.exists()), "the only copy was removed")
    s.fine(s.resume())
    return s.resumed()


@situation("run.toml there cannot be read")
def _(s):
    s.killed()
    file = s.there() / "run.toml"
    file.unlink()
    file.mkdir()
    first = s.there()
    before = probe.tree(first)
    s.fine(s.resume())
    must(s.there() != first and probe.tree(first) == before, "what is left there was changed")
    return s.resumed()


@situation("a mark that names another run there, and no identity", quick=True)
def _(s):
    s.fine(s.train())
    s.fine(s.train())
    other = s.project / "runs/0002-sft"
    before = essence(other)
    mark = dict(s.mark(other), run=s.mark()["run"], identity="", ended=False, worker=True)
    (other / "remote.json").write_text(json.dumps(mark))
    (other / "control.jsonl").write_text(json.dumps({"id": "theirs", "t": time.time(), "command": "stop"}) + "\n")
    s.sentence(s.run("remote", "follow", other), "this machine has not sent the run to far")
    s.sentence(s.run("remote", "adopt", other), "names no run in the folder of far")
    # One that the user says is theirs is held to what lies there.
    (other / "remote.json").write_text(json.dumps(dict(mark, identity="0123456789abcdef")))
    s.fine(s.run("remote", "adopt", other))
    s.sentence(s.run("remote", "follow", other), "holds another run")
    must(essence(other) == before and not list(other.glob("journal.cut.*")), "lines of another run came, or some of this one went")
    must("theirs" not in (s.there() / "control.jsonl").read_text() if (s.there() / "control.jsonl").exists() else True, "it was steered")
    return s.equal()


# `sparserl control` of a run there.

def control(s, *words, more=()):
    return s.run("control", s.here, *words, *more)


def answers(run):
    """The last answer to each command, by its id, with what it was; each may have one only."""
    last = {}
    for entry in probe.entries_of(run):
        if entry["kind"] == "control":
            must(entry["id"] not in last or last[entry["id"]]["outcome"] == "pending", f"two answers to {entry['id']}")
            last[entry["id"]] = entry
    return last


@situation("control: every command, one after the other", quick=True)
def _(s):
    process = s.started()
    for words, said in ((["pause"], "pause: applied"), (["set", "checkpoint.every=1"], "set checkpoint.every=1: applied"),
                        (["checkpoint"], "checkpoint: applied"), (["resume"], "resume: applied"), (["pause"], "pause: applied"),
                        (["stop"], "stop: applied")):
        done = control(s, *words)
        s.fine(done)
        must(said in done.out, f"{words}: {done.text}")
    must(process.wait(patience.patience(PATIENCE)) == 0, f"exit {process.returncode}: {s.said()}")
    s.ended()
    must([entry["outcome"] for entry in answers(s.here).values()] == ["applied"] * 6, str(answers(s.here)))
    must(probe.last_state(s.here) == "paused", probe.last_state(s.here))
    refused = s.sentence(control(s, "pause"), "this run has no worker")
    s.far.say("")
    s.fine(s.resume())
    s.resumed()
    notice = json.loads((s.here / "remote.json").read_text())["notice"]
    must(notice == "" and not list(s.here.glob("journal.cut.*")), f"an ordinary resume: {notice}")
    return f"equal after a resume; at its end: {refused}"


@situation("control: a change after the end, and one that the worker refuses")
def _(s):
    s.killed()
    done = control(s, "set", "checkpoint.every=1")
    s.fine(done)
    must("takes effect when it is resumed" in done.out, done.text)
    s.sentence(control(s, "set", "sft.lr=-1"), "sft.lr", code=2)
    s.sentence(control(s, "set", "sft.steps=1", more=("--id", "mine")), "sft.steps", code=2)
    s.fine(s.resume())
    applied = [entry for entry in answers(s.here).values() if entry["key"] == "checkpoint.every"]
    must(len(applied) == 1 and applied[0]["outcome"] == "applied", str(applied))
    return s.resumed()


@situation("control: the follower was killed, and the connection is cut meanwhile")
def _(s):
    s.started()
    s.fine(control(s, "pause"))
    os.kill(int((s.here / "follower.lock").read_text().split()[0]), signal.SIGKILL)
    s.fine(control(s, "set", "checkpoint.every=2"))
    s.far.network.refuse()
    waited = control(s, "checkpoint", more=("--wait", "2"))
    sentence = s.sentence(waited, "far did not receive .* within 2 s: it cannot be reached.*is sent once the host can be reached again")
    s.far.network.allow()
    s.wait("the answer", lambda: [entry for entry in answers(s.here).values() if entry["command"] == "checkpoint" and entry["outcome"] == "applied"])
    s.fine(control(s, "stop"))
    s.ended()
    must(len(answers(s.here)) == 4 and len(answers(s.there())) == 4, "a command came twice, or not")
    s.far.say("")
    s.fine(s.resume())
    s.resumed()
    return f"equal after a resume; while it is cut: {sentence}"


@situation("control: fork of a run there")
def _(s):
    s.fine(s.train())
    done = control(s, "fork", "checkpoint.every=1", "sft.steps=14")
    s.fine(done)
    child = s.project / "runs/0002-sft"
    s.wait("the end of the fork", lambda: probe.last_state(child) == "done")
    must(s.mark(child) == {}, "the fork says that it is there")
    return "it goes on here, from the checkpoint that came"


class References:
    """The same runs on this machine, each made when it is first asked for."""
    SETTINGS = {"plain": {}, "seed 5": {"seed": 5}, "one checkpoint": {"checkpoint.keep": 1}, "parent 1": {"seed": 1}, "parent 2": {"seed": 2}}

    def __init__(self, options, folder):
        self._programs = probe.Programs(options.bin, {"XDG_CONFIG_HOME": str(folder / "config")})
        self._project = folder / "reference"
        self._programs.make_project(self._project)
        self._made = {}
        self._lock = threading.RLock()

    def __getitem__(self, name):
        with self._lock:
            if name not in self._made:
                self._made[name] = self._make(name)
            return self._made[name]

    def _make(self, name):
        run = self._project / "runs" / name.replace(" ", "-")
        if name in self.SETTINGS:
            more, settings = [], self.SETTINGS[name]
        else:
            more, settings = ["--parent", str(self[name.replace("child of seed", "parent")])], {"sft.steps": 4}
        done = self._programs.run(["--quiet", "train", "quickstart-sft", "--project", str(self._project), "--run", str(run), *more,
                                   *probe.assignments(dict(SFT, **settings))], timeout=PATIENCE)
        assert done.code == 0, done.text
        return run


def live_through(options, references, number, name, function):
    folder = options.out / f"{number:02}"
    folder.mkdir()
    stage, begin = None, time.monotonic()
    try:
        stage = Stage(options, folder, references, "home of far" if "blanks" in name else "home")
        end, good = function(stage), True
        must(not list((folder / "tmp").glob("sparserl-send-*")), "what was gathered to be sent is left")
    except Wrong as wrong:
        end, good = str(wrong), False
    except Exception:
        end, good = traceback.format_exc().replace("\n", " / "), False
    finally:
        if stage:
            stage.end()
    if good and not options.keep:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"| {name} | {' '.join(end.split())} | {time.monotonic() - begin:.0f} s | {'' if good else '**NOT AS DECLARED** ' + str(folder)} |", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--libraries", type=pathlib.Path, required=True, help="where libfault_files.so and libshift_clock.so are")
    parser.add_argument("--quick", type=int, default=0, metavar="N")
    parser.add_argument("--slow", action="store_true", help="also what takes minutes by itself")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--out", type=pathlib.Path)
    options = parser.parse_args()
    _, why = far_machine.server_program()
    if why:
        print(f"skipped: {why}")
        sys.exit(77)
    options.bin, options.libraries = options.bin.resolve(), options.libraries.resolve()
    options.out = (options.out or pathlib.Path(tempfile.mkdtemp(prefix="far-"))).resolve()
    options.out.mkdir(parents=True, exist_ok=True)
    chosen = [(i, name, function) for i, (name, function, quick, slow, root) in enumerate(SITUATIONS)
              if options.only in name and (quick or not options.quick) and (options.slow or options.only or not slow)
              and (not root or os.geteuid() == 0)]
    if 0 < options.quick < len(chosen) and drawn_functions.number("SPARSERL_TEST_SHARE", 0) != 1:
        draw = os.environ.get("SPARSERL_TEST_DRAW") or str(random.randrange(1, 2 ** 31))
        print(f"{options.quick} of {len(chosen)} rows; the same again: SPARSERL_TEST_DRAW={draw}", flush=True)
        chosen = sorted(random.Random(draw).sample(chosen, options.quick))
    references = References(options, options.out)
    print("| what happens | how it ends | time | |\n|---|---|---:|---|")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        good = list(pool.map(lambda row: live_through(options, references, *row), chosen))
    print(f"{sum(good)} of {len(good)} as declared")
    if all(good) and not options.keep:
        shutil.rmtree(options.out, ignore_errors=True)
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
