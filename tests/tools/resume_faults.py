#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One passing fault of the machine at each reading of a real resume: resume_faults.py --bin build/dev/bin --libraries build/dev/tests

A run of supervised training and one of reinforcement learning are ended by force after some checkpoints. Then they are resumed again
and again, and of all times that a file below the project is opened, read, mapped, listed or asked for (weights, optimizer and
buffers included), one fails: with EIO, ENOMEM, EAGAIN, EACCES, ESTALE, EINTR. No checkpoint may move, no line of the journal may be lost, and once
the fault is gone, the run continues from its last checkpoint to the weights of a run that nothing happened to. `--places`: of the
readings that the same calls of functions lead to, one by lot, each with a kind by lot; `--drawn`: of each kind one reading by lot, half
of the kinds in each run (all in both with SPARSERL_TEST_SHARE=1), another time others (`--seed` repeats a draw); `--every N`: each N-th reading only, from a random
one on; `--width W`: each lasts for 1 to W readings; `--stage` and `--kind`: these rows only. Prints a table; the status is 1 where something does not hold.
"""
import argparse
import collections
import itertools
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import drawn_functions
import probe

KINDS = ("read-eio", "read-enomem", "read-eagain", "read-eacces", "read-estale", "read-eintr")
SFT = dict(probe.SFT, **{"judge.seed": 7, "system.every": 0, "eval.samples": 2, "sft.steps": 8, "checkpoint.every": 2, "eval.every": 0})
RL = dict(probe.RL, **{"judge.seed": 7, "system.every": 0, "rl.iterations": 4, "checkpoint.every": 1, "eval.every": 0})
PATIENCE = 300


def weights(run):
    last = sorted(path for path in (run / "checkpoints").glob("step-*") if (path / "DONE").exists())[-1]
    return last.name, {str(path.relative_to(last)): probe.sha256(path) for path in last.rglob("model.safetensors")}


class Trial:
    def __init__(self, options, folder):
        self.programs, self.options, self.folder = probe.Programs(options.bin), options, folder
        self.calm = folder / "calm"
        self.programs.make_project(self.calm)
        self.failures = 0
        kinds = list(options.kind or KINDS)
        if options.stage or drawn_functions.number("SPARSERL_TEST_SHARE", 0) == 1:
            self.kinds = [kinds, kinds]
        else:
            random.shuffle(kinds)
            self.kinds = [kinds[::2], kinds[1::2]]

    def train(self, project, *words, **more):
        return self.programs.run(["--quiet", "train", *map(str, words)], timeout=PATIENCE, **more)

    def prepare(self, name, words):
        """The undisturbed run, and one that was ended by force after its second checkpoint at least."""
        run = self.calm / "runs" / name
        done = self.train(self.calm, *words(self.calm), "--run", run)
        assert done.code == 0, done.text
        begun = self.folder / f"begun-{name}"
        for _ in range(20):
            shutil.rmtree(begun, ignore_errors=True)
            shutil.copytree(self.calm, begun)
            shutil.rmtree(begun / "runs" / name)
            process = self.programs.start(["--quiet", "train", *map(str, words(begun)), "--run", str(begun / "runs" / name)],
                                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while process.poll() is None and len(list((begun / "runs" / name / "checkpoints").glob("step-*/DONE"))) < 2:
                time.sleep(0.005)
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return run, begun
        raise AssertionError("the run was always at its end already")

    def resume(self, begun, name, **fault):
        """A copy of what was begun, resumed under a fault."""
        project = self.folder / "p"
        shutil.rmtree(project, ignore_errors=True)
        shutil.copytree(begun, project)
        run = project / "runs" / name
        settings = {f"SPARSERL_FAULT_{key.upper()}": str(value) for key, value in fault.items()}
        return project, run, self.train(project, "--run", run, environment={
            "LD_PRELOAD": str(self.options.libraries / "libfault_files.so"), "SPARSERL_FAULT_ROOT": str(project), **settings})

    def ways(self, begun, name):
        """Numbers of the readings by the way through the program that leads to them."""
        trace = self.folder / "trace"
        trace.unlink(missing_ok=True)
        _, _, done = self.resume(begun, name, kind=KINDS[0], at=0, trace=trace)
        assert done.code == 0, done.text
        ways = collections.defaultdict(list)
        for number, way in enumerate(trace.read_text().split(), 1):
            ways[way].append(number)
        return ways

    def places(self, begun, name):
        """Of each way through the program that leads to a reading: the number of one of them, by lot."""
        ways = self.ways(begun, name)
        return sorted(random.choice(numbers) for numbers in ways.values()), sum(map(len, ways.values()))

    def plans(self, begun, name):
        """Rows of the table, each with the readings that fail in turn: pairs of a number and a kind."""
        kinds = self.options.kind or KINDS
        if self.options.places:
            numbers, count = self.places(begun, name)
            yield f"{len(numbers)} places of {count} readings, {', '.join(kinds)} by lot", [(at, random.choice(kinds)) for at in numbers]
            return
        if self.options.drawn:
            # By the way first: a loop that reads weights makes most of the readings.
            ways = list(self.ways(begun, name).values())
            kinds = self.kinds.pop()
            yield f"one of {sum(map(len, ways))} readings of each of {', '.join(kinds)}, by lot", sorted((random.choice(random.choice(ways)), kind) for kind in kinds)
            return
        for kind in kinds:
            yield kind, ((at, kind) for at in itertools.count(random.randint(1, self.options.every), self.options.every))

    def go_through(self, name, words):
        calm, begun = self.prepare(name, words)
        wanted = weights(calm)
        names = {path.name for path in (begun / "runs" / name / "checkpoints").iterdir() if (path / "DONE").exists()}
        journal = (begun / "runs" / name / "journal.jsonl").read_bytes()
        for title, plan in self.plans(begun, name):
            ends, faults, at = collections.Counter(), [], 0
            for at, kind in plan:
                mark, width = self.folder / "mark", random.randint(1, self.options.width)
                mark.unlink(missing_ok=True)
                project, run, faulty = self.resume(begun, name, kind=kind, at=at, mark=mark, width=width)
                if not mark.exists(): # beyond the last one
                    break
                if sum(ends.values()) % 50 == 49:
                    print(f"  {name}: up to reading {at}, {sum(ends.values()) + 1} tried, {len(faults)} wrong", file=sys.stderr, flush=True)
                ends["went on" if faulty.code == 0 else "a sentence" if faulty.code == 1 and faulty.sentences() else f"exit {faulty.code}"] += 1
                wrong = ""
                if faulty.code not in (0, 1):
                    wrong = f"exit {faulty.code}"
                elif (run / "checkpoints.set-aside").exists() or not all((run / "checkpoints" / one / "DONE").exists() for one in names):
                    wrong = "a checkpoint moved"
                else:
                    free = faulty if faulty.code == 0 else self.train(project, "--run", run) # it came to its end by itself
                    kept = (run / "journal.jsonl").read_bytes() + b"".join(path.read_bytes() for path in run.glob("journal.discarded.*.jsonl"))
                    lost = [line for line in journal.splitlines()[:-1] if line not in kept]
                    wrong = f"it does not go on: {free.text[-200:]}" if free.code != 0 else "other weights" if weights(run) != wanted else \
                        "a checkpoint moved" if (run / "checkpoints.set-aside").exists() else "lines of the journal are lost" if lost else ""
                if wrong:
                    faults.append(f"{kind} at reading {at}, {width} long: {wrong}; it had said: {' '.join(faulty.text.split())[-300:]}")
                    print("  " + faults[-1].replace(str(self.folder), ""), flush=True) # a row may take hours
            self.failures += len(faults)
            print(f"| {name}, {title} | up to reading {at}, {sum(ends.values())} tried | {dict(ends)} | {len(faults)} wrong |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--libraries", type=pathlib.Path, required=True)
    parser.add_argument("--places", action="store_true")
    parser.add_argument("--drawn", action="store_true")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--width", type=int, default=1)
    parser.add_argument("--stage", choices=("sft", "rl"))
    parser.add_argument("--kind", choices=KINDS, action="append", help="may be given several times; all without it")
    parser.add_argument("--seed", type=int)
    options = parser.parse_args()
    if options.seed is None:
        options.seed = random.randrange(1 << 31) if options.drawn else 1
    if options.drawn:
        print(f"the same again: --drawn --seed {options.seed}", flush=True)
    options.libraries = options.libraries.resolve()
    random.seed(options.seed)
    memory = pathlib.Path("/dev/shm")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="resume-faults-", dir=memory if os.access(memory, os.W_OK) else None))
    trial = Trial(options, folder)
    sft = lambda project: ["quickstart-sft", "--project", project, *probe.assignments(SFT)]
    parent = trial.calm / "runs/parent"
    assert trial.train(trial.calm, *sft(trial.calm), "--run", parent).code == 0
    print("| resume | readings | ends | |\n|---|---|---|---|")
    if options.stage != "rl":
        trial.go_through("sft", sft)
    if options.stage != "sft":
        trial.go_through("rl", lambda project: ["quickstart-ppo", "--project", project, "--parent", parent, *probe.assignments(RL)])
    shutil.rmtree(folder, ignore_errors=True)
    sys.exit(1 if trial.failures else 0)


if __name__ == "__main__":
    main()
