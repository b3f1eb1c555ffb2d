#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Damages the files of a run in every way and looks at what the programs say, keep and go on from.

    damage_table.py --bin build/dev/bin --out docs/damage.md        all of it; writes the page
    damage_table.py --bin build/dev/bin --quick                     each damage once, and fewer commands; writes nothing

Each of the damages befalls the journal, the weights and the description of the newest checkpoint, the index, run.toml and
control.jsonl of a run that is finished and of one that a crash interrupted. Then come the commands that a user would try: list
the runs, show the run, resume it, export from it, rebuild the index. For every cell it is checked that no program crashes or
hangs; that nothing complete is gone (files are compared with those before, moved ones by their bytes; of the journal every byte must be in
the journal, in journal.discarded or in journal.torn); that the index has what the journal has, once; that a run that goes on
ends with the weights of the run that nothing befell; and that a second resume changes nothing.
Ends with 1 where a cell fails.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import secrets
import shutil
import stat
import sys
import tempfile
import traceback

import drawn_functions
import probe

RUN = "0001-sft"
NEWEST = {"finished": "step-000012", "interrupted": "step-000008"}
FILES = {
    "journal": "journal.jsonl",
    "weights": "checkpoints/{newest}/model.safetensors",
    "description": "checkpoints/{newest}/checkpoint.json",
    "index": "../../project.sqlite",
    "run.toml": "run.toml",
    "control": "control.jsonl",
}
TITLES = {
    "journal": "The journal", "weights": "The weights of the newest checkpoint",
    "description": "`checkpoint.json` of the newest checkpoint", "index": "The index, `project.sqlite`",
    "run.toml": "`run.toml`", "control": "`control.jsonl`"}
VOLATILE = re.compile(r"(^|/)(heartbeat\.json|worker\.log|generation\.json|[^/]*\.lock|project\.sqlite[^/]*)$|^(cache|exports)/")


def lines_of(path):
    return path.read_bytes().splitlines(keepends=True)


def middle(items):
    return max(1, len(items) * 3 // 5) if len(items) > 1 else 0


def rewrite_lines(change):
    def damage(path, _):
        lines = lines_of(path)
        change(lines, middle(lines))
        path.write_bytes(b"".join(lines))
    return damage


def rewrite_bytes(change):
    return lambda path, _: path.write_bytes(change(path.read_bytes()))


def exchange(lines, at):
    other = at - 1 if at > 0 else 0
    lines[at], lines[other] = lines[other], lines[at]


def flip(data):
    at = len(data) * 3 // 5
    return data[:at] + bytes([data[at] ^ 4]) + data[at + 1:]


def nulls(data):
    at = len(data) * 3 // 5
    return data[:at] + bytes(min(64, len(data) - at)) + data[at + 64:]


def replace(make):
    def damage(path, other):
        path.unlink()
        make(path, other)
    return damage


DAMAGES = {
    "truncated to nothing": rewrite_bytes(lambda data: b""),
    "cut in the middle": rewrite_bytes(lambda data: data[:len(data) * 3 // 5]),
    "cut at a line's end": rewrite_lines(lambda lines, at: lines.__delitem__(slice(at, None))),
    "one line removed": rewrite_lines(lambda lines, at: lines.__delitem__(at)),
    "one line doubled": rewrite_lines(lambda lines, at: lines.insert(at, lines[at])),
    "two lines exchanged": rewrite_lines(exchange),
    "line ends made CRLF": rewrite_bytes(lambda data: data.replace(b"\n", b"\r\n")),
    "64 zeros in the middle": rewrite_bytes(nulls),
    "one bit flipped": rewrite_bytes(flip),
    "garbage appended": rewrite_bytes(lambda data: data + bytes(range(128, 256)) * 3 + b"\n{]\n"),
    "missing": replace(lambda path, other: None),
    "a folder instead": replace(lambda path, other: path.mkdir()),
    "another run's file": replace(lambda path, other: shutil.copy(other, path)),
    "a named pipe instead": replace(lambda path, other: os.mkfifo(path)),
    "unreadable": lambda path, _: path.chmod(0),
}


def make_bases(programs, folder):
    """The project with the finished run, and a copy where a crash seems to have ended it behind the third checkpoint."""
    finished = folder / "finished"
    programs.make_project(finished)
    for seed in (1, 2): # the second is "another run", with the same steps
        words = ["--quiet", "train", "quickstart-sft", "--project", str(finished), *probe.assignments(dict(probe.SFT, seed=seed))]
        ran = programs.run(words)
        assert ran.code == 0, ran.text
    run = finished / "runs" / RUN
    commands = [("p1", "pause"), ("s1", "stop"), ("k1", "checkpoint")]
    (run / "control.jsonl").write_text(
        "".join(json.dumps({"id": i, "t": 1, "command": command}) + "\n" for i, command in commands) +
        json.dumps({"id": "set1", "t": 1, "command": "set", "key": "checkpoint.keep", "value": "8"}) + "\n")
    shutil.copy(run / "control.jsonl", finished / "runs" / "0002-sft" / "control.jsonl")
    assert programs.run(["project", "reindex", str(finished)]).code == 0
    interrupted = folder / "interrupted"
    shutil.copytree(finished, interrupted)
    run = interrupted / "runs" / RUN
    shutil.rmtree(run / "checkpoints" / "step-000012")
    end = [at for at, entry in probe.complete_lines(run / "journal.jsonl") if entry.get("name") == "step-000008"][0]
    data = (run / "journal.jsonl").read_bytes()
    later = data.index(b"\n", data.index(b"\n", end) + 1) + 1
    (run / "journal.jsonl").write_bytes(data[:later] + data[later:later + 100])
    assert programs.run(["project", "reindex", str(interrupted)]).code == 0
    return {"finished": finished, "interrupted": interrupted}


def other_file(project, target):
    run = project / "runs" / "0002-sft"
    return {"index": project.parent / "other.sqlite"}.get(target, run / FILES[target].format(newest="step-000012"))


class Cell:
    """One damage of one file of one of the two runs: what was done and what came of it."""

    def __init__(self, programs, bases, state, target, damage, folder, quick):
        self.programs, self.state, self.target, self.damage = programs, state, target, damage
        self.base = bases[state]
        self.project = folder / f"{state}-{target}-{damage}".replace(" ", "_").replace("'", "")
        self.run = self.project / "runs" / RUN
        self.faults = []
        self.said = {}
        self.mended = False
        # As root nothing is unreadable, unless the right to read everything is given up.
        self.quick = quick
        self.prefix = ("setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search") \
            if os.geteuid() == 0 and damage == "unreadable" else ()

    def fault(self, text):
        self.faults.append(text)

    def check(self, good, text):
        if not good:
            self.fault(text)

    def command(self, name, words, timeout=30):
        done = self.programs.run(words, timeout=timeout, prefix=self.prefix)
        self.said[name] = (done.code, [self.plain(line) for line in done.sentences()])
        self.check(done.code is not None, f"{name}: did not end within {timeout} s")
        self.check(done.code is None or done.code in (0, 1), f"{name}: ended with {done.code}: {done.text[-500:]}")
        if done.code == 1:
            self.check(len(done.err.strip()) > 0, f"{name}: failed without a word")
        return done

    def plain(self, line):
        line = line.replace(str(self.run), "RUN").replace(str(self.project), "PROJECT").replace(str(self.base), "PROJECT")
        line = re.sub(r"0x[0-9a-f]{2}|\bbyte \d+|\b\d+ bytes|\bline \d+|column \d+", lambda m: re.sub(r"\d+", "N", m[0]), line)
        return re.sub(r"\s+", " ", line)

    def before_and_after(self):
        """Every complete file of before is there still, moved aside, or, of a journal, in its parts."""
        after = self.tree()
        aside = {}
        for name, digest in after.items():
            aside.setdefault(digest, []).append(name)
        for name, digest in self.before.items():
            if VOLATILE.search(name) or after.get(name) == digest:
                continue
            if name == f"runs/{RUN}/journal.jsonl":
                self.journal_parts()
            elif name == f"runs/{RUN}/control.jsonl" and self.control_kept():
                continue
            elif not any("set-aside" in place or "broken" in place for place in aside.get(digest, [])):
                self.fault(f"{name} is gone or changed and nowhere else")

    def control_kept(self):
        path = self.run / "control.jsonl"
        return probe.is_plain(path) and path.read_bytes().startswith(self.control)

    def journal_parts(self):
        """All bytes of the journal before: its beginning in the journal, the rest set aside."""
        now = (self.run / "journal.jsonl").read_bytes()
        parts = b"".join(path.read_bytes() for path in [
            *sorted(self.run.glob("journal.discarded.*.jsonl")), *self.run.glob("journal.torn")])
        common = 0
        for line in self.journal.splitlines(keepends=True):
            if now[common:common + len(line)] != line:
                break
            common += len(line)
        rest = self.journal[common:]
        for line in rest.splitlines(keepends=True):
            self.check(line in parts, f"the journal's line {line[:80]!r} is nowhere")

    def tree(self):
        return probe.tree(self.project)

    def index_is_that_of_the_journal(self, when):
        have = probe.counts_of_index(self.project, self.run)
        want = probe.counts_of_journal(self.run)
        if have is not None: # a run without a readable run.toml is not listed
            self.check(have == want, f"{when}: the index has {have}, the journal {want}")
        self.check(probe.integrity(self.project) == "ok", f"{when}: the index is damaged")

    def readable(self):
        path = self.run / "journal.jsonl"
        return probe.is_plain(path) and path.stat().st_mode & stat.S_IRUSR or not path.exists()

    def journal_size_changed(self):
        """What is changed in place is not seen before the index is rebuilt."""
        return len(self.journal) != (self.base / "runs" / RUN / "journal.jsonl").stat().st_size

    def go(self):
        shutil.copytree(self.base, self.project)
        target = self.run / FILES[self.target].format(newest=NEWEST[self.state])
        DAMAGES[self.damage](target, other_file(self.base, self.target))
        self.before = self.tree()
        self.journal = self.bytes_of("journal.jsonl")
        self.control = self.bytes_of("control.jsonl")

        self.command("list", ["runs", "--project", str(self.project)])
        if not self.quick:
            self.command("show", ["runs", RUN, "--project", str(self.project)])
        if self.readable() and (self.target != "journal" or self.journal_size_changed()):
            self.index_is_that_of_the_journal("listed")
        if not self.quick:
            self.command("export", ["export", "--run", str(self.run), "--out", str(self.project / "exports" / "one")])
        self.before_and_after()
        resumed = self.command("resume", ["--quiet", "train", "--run", str(self.run)])
        self.before_and_after()
        if resumed.code == 1 and self.target == "run.toml" and not self.prefix:
            resumed = self.put_the_copy_back()
        self.went_on(resumed)
        if resumed.code == 0 and not self.quick:
            first = self.tree()
            again = self.command("resume again", ["--quiet", "train", "--run", str(self.run)])
            self.check(again.code == 0, f"the second resume ended with {again.code}")
            second = self.tree()
            changed = [name for name in set(first) | set(second) if first.get(name) != second.get(name) and not VOLATILE.search(name)]
            self.check(not changed, f"a second resume changed {changed}")
        self.command("reindex", ["project", "reindex", str(self.project)])
        if self.readable():
            self.index_is_that_of_the_journal("reindexed")
        self.before_and_after()
        leftover = [name for name in self.tree() if ".tmp-" in name or "/.removing-" in name or "/.old-" in name]
        self.check(not leftover, f"left over: {leftover}")

    def put_the_copy_back(self):
        """What the error says: a checkpoint has a copy."""
        copy = self.run / "checkpoints" / NEWEST[self.state] / "run.toml"
        self.check(any("Replace it with its copy" in line for line in self.said["resume"][1]),
                   "nothing is said of the copy of run.toml")
        target = self.run / "run.toml"
        self.before.pop(f"runs/{RUN}/run.toml", None)
        if target.is_dir():
            target.rmdir()
        else:
            target.unlink(missing_ok=True)
        shutil.copy(copy, target)
        self.mended = True
        said = self.said["resume"]
        done = self.command("resume", ["--quiet", "train", "--run", str(self.run)])
        self.check(done.code == 0, f"with the copy of run.toml: {done.text[-300:]}")
        self.said["resume"] = (done.code, said[1] + self.said["resume"][1])
        return done

    def bytes_of(self, name):
        path = self.run / name
        return path.read_bytes() if probe.is_plain(path) else b""

    def went_on(self, resumed):
        """A run that ended well ended as the run that nothing befell; where it could not, nothing was written."""
        weights = "checkpoints/step-000012/model.safetensors"
        wanted = probe.sha256(self.bases_finished / "runs" / RUN / weights)
        if resumed.code == 0:
            self.check(probe.last_state(self.run) == "done", "the resumed run is not done")
            same = probe.is_plain(self.run / weights) and probe.sha256(self.run / weights) == wanted
            if self.target == "journal" and self.damage == "another run's file" and not same:
                self.check(any("is not the one that was written" in line for line in self.said["resume"][1]),
                           "nothing is said of a journal that is not this run's")
            elif not (self.state == "finished" and self.target == "weights"):
                self.check(same, "the resumed run ended with other weights")
        for folder in (self.run / "checkpoints").iterdir():
            if self.target not in ("weights", "description") or self.state != "finished":
                fault = probe.checkpoint_fault(folder)
                self.check(not fault, f"{folder.name}: {fault}")

    def row(self):
        """What the page says of this cell."""
        said = []
        for name in ("list", "show", "export", "resume", "reindex"):
            code, lines = self.said.get(name, (None, []))
            for line in lines:
                if not any(line == old for _, old in said):
                    said.append((name, line))
        run = self.run
        code, _ = self.said.get("resume", (None, []))
        kept = []
        if (run / "checkpoints.set-aside").exists():
            kept.append("the checkpoint in checkpoints.set-aside")
        for path in sorted(run.glob("journal.discarded.*")) + sorted(run.glob("journal.torn")) + sorted(run.glob("*.set-aside*")):
            if path.name != "checkpoints.set-aside":
                kept.append(path.name)
        kept += sorted(path.name for path in self.project.glob("project.sqlite.broken*") if not path.name.endswith(("-wal", "-shm")))
        state = probe.last_state(run) if probe.is_plain(run / "journal.jsonl") else None
        running = [entry["step"] for entry in probe.entries_of(run) if entry["kind"] == "state" and entry.get("state") == "running"] \
            if probe.is_plain(run / "journal.jsonl") else []
        if code == 0 and any("finished already" in line for _, line in said):
            on = "stays finished"
        elif code == 0 and self.state == "finished" and not kept and "resume" in self.said and state == "done" and len(running) == 1:
            on = "stays finished"
        elif code == 0:
            on = f"from step {running[-1]} to the end" if running else "to the end"
        else:
            on = "no, until it is repaired"
        if self.mended:
            on = "with the copy put back: " + on
        return said, kept, on


def run_cell(arguments):
    cell = Cell(*arguments)
    cell.bases_finished = arguments[1]["finished"]
    try:
        cell.go()
    except Exception: # a cell that cannot be looked at has failed
        cell.fault(traceback.format_exc())
    return cell


def page(cells):
    out = ["# Damage and its effects", "",
           "`tests/tools/damage_table.py` writes this page. It damages the files of two short runs (12 steps,",
           "checkpoints at steps 0, 4, 8 and 12), one file at a time. One run is finished; a crash interrupted",
           "the other after the checkpoint at step 8. The tool then lists the runs, shows the damaged run,",
           "exports a program from it, resumes it twice and rebuilds the index. For every row, the tool has",
           "checked that nothing complete was deleted or changed, that the index agrees with the journal, and",
           "that a resumed run ends with the weights of an undisturbed run. In the tables, RUN and PROJECT stand",
           'for the folders of the run and the project. The column "set aside" names what was moved to another',
           'file or folder; the column "resumes" says whether the run can be resumed, and from which step it',
           "continues.", ""]
    for target, title in TITLES.items():
        out += [f"## {title}", "", "| damage | run | messages | set aside | resumes |", "|---|---|---|---|---|"]
        for damage in DAMAGES:
            for state in ("finished", "interrupted"):
                cell = cells.get((state, target, damage))
                if cell is None:
                    continue
                said, kept, on = cell.row()
                text = "<br>".join(line.replace("|", "\\|") for _, line in said) or "-"
                out.append(f"| {damage} | {state} | {text} | {', '.join(kept) or '-'} | {on} |")
        out.append("")
    return "\n".join(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="folder of the programs sparserl and sparserl-runner")
    parser.add_argument("--out", help="write the page here")
    parser.add_argument("--quick", action="store_true", help="each damage once, and fewer commands")
    parser.add_argument("--one-in", type=int, default=1, help="only one of so many cells, drawn as drawn_functions.py does")
    parser.add_argument("--only", default="", help="cells whose STATE/FILE/DAMAGE matches this expression")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", help="make the projects here and keep them")
    options = parser.parse_args()
    programs = probe.Programs(options.bin)
    with tempfile.TemporaryDirectory(prefix="damage-") as scratch:
        folder = pathlib.Path(options.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        bases = make_bases(programs, folder)
        other = folder / "elsewhere"
        programs.make_project(other)
        assert programs.run(["project", "reindex", str(other)]).code == 0
        shutil.copy(other / "project.sqlite", folder / "other.sqlite")
        work = []
        for number, (target, damage) in enumerate((t, d) for t in FILES for d in DAMAGES):
            if options.quick and target == ("weights", "description")[number % 2]:
                continue
            for state in (("finished", "interrupted") if not options.quick else ("interrupted" if number % 4 else "finished",)):
                if re.search(options.only, f"{state}/{target}/{damage}"):
                    work.append((programs, bases, state, target, damage, folder, options.quick))
        one_in = drawn_functions.number("SPARSERL_TEST_SHARE", options.one_in)
        if one_in > 1:
            draw = drawn_functions.number("SPARSERL_TEST_DRAW", secrets.randbits(31) | 1)
            names = drawn_functions.some(["/".join(cell[3:5]) for cell in work], one_in, draw)
            print(f"{len(names)} of {len(work)} cells; the same again: SPARSERL_TEST_DRAW={draw}", flush=True)
            work = [cell for cell in work if "/".join(cell[3:5]) in names]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            done = []
            for cell in pool.map(run_cell, work):
                done.append(cell)
                for fault in cell.faults:
                    print(f"FAIL {cell.state}, {cell.target}, {cell.damage}: {fault}", flush=True)
        failed = sum(bool(cell.faults) for cell in done)
        print(f"{len(done)} cells, {failed} failed")
        if options.out and not failed:
            pathlib.Path(options.out).write_text(page({(c.state, c.target, c.damage): c for c in done}))
    return 1 if failed or not work else 0


if __name__ == "__main__":
    sys.exit(main())
