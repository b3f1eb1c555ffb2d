#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The words of the command line: command_line_test.py --bin build/dev/bin

Slips in the name of every command, option and value of a fixed set are told with what was meant, and end with 2; names that are
not there with 1. Completions and manual pages name every command and option. `sparserl control` steers a run that works.
"""
import argparse
import concurrent.futures
import gzip
import json
import os
import pathlib
import re
import secrets
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import drawn_functions
import patience
import probe

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging"))
import command_examples  # noqa: E402
import command_words  # noqa: E402

PROGRAMS = None  # set by main()
PATIENCE = 400   # of what takes seconds on a machine that has time
# Commands that load LibTorch for a third of a second of processor time, whatever is wrong with their words.
TRAINING = set(re.findall(r"^SPARSERL_TRAINING_COMMAND\((\w+),", (ROOT / "app/cli/commands.def").read_text(encoding="utf-8"), re.M))
ONE_IN = drawn_functions.number("SPARSERL_TEST_SHARE", 8)  # of what is asked of these: of each at least one, others every time
DRAW = drawn_functions.number("SPARSERL_TEST_DRAW", secrets.randbits(31) | 1)


def slip(name):
    """The name with two neighbours swapped."""
    at = next(i for i in range(len(name) // 2 - 1, len(name)) if i + 1 < len(name) and name[i] != name[i + 1])
    return name[:at] + name[at + 1] + name[at] + name[at + 2:]


def said(words, **more):
    return PROGRAMS.run([str(word) for word in words], timeout=PATIENCE, **more)


class Words(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = command_words.declared(PROGRAMS.folder)
        cls.all = list(command_words.walk(cls.root))

    def each(self, cases):
        """(words, status, what is said) of each case, and of commands that load LibTorch of those that are drawn; slow ones side by
        side."""
        self.assertGreater(len(cases), 5)
        slow = {}
        for number, (words, _, _) in enumerate(cases):
            if ONE_IN > 1 and words[0] in TRAINING:
                slow.setdefault(words[0], []).append(str(number))
        left_out = {int(one) for numbers in slow.values()
                    for one in set(numbers) - set(drawn_functions.some(numbers, ONE_IN, DRAW))}
        cases = [case for number, case in enumerate(cases) if number not in left_out]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for (words, code, text), done in zip(cases, pool.map(lambda case: said(case[0]), cases)):
                with self.subTest(words=words):
                    self.assertEqual(done.code, code, done.text)
                    self.assertIn(text, " ".join(done.err.split()))
                    self.assertEqual(len(done.err.splitlines()), 1, done.err)

    def line(self, words):
        """The words after the program's name; where a command takes something before its own commands, that too."""
        line, command = [], self.root
        for word in words[1:]:
            command = next(sub for sub in command["commands"] if sub["name"] == word)
            line += [word, *(["x"] if command["commands"] and any(option.get("positional") for option in command["options"]) else [])]
        return line

    def test_there_is_something_to_test(self):
        names = {" ".join(words) for words, _, _ in self.all}
        self.assertLessEqual({"sparserl corpus sample", "sparserl control set", "sparserl train", "sparserl device info"}, names)
        train = next(command for words, command, _ in self.all if words == ("sparserl", "train"))
        self.assertIn("--host", [name for option in train["options"] for name in option["names"]])

    def test_commands(self):
        cases = []
        for words, command, _ in self.all:
            for sub in command["commands"]:
                cases.append(([*self.line(words), slip(sub["name"])], 2, f"Did you mean {sub['name']}?"))
        self.each(cases)

    def test_options(self):
        cases = []
        for words, command, options in self.all:
            declared = {name for option in options for name in option["names"]}
            for option in command["options"]:
                for name in option["names"]:
                    wrong = "--" + slip(name[2:]) if len(name) > 4 else None
                    if wrong and wrong not in declared:
                        cases.append(([*self.line(words), wrong], 2, f"has no option {wrong}. Did you mean {name}?"))
        self.each(cases)

    def test_values(self):
        cases = []
        for words, command, _ in self.all:
            for option in command["options"]:
                for choice in option.get("choices", []):
                    cases.append(([*self.line(words), option["names"][-1], choice + "x"], 2, f"Did you mean {choice}?"))
        self.each(cases)

    def test_nothing_is_near(self):
        for words, text in ((["qqqqqqqq"], "It has features"), (["judge", "--qqqqqqqq"], "Run `sparserl judge --help`"),
                            (["judge", "--device", "qqqqq"], "one of sim, cuda, auto"), (["bench", "--families", "S1,qqqqq"], "Families are S1"),
                            (["corpus", "sample", "--family", "qqqqq"], "Families are S1")):
            done = said(words)
            self.assertEqual(done.code, 2, done.text)
            self.assertIn(text, done.err)
            self.assertNotIn("Did you mean", done.err)

    def test_examples_name_parameters_that_there_are(self):
        declared = set(re.findall(r"^\| `([a-z_.0-9]+)` \|", (ROOT / "docs/parameters.md").read_text(), re.M))
        helps = [one["help"] for _, command, _ in self.all for one in [command, *command["options"]]]
        named = {key for text in helps for key in re.findall(r"\b([a-z]+\.[a-z_]+) ?[=<>]", text)}
        self.assertIn("rl.kl_coef", named)
        self.assertLessEqual(named, declared)

    def test_json(self):
        done = said(["--json", "bnech"])
        self.assertEqual(done.code, 2)
        error = json.loads(done.out)["error"]
        self.assertEqual(error["remedy"], "Did you mean bench?")

    def test_parameters_are_usage_and_names_are_not(self):
        done = said(["train", "quickstart-ppo", "--set", "rl.iteratons=3"])
        self.assertEqual((done.code, "Did you mean rl.iterations?" in done.err), (2, True), done.text)
        done = said(["train", "qickstart-sft", "--parameters"])
        self.assertEqual((done.code, "Did you mean quickstart-sft?" in done.err), (1, True), done.text)

    def test_wrong_words_end_with_2(self):
        with tempfile.TemporaryDirectory() as folder:
            project = pathlib.Path(folder) / "p"
            PROGRAMS.make_project(project)
            (project / "job.toml").write_text("[[stage]]\nrun = 'a'\npreset = 'quickstart-sft'\n")
            before = sorted(project.rglob("*"))
            train = ["train", "quickstart-sft", "--project", "p"]
            for words, text in ((["ablate", "table-2", "--set", "nonsense=1"], "nonsense"), (["ablate", "table-2", "--set", "seed=3"], "--seeds 3"),
                                (["ablate", "table-2", "--set", "rl.iterations=x"], "rl.iterations"), (["ablate", "table-2", "--out", "x.pdf"], ".tex"),
                                (["job", "p", "--set", "nonsense=1"], "nonsense"), (["job", "p", "--set", "sft.steps=abc"], "sft.steps"),
                                (["job", "p", "--prefix", "a b/"], "a b/"), (["remote", "check", "--", "-oProxyCommand=x"], "not the name of a host"),
                                ([*train, "--host", "-oX"], "not the name of a host"), ([*train, "--host", "x", "--nproc", 2], "--nproc"),
                                # A variable of a script that was never set.
                                ([*train, "--host", ""], "--host: its value is empty"), ([*train, "--parent", ""], "--parent: its value is empty"),
                                (["export", "--run", "p/runs/x", "--out", ""], "--out: its value is empty"),
                                (["import", "--project", "", "x.mtx"], "--project: its value is empty"), (["runs", "--project="], "--project")):
                done = said(words, cwd=folder)
                self.assertEqual((done.code, text in done.err), (2, True), done.text)
                self.assertEqual(sorted(project.rglob("*")), before, done.text)
        done = said(["import", "--generate", "stencil2d(q=4)"])
        self.assertEqual((done.code, "It takes n, " in done.err), (1, True), done.text)

    def test_exit_status_of_names(self):
        """One rule (docs/tasks/script.md): what is, or may be, a file, or belongs to a project or a machine, and is not there: 1. A
        word that is none of those that the program knows: 2."""
        with tempfile.TemporaryDirectory() as folder:
            project = pathlib.Path(folder) / "p"
            PROGRAMS.make_project(project)
            (project / "job.toml").write_text("[[stage]]\nrun = 'a'\npreset = 'quickstart-sft'\n")
            (project / "k.cu").write_text("x")
            fresh = ["--out", "new"]
            for code, lines in ((1, (["features", "none"], ["features", "none(n=4)"], ["import", "--generate", "none(n=4)"], ["judge", "none.cu", "grid"],
                                     ["judge", "k.cu", "--matrix", "none.mtx"], ["compile", "none.cu"], ["runs", "none"], ["control", "none", "status"], ["worker", "none"],
                                     ["export", "--run", "none"], ["remote", "stop", "none"], ["train", "none"], ["train", "quickstart-sft", "--parent", "none"],
                                     ["train", "quickstart-sft", "--project", "none"], ["ablate", "none"], ["bench", "grid", "--model", "none", "--device", "sim"],
                                     ["generate", "--policy", "none", "--matrix", "grid"], ["evaluate", "--policy", "none", "--matrix", "grid"],
                                     ["search", "grid", "--policy", "none", "--project", "."], ["specialise", "--policy", "none", "--matrix", "grid", *fresh],
                                     ["policy", "import", "none", *fresh], ["policy", "adapt", "none", *fresh], ["project", "matrices", "--train", "none"],
                                     ["project", "sft-set", "--from", "none"], ["project", "matrices", "none"], ["job", "--file", "none"],
                                     ["pack", "--list", "none"], ["corpus", "scan", "none", "--out", "new"])),
                                (2, (["none"], ["features", "grid", "--none"], ["bench", "grid", "--families", "none"], ["bench", "grid", "--device", "none"],
                                     ["corpus", "sample", "--family", "none", *fresh], ["corpus", "recommend", "grid", "--task", "none"],
                                     ["search", "grid", "--share", "none=1"], ["search", "grid", "--families", "none"],
                                     ["search", "grid", "--families", "M4"], ["judge", "k.cu", "grid", "--gpus", "none", "--device", "sim"],
                                     ["train", "quickstart-sft", "--set", "none=1"], ["train", "quickstart-sft", "--set", "device=none"],
                                     ["job", "--set", "none=1"], ["ablate", "table-2", "--set", "none=1"], ["runs", "--filter", "none > 1"],
                                     ["runs", "--filter", "rl.lr >"], ["runs", "--filter", "status = none"], ["runs", "--export", "none", *fresh],
                                     ["policy", "import", ".", "--chat", "none", *fresh], ["generate", "--policy", "none", "--matrix", "grid", "--policy-device", "none"],
                                     ["serve", "--policy", "none", "--policy-device", "none"],
                                     ["export", "--program", "k.cu", "--matrix", "grid", "--licence", "none", *fresh],
                                     ["judge", "k.cu", "grid", "--columns", "1"], ["judge", "k.cu", "grid", "--columns", "5000"],
                                     ["specialise", "--policy", ".", "--matrix", "grid", "--columns", "5000", *fresh],
                                     ["bench", "grid", "--columns", "5000"], ["search", "grid", "--columns", "5000"]))):
                for words in lines:
                    done = said(words, cwd=project)
                    self.assertEqual(done.code, code, (words, done.text))
                    self.assertIn("sparserl: ", done.err, (words, done.text))

    def test_what_cannot_begin_leaves_no_run(self):
        """Values that are good each by itself; and a run that is there keeps its own, of whatever stage it is."""
        with tempfile.TemporaryDirectory() as folder:
            project = pathlib.Path(folder) / "p"
            PROGRAMS.make_project(project)
            apart = ["--set", "rl.kl_target=0.1", "--set", "rl.kl_coef=0"]
            (project / "job.toml").write_text("[[stage]]\nrun = 'a'\npreset = 'quickstart-sft'\n"
                                              "[[stage]]\nrun = 'b'\npreset = 'quickstart-ppo'\nparent = 'a'\n"
                                              "set = ['rl.kl_target=0.1', 'rl.kl_coef=0']\n")
            for words in (["train", "quickstart-ppo", "--project", "p", "--parent", "0001-sft", *apart],
                          ["train", "quickstart-ppo", "--project", "p", "--run", "p/runs/x", *apart], ["job", "p"]):
                done = said(words, cwd=folder)
                self.assertEqual((done.code, "rl.kl_target multiplies rl.kl_coef" in done.err), (2, True), done.text)
                left = sorted(path for path in project.rglob("*") if "runs" in path.parts and path.is_file())
                self.assertEqual(left, [], done.text)
            # --run alone resumes: a slip in its name is no new run.
            for words in (["train", "--run", "p/runs/0001-fst"], ["train", "--run", "p/runs/0001-fst", "--project", "p"]):
                done = said(words, cwd=folder)
                self.assertEqual((done.code, "there is no run here to resume" in done.err), (1, True), done.text)
                self.assertFalse((project / "runs" / "0001-fst").exists())
            for stage in ("rl", "sft"):
                run = project / "runs" / f"0001-{stage}"
                run.mkdir(parents=True)
                (run / "run.toml").write_text(f"stage = '{stage}'\n")
                for value in ("rl.iterations=3", "sft.steps=3"):
                    done = said(["train", "--run", run, "--set", value], cwd=folder)
                    self.assertEqual((done.code, "it keeps its own parameters" in done.err), (1, True), done.text)

    def test_names_of_the_project(self):
        with tempfile.TemporaryDirectory() as folder:
            project = pathlib.Path(folder) / "p"
            PROGRAMS.make_project(project)
            grid = said(["features", "--json", "grid"], cwd=project)
            self.assertEqual(grid.code, 0, grid.text)
            direct = said(["features", "--json", "--matrix", "stencil2d(n=8)"], cwd=project)
            take = {key: value for key, value in json.loads(direct.out).items() if key != "file"}
            self.assertEqual({key: value for key, value in json.loads(grid.out).items() if key != "file"}, take)
            (project / "own.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 3\n2 2 5\n", encoding="utf-8")
            self.assertEqual(said(["import", "own.mtx", "--project", "."], cwd=project).code, 0)
            own, made = said(["multiply", "own"], cwd=project), said(["multiply", "stencil2d(n=8)"], cwd=project)
            self.assertEqual(("sum of y_i" in own.out, "seeded" in own.out, "seeded" in made.out), (True, False, True), own.text + made.text)
            for words in (["features", "gird"], ["multiply", "--matrix", "gird"], ["corpus", "recommend", "gird"],
                          ["bench", "gird", "--device", "sim"], ["pack", "gird", "--out", "x.pack"]):
                done = said(words, cwd=project)
                self.assertEqual((done.code, "Did you mean grid?" in done.err), (1, True), done.text)
            made = said(["--quiet", "train", "quickstart-sft", "--project", ".", "--run", "runs/first",
                         *probe.assignments(dict(probe.SFT, **{"sft.steps": 2}))], cwd=project)
            self.assertEqual(made.code, 0, made.text)
            for words in (["worker", "frist"], ["export", "--run", "frist"], ["control", "frist", "stop"], ["runs", "frist"],
                          ["generate", "--policy", "frist", "--matrix", "grid"]):
                done = said(words, cwd=project)
                self.assertEqual((done.code, "Did you mean first?" in done.err), (1, True), done.text)
            done = said(["generate", "--json", "--policy", "first", "--matrix", "grid", "--no-judge", "-n", 1], cwd=project)
            self.assertEqual(done.code, 0, done.text)
            self.assertEqual(len(done.out.splitlines()), 1)
            self.sft_set(project)
            self.curves(project)

    def curves(self, project):
        """The curves of a run become files of other programs, in a folder that was not there."""
        for form, files in (("tensorboard", "first/*/events.out.tfevents.*"), ("mlflow", "0/*/metrics/*/*")):
            words = ["runs", "first", "--export", form, "--out", form]
            done = said([*words, "--json"], cwd=project)
            self.assertEqual(done.code, 0, done.text)
            [written] = [json.loads(line) for line in done.out.splitlines()]
            self.assertEqual(written["runs"], 1)
            self.assertGreater(written["points"], written["curves"])
            found = sorted((project / form).glob(files))
            self.assertTrue(found, sorted((project / form).rglob("*")))
            if form == "mlflow":  # a file for each curve
                self.assertEqual(len([file for file in (project / form).rglob("metrics/**/*") if file.is_file()]), written["curves"])
            before = {file: file.read_bytes() for file in (project / form).rglob("*") if file.is_file()}
            done = said(words, cwd=project)
            self.assertEqual((done.code, "not empty" in done.err), (1, True), done.text)
            self.assertEqual({file: file.read_bytes() for file in (project / form).rglob("*") if file.is_file()}, before)
        for words in (["--export", "wandb", "--out", "x"], ["--export", "mlflow"], ["--out", "x"]):
            done = said(["runs", *words], cwd=project)
            self.assertEqual(done.code, 2, done.text)
        self.assertFalse((project / "x").exists())

    def sft_set(self, project):
        """Programs of a run are chosen for fine-tuning, and taken out again."""
        def changed(*words):
            done = said(["project", "sft-set", "--json", *words], cwd=project)
            self.assertEqual(done.code, 0, done.text)
            return [json.loads(line) for line in done.out.splitlines()]

        self.assertEqual(changed(), [])
        chosen = changed("--from", "first", "--best", "1")
        self.assertTrue(chosen and not any(program["lost"] for program in chosen), chosen)
        targets = [target for program in chosen for target in program["targets"]]
        self.assertEqual(len(targets), len(set(targets)))  # one for each
        self.assertEqual(changed("--from", "first", "--best", "1"), chosen)
        first = chosen[0]["program"]
        self.assertNotIn(first, [program["program"] for program in changed("--remove", first[:9])])
        self.assertIn(first, [program["program"] for program in changed("--program", first[:9])])
        self.assertEqual(changed("--clear"), [])
        for words, sentence in ((["--from", "frist"], "Did you mean first?"), (["--remove", first], "has no program"),
                                (["--program", "ffffffff"], "is correct on"), (["--program", first[:3]], "six or more digits"),
                                (["--from", "first", "--matrix", "gird"], "Did you mean grid?")):
            done = said(["project", "sft-set", *words], cwd=project)
            self.assertEqual((done.code, sentence in done.err), (1, True), done.text)
        for words in (["--matrix", "grid"], ["--from", "first", "--best", "0"], ["--within", "0.5", "--from", "first"]):
            self.assertEqual(said(["project", "sft-set", *words], cwd=project).code, 2)


class Programs(unittest.TestCase):
    """Commands that judge and compare programs, and what they say of a project."""

    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.project = pathlib.Path(cls.kept.name) / "p"
        # One is called as its generator, whose own numbers are others.
        PROGRAMS.make_project(cls.project, probe.MATRICES + "\n[[matrix]]\nname = 'banded'\ngenerator = 'banded(n=30)'\nsplit = 'train'\n")
        for family, task in (("S1", "spmv"), ("S3", "spmv"), ("M1", "spmm")):
            cls.must("corpus", "sample", "--task", task, "--family", family, "-n", 1, "--seed", 2, "--out", family)
            next((cls.project / family).glob("*.cu")).rename(cls.project / f"{family}.cu")
        (cls.project / "bad.cu").write_text("no program\n", encoding="utf-8")

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    @classmethod
    def must(cls, *words):
        done = said(["--json", *words], cwd=cls.project)
        assert done.code == 0, done.text
        return [json.loads(line) for line in done.out.splitlines()]

    def test_the_projects_matrix_comes_before_a_generator(self):
        [features] = self.must("features", "banded")
        self.assertEqual(features["rows"], 30)
        [features] = self.must("features", "banded(n=31)")
        self.assertEqual(features["rows"], 31)

    def test_judge_takes_the_task_of_the_plan(self):
        records = self.must("judge", "S1.cu", "M1.cu", "--matrix", "grid", "--device", "sim")
        self.assertEqual([record["verdict"] for record in records], ["correct", "correct"])
        self.assertEqual({record["file"]: record.get("dense_columns", 1) for record in records}, {"S1.cu": 1, "M1.cu": 8})
        # What is asked for is held against the plan.
        [record] = self.must("judge", "M1.cu", "--task", "spmv", "--matrix", "grid", "--device", "sim")
        self.assertEqual(record["verdict"], "plan-error")

    def test_judge_says_that_it_assumes_a_task(self):
        for words, assumed in ((["S1.cu"], None), (["bad.cu"], True), (["bad.cu", "--task", "spmm"], None)):
            [record] = self.must("judge", *words, "--matrix", "grid", "--device", "sim")
            self.assertEqual(record.get("task_assumed"), assumed, words)

    def test_judge_fails_for_scripts(self):
        words = ["judge", "S1.cu", "bad.cu", "--matrix", "grid", "--device", "sim"]
        self.assertEqual(said(words, cwd=self.project).code, 0)
        self.assertEqual(said([*words, "--fail"], cwd=self.project).code, 1)
        self.assertEqual(said(["judge", "S1.cu", "--fail", "--matrix", "grid", "--device", "sim"], cwd=self.project).code, 0)

    def test_judge_keeps_the_order_of_its_words(self):
        records = self.must("judge", "S3.cu", "bad.cu", "S1.cu", "--matrix", "grid", "--matrix", "random(rows=9)", "--device", "sim")
        self.assertEqual([(record["file"], record["matrix_file"]) for record in records],
                         [(file, matrix) for matrix in ("grid", "random(rows=9)") for file in ("S3.cu", "bad.cu", "S1.cu")])

    def test_generators_are_called_as_they_were_typed(self):
        """In tables, records and names of files; nothing else depends on the spelling."""
        for typed in ("stencil2d(n=64)", "stencil2d(n=30)"):  # the first says a default
            self.assertIn(f" {typed} ", said(["judge", "S1.cu", "--matrix", typed, "--device", "sim"], cwd=self.project).out)
            self.assertTrue(said(["compare", "S1.cu", "S3.cu", typed, "--device", "sim"], cwd=self.project).out.startswith(f"{typed} on the "))
        records = [self.must("judge", "S1.cu", "--matrix", typed, "--device", "sim", "--judge-seed", "7")[0]
                   for typed in ("stencil2d(n=64)", "stencil2d()", "stencil2d( n = 64 )")]
        self.assertEqual([record["matrix_name"] for record in records], ["stencil2d(n=64)", "stencil2d()", "stencil2d(n=64)"])
        self.assertEqual(len({(record["matrix"], record["warm"]["median"]) for record in records}), 1, records)
        with tempfile.TemporaryDirectory() as folder:
            said(["bench", "stencil2d(n=64)", "--device", "sim", "--families", "S1", "--limit-per-matrix", "1",
                  "--out", f"{folder}/out"], cwd=self.project)
            self.assertEqual(os.listdir(f"{folder}/out"), ["0-stencil2d_n_64_-S1.cu"])

    def test_judge_says_what_needs_json(self):
        words = ["judge", "S1.cu", "--matrix", "grid", "--device", "sim"]
        for option in ("--lines", "--ptx-lines"):
            done = said([*words, option], cwd=self.project)
            self.assertEqual((done.code, f"{option} needs --json" in done.err), (2, True), done.text)
        self.assertIn("family S1", said([*words, "--families"], cwd=self.project).out)
        done = said([*words, "--columns", "x"], cwd=self.project)
        self.assertEqual((done.code, '"x" is not a number from 2 to 1024' in done.err), (2, True), done.text)

    def test_judge_of_nothing_to_compute(self):
        (self.project / "no_rows.mtx").write_text("%%MatrixMarket matrix coordinate real general\n0 9 0\n")
        done = said(["judge", "S1.cu", "--matrix", "no_rows.mtx", "--device", "sim"], cwd=self.project)
        self.assertIn("nothing to compute", done.out, done.text)
        self.assertNotIn("0.00 us", done.out)

    def test_judge_takes_its_words_in_any_order(self):
        (self.project / "plain").write_text((self.project / "S1.cu").read_text())
        (self.project / "small.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 2\n")
        for words in (["S1.cu", "grid"], ["grid", "S1.cu"], ["--matrix", "grid", "S1.cu"], ["plain", "--matrix", "grid"],
                      ["small.mtx", "S1.cu"], ["S1.cu", "banded(n=31)"]):
            [record] = self.must("judge", *words, "--device", "sim")
            self.assertEqual(record["verdict"], "correct", words)
        for words, missing in ((["S1.cu"], "--matrix is required"), (["grid"], "PROGRAM is required"), (["--matrix", "grid"], "PROGRAM")):
            done = said(["judge", *words], cwd=self.project)
            self.assertEqual((done.code, missing in done.err), (2, True), done.text)
        self.assertEqual(self.must("compare", "S1.cu", "S3.cu", "grid", "--device", "sim")[0]["records"][0]["verdict"], "correct")

    def test_nothing_that_is_there_is_replaced(self):
        """What is named for results is new, in every command, and it is looked at before the work."""
        (self.project / "full").mkdir(exist_ok=True)
        kept = {self.project / "full/mine": "kept\n", self.project / "mine.csv": "kept\n", self.project / "mine.md": "kept\n"}
        for file, text in kept.items():
            file.write_text(text)
        sampled = ["corpus", "sample", "--task", "spmv", "--family", "S1", "-n", 1, "--out"]
        bench, search = (["bench", "grid", "--device", "sim", "--limit-per-matrix", 1, "--samples", 3],
                         ["search", "grid", "--device", "sim", "--bench-programs", 1, "--candidates", 1, "--rounds", 1])
        for words in ([*bench, "--out", "full"], [*bench, "--export", "full"], [*bench, "--csv", "mine.csv"], [*search, "--out", "full"],
                      [*search, "--csv", "mine.csv"], [*search, "--export", "full"], [*sampled, "full"], ["corpus", "recommend", "grid", "--out", "full"],
                      ["corpus", "check", "-n", 1, "--keep", "full"], ["corpus", "scan", "full", "--out", "mine.csv"],
                      ["corpus", "scan", "full", "--out", "new", "--refused", "mine.csv"], ["pack", "grid", "--out", "mine.csv"],
                      ["export", "--program", "S1.cu", "--matrix", "grid", "--out", "full"], ["device", "diff", "--out", "full"],
                      ["device", "calibrate", "--from", "none", "--out", "mine.csv"], ["ablate", "table-2", "--out", "mine.md"],
                      ["evaluate", "--from", ".", "--table", "mine.csv"], [*sampled, "mine.csv"], [*bench, "--csv", "full"]):
            done = said(words, cwd=self.project)
            told = any(text in done.err for text in ("there already", "not empty", "there is a file", "there is a folder"))
            self.assertEqual((done.code, told), (1, True), f"{words}: {done.text}")
            self.assertEqual({file: file.read_text() for file in kept}, kept, words)
            self.assertEqual(len(list((self.project / "full").iterdir())), 1, words)
        (self.project / "empty").mkdir()
        (self.project / "empty.csv").touch()
        self.must(*bench, "--out", "empty", "--csv", "empty.csv")  # nothing is lost with these
        self.assertEqual(len(list((self.project / "empty").glob("*.cu"))), 1)
        self.must(*bench, "--csv", "/dev/null")

    def test_compare(self):
        [found] = self.must("compare", "S1.cu", "S3.cu", "--matrix", "grid", "--device", "sim")
        judged = self.must("judge", "S1.cu", "S3.cu", "--matrix", "grid", "--device", "sim")
        by_name = {measure["name"]: (measure["a"], measure["b"]) for measure in found["measures"]}
        self.assertEqual(by_name["registers"],
                         tuple({record["file"]: record["registers"] for record in judged}[file] for file in ("S1.cu", "S3.cu")))
        tables = [record["lines"] for record in found["records"]]
        for measure, key in (("warp instructions", "warp_instructions"), ("DRAM sectors", "dram_sectors")):
            self.assertEqual(by_name[measure], tuple(sum(row[table["columns"].index(key)] for row in table["rows"]) for table in tables))
        self.assertEqual([list_[0]["kind"] for list_ in found["findings"]], ["limiter", "limiter"])
        text = said(["compare", "S1.cu", "S3.cu", "--matrix", "grid", "--device", "sim"], cwd=self.project)
        self.assertRegex(text.out, r"[AB] is [0-9.]+ times as fast as [AB]")
        other = said(["compare", "S1.cu", "M1.cu", "--matrix", "grid"], cwd=self.project)
        self.assertEqual((other.code, "compute different tasks" in other.err), (1, True), other.text)

    def test_bench_keeps_its_winners(self):
        rows = self.must("bench", "grid", "banded", "--device", "sim", "--limit-per-matrix", 3, "--samples", 3, "--out", "won", "--export",
                         "bundles")
        won = [row for row in rows if "speedup" in row and "baseline" in row]
        self.assertEqual([row["matrix"] for row in won], ["grid", "banded"])
        for row in won:
            self.assertRegex(row["program"]["name"], r"^S\d+ · \w")
            self.assertIn("times" if "next family" not in row["program"]["why"] else "next family", row["program"]["why"])
            [record] = self.must("judge", row["file"], "--matrix", row["matrix"], "--device", "sim", "--fail")
            self.assertEqual(record["verdict"], "correct")
        self.assertEqual(len(list((self.project / "bundles").glob("*/manifest.json"))), 2)
        self.must("bench", "grid", "--type", "f64", "--device", "sim", "--limit-per-matrix", 2, "--samples", 3, "--export", "doubles")
        [manifest] = (self.project / "doubles").glob("*/manifest.json")
        self.assertEqual(json.loads(manifest.read_text())["element_type"], "f64")
        done = said(["bench", "grid", "--families", "S1,dnese"], cwd=self.project)
        self.assertEqual((done.code, "Did you mean dense?" in done.err), (2, True), done.text)

    def test_splits(self):
        splits = lambda rows: {row["name"]: row["split"] for row in rows}  # noqa: E731
        self.assertEqual(splits(self.must("project", "matrices")), {"grid": "train", "held": "held-out", "banded": "train"})
        changed = self.must("project", "matrices", "--held-out", "grid", "--train", "held")
        self.assertEqual(splits(changed), {"grid": "held-out", "held": "train", "banded": "train"})
        self.assertEqual(splits(self.must("project", "matrices", ".")), splits(changed))
        for words, code, text in ((["--train", "gird", "--held-out", "held"], 1, "Did you mean grid?"),
                                  (["--train", "grid", "--held-out", "grid"], 2, "named twice")):
            done = said(["project", "matrices", *words], cwd=self.project)
            self.assertEqual((done.code, text in done.err), (code, True), done.text)
        self.assertEqual(splits(self.must("project", "matrices")), splits(changed))
        self.must("project", "matrices", "--held-out", "held", "--train", "grid")

    def test_parameters_have_the_values_of_the_preset(self):
        presets = {line["preset"]: line["parameters"] for line in self.must("train", "--list")}
        for name in ("grpo", "quickstart-sft"):
            [parameters] = self.must("train", name, "--parameters")
            self.assertEqual({one["key"]: one["value"] for one in parameters}, presets[name])
            self.assertTrue(all(one["help"] for one in parameters))
            self.assertTrue(any(one["value"] != one["default"] for one in parameters))
        [parameters] = self.must("train", "grpo", "--parameters", "--set", "rl.samples=5")
        self.assertEqual({one["key"]: one["value"] for one in parameters}["rl.samples"], 5)
        text = said(["train", "grpo", "--parameters", "--set", "rl.samples=5"], cwd=self.project).out
        self.assertIn("* rl.samples = 5", text)

    def test_a_small_project_is_told_what_suits_it(self):
        small = probe.assignments(dict(probe.SFT, **{"sft.steps": 2}))
        sft = said(["train", "quickstart-sft", "--project", ".", "--run", "runs/small", *small], cwd=self.project)
        self.assertEqual(sft.code, 0, sft.text)
        self.assertIn("suggestion: the project has 2 matrices to train on", sft.err)
        drawn = said(["generate", "--policy", "small", "--matrix", "grid", "-n", 4, "--max-tokens", 40, "--device", "sim"], cwd=self.project)
        self.assertIn("0 of 4 programs are correct. A lower temperature than 1 usually gives more: try --temperature 0.5", drawn.err)
        for words in (["--temperature", 0.9], ["--greedy"], ["--quiet"]):
            words = ["--quiet", "generate"] if words == ["--quiet"] else ["generate", *words]
            again = said([*words, "--policy", "small", "--matrix", "grid", "-n", 4, "--max-tokens", 40, "--device", "sim"], cwd=self.project)
            self.assertNotIn("lower temperature", again.text)

    def test_paths_can_be_pasted(self):
        place = pathlib.Path(self.kept.name) / "it's a place"
        made = said(["project", "new", place])
        self.assertEqual(made.code, 0, made.text)
        [line] = re.findall(r"`sparserl import FILE\.\.\. --project (.*)`", made.out)
        back = subprocess.run(["bash", "-c", f"printf %s {line}"], capture_output=True, text=True, check=True)
        self.assertEqual(back.stdout, str(place))


class Completions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.all = list(command_words.walk(command_words.declared(PROGRAMS.folder)))
        cls.kept = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.kept.name)
        subprocess.run([sys.executable, str(ROOT / "packaging/command_words.py"), "--bin", str(PROGRAMS.folder), "--out",
                        cls.kept.name], check=True)
        cls.window = command_words.window(PROGRAMS.folder)

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def complete(self, *words, cwd=None):
        """What bash offers for the last of the words."""
        program = words[0]
        script = (f"source {self.folder}/bash/{program}; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _{command_words.identifier(program)}; "
                  "printf '%s\\n' \"${COMPREPLY[@]}\"")
        done = subprocess.run(["bash", "-c", script, "bash", *words], capture_output=True, text=True, check=True,
                              cwd=cwd or self.folder, env=self.environment())
        self.assertEqual(done.stderr, "")
        return [line for line in done.stdout.splitlines() if line]

    @staticmethod
    def environment():
        return dict(os.environ, PATH=f"{PROGRAMS.folder}:{os.environ['PATH']}")

    def test_bash_offers_every_word(self):
        for words, command, options in self.all:
            subs = [sub["name"] for sub in command["commands"]]
            if subs:
                first = ["base"] if command_words.named(command["options"]) else []
                self.assertLessEqual(set(subs), set(self.complete(*words, *first, "")))
            self.assertEqual(set(self.complete(*words, "--")),
                             {name for option in options for name in option["names"] if name.startswith("--")}, words)
        self.assertEqual(self.complete("sparserl", "judge", "a.cu", "--device", ""), ["sim", "cuda", "auto"])
        self.assertEqual(self.complete("sparserl", "judge", "--device", "cud"), ["cuda"])
        self.assertEqual(self.complete("sparserl", "judge", "--device", "="), ["sim", "cuda", "auto"])  # as bash cuts --device=
        self.assertEqual(self.complete("sparserl", "judge", "--device", "=", "cud"), ["cuda"])
        self.assertEqual(self.complete("sparserl", "runs", "--export", ""), ["tensorboard", "mlflow"])
        self.assertEqual(self.complete("sparserl", "train", "quickstart-sf"), ["quickstart-sft"])
        self.assertEqual(self.complete("sparserl", "bench", "--families", "S10"), ["S10"])
        self.assertEqual(self.complete("sparserl", "bench", "--families", "S2,S10"), ["S2,S10"])
        (self.folder / "a,b.mtx").touch()
        self.assertEqual(self.complete("sparserl", "features", "a,b"), ["a,b.mtx"])
        (self.folder / "a,b.mtx").unlink()
        self.assertEqual(self.complete("sparserl", "control", "base", "sta"), ["status"])
        (self.folder / "h2.toml").touch()
        self.assertEqual(self.complete("sparserl", "bench", "--model", "h2"), ["h200", "h2.toml"])
        # Every value of a fixed set, of every option.
        for words, _, options in self.all:
            for option in options:
                if "choices" in option:
                    for name in option["names"]:
                        self.assertEqual(self.complete(*words, name, ""), option["choices"], (words, name))
        self.assertEqual(self.complete("sparserl", "--json", "corpus", "sam"), ["sample"])
        (self.folder / "some.mtx").touch()
        self.assertEqual(self.complete("sparserl", "features", "some"), ["some.mtx"])

    def test_names_of_the_project(self):
        """Matrices, runs, policies and parameters stand where commands take them, and come from the project that is meant."""
        project = self.folder / "p"
        PROGRAMS.make_project(project)
        for name, stage in (("0001-sft", "sft"), ("0002-rl", "rl"), ("0003-search", "search")):
            (project / "runs" / name).mkdir(parents=True)
            (project / "runs" / name / "run.toml").write_text(f"[run]\nstage = '{stage}'\n")
        (project / "runs/0001-sft/checkpoints").mkdir()
        runs = {"0001-sft", "0002-rl", "0003-search"}
        for words, kind in ((["features"], "matrices"), (["judge", "k.cu", "--matrix"], "matrices"), (["bench"], "matrices"),
                            (["project", "matrices", "--held-out"], "matrices"), (["evaluate", "--matrix"], "matrices"),
                            (["control"], "runs"), (["runs"], "runs"), (["train", "--run"], "runs"), (["remote", "stop"], "runs"),
                            (["project", "sft-set", "--from"], "runs"), (["export", "--run"], "runs"),
                            (["generate", "--policy"], "policies"), (["train", "--parent"], "policies"), (["search", "--policy"], "policies")):
            expected = {"matrices": {"grid", "held"}, "runs": runs, "policies": {"0001-sft"}}[kind]
            self.assertEqual(kind == "policies", "default" in self.complete("sparserl", *words, ""), words)  # the program's own
            offered = set(self.complete("sparserl", *words, "", cwd=project))
            self.assertLessEqual(expected, offered, words)
            self.assertFalse((runs - expected) & offered, words)
            if words[0] in ("runs", "train", "search"):
                self.assertLessEqual(expected, set(self.complete("sparserl", words[0], "--project", "p", *words[1:], "")), words)
                self.assertLessEqual(expected, set(self.complete("sparserl", words[0], "--project", "=", "p", *words[1:], "")), words)
            self.assertFalse(expected & set(self.complete("sparserl", *words, "")), words)  # no project here
        self.assertEqual(self.complete("sparserl", "control", "00", cwd=project), sorted(runs))
        self.assertEqual(self.complete("sparserl", "features", "--matrix", "gr", cwd=project), ["grid"])
        self.assertEqual(self.complete("sparserl", "evaluate", "--matrices", "held,gr", cwd=project), ["held,grid"])
        self.assertEqual(set(self.complete("sparserl", "evaluate", "--matrices", "grid,", cwd=project)), {"grid,grid", "grid,held"})
        self.assertIn("sft.lr=", self.complete("sparserl", "train", "quickstart-sft", "--set", "sft.", cwd=project))
        self.assertEqual(self.complete("sparserl", "train", "quickstart-sft", "--set", "rl.l", cwd=project), [])
        self.assertIn("rl.lr=", self.complete("sparserl", "control", "0002-rl", "set", "rl.l", cwd=project))
        self.assertEqual(self.complete("sparserl", "control", "0001-sft", "set", "rl.l", cwd=project), [])
        for fixed in ("judge.device", "seed", "threads"):  # a live run keeps them; a fork may have others
            self.assertIn(f"{fixed}=", self.complete("sparserl", "control", "0002-rl", "fork", fixed, cwd=project))
            self.assertEqual(self.complete("sparserl", "control", "0002-rl", "set", fixed, cwd=project), [])
        self.assertIn("rl.lr=", self.complete("sparserl", "job", "--set", "rl.l", cwd=project))
        # Every option and word that names one of them says so.
        takes = {" ".join([*words[1:], (option["names"] or [option.get("positional")])[-1]]): option.get("completes")
                 for words, command, _ in self.all for option in command["options"]}
        for what, kind in takes.items():
            last = what.split()[-1]
            for ending, wanted in (("--matrix", "matrices"), ("--policy", "policies"), ("--parent", "policies"), ("--set", "parameters"),
                                   ("--run", "runs"), ("KEY=VALUE", "parameters"), ("RUN", "runs"), ("POLICY", "policies")):
                if last == ending:
                    self.assertEqual(kind, wanted, what)

    def test_names_of_a_hostile_project(self):
        """Nothing that a project is called runs, is expanded, becomes an option, or a line of its own."""
        names = ["$(touch pwned)", "`touch pwned`", "x;touch pwned", "a b", "it's", '"quoted', "*", "{a,b}", "~root", "$HOME", "\\n", "-rf", "--out=x",
                 "back\\slash", "\x1b[2J", "new\nline", "<(touch pwned)", "a|touch pwned", "a&touch pwned", "!!", "\u202egpj", "a:b", "a=b", "[x]", "#"]
        project = self.folder / "hostile"
        text = ""
        for i, name in enumerate(names):
            text += f"[[matrix]]\nname = {json.dumps(name)}\ngenerator = 'stencil2d(n={i + 4})'\nsplit = 'train'\n"
        PROGRAMS.make_project(project, text)
        for name in names:
            run = project / "runs" / name
            (run / "checkpoints").mkdir(parents=True)
            (run / "run.toml").write_text("[run]\nstage = 'sft'\n")
        (project / "sparserl").write_text("#!/bin/sh\ntouch pwned\n")  # a program of the project is none of ours
        (project / "sparserl").chmod(0o755)
        direct = {kind: said(["--complete", kind], cwd=project).out.splitlines() for kind in ("matrices", "runs", "policies")}
        self.assertGreater(len(direct["runs"]), 15)
        for kind, offered in direct.items():
            if kind != "matrices":  # a list of matrices may hold what is no file name: it is escaped as it is read
                self.assertLessEqual(set(offered), {*names, "default"} if kind == "policies" else set(names), kind)
            self.assertFalse([name for name in offered if name.startswith("-") or not name.isprintable()], kind)
        for words, kind in ((["./sparserl", "control", ""], "runs"), (["sparserl", "control", ""], "runs"), (["sparserl", "features", ""], "matrices"),
                            (["sparserl", "generate", "--policy", ""], "policies")):
            line = [pathlib.Path(words[0]).name, *words[1:]]
            self.assertLessEqual(set(direct[kind]), set(self.complete(*line, cwd=project)), words)
        for word in names:
            self.complete("sparserl", "control", word, cwd=project)
            self.complete("sparserl", "control", word, "", cwd=project)
            self.complete("sparserl", "features", "--project", word, "", cwd=project)
        if shutil.which("fish"):
            script = f"source {self.folder}/fish/sparserl.fish; complete -C 'sparserl features '"
            done = subprocess.run(["fish", "--no-config", "-c", script], capture_output=True, text=True, check=True, cwd=project, env=self.environment())
            self.assertLessEqual({name.replace(" ", "") for name in direct["matrices"]}, {line.replace("\\", "").replace(" ", "") for line in done.stdout.splitlines()}
                                 | {name.replace(" ", "") for name in direct["matrices"] if "\\" in name})
        self.assertEqual(list(self.folder.rglob("pwned")), [])

    def test_the_window(self):
        if not self.window:
            self.skipTest("no window was built")
        self.assertEqual(set(self.complete("sparserl-workbench", "--")), {name for option in self.window["options"] for name in option["names"] if name.startswith("--")} - {"--version"})
        self.assertEqual(self.complete("sparserl-workbench", "--page", ""), ["matrices", "training", "kernels", "evaluation"])
        self.assertEqual(self.complete("sparserl-workbench", "--theme", "d"), ["dark"])
        page = gzip.decompress((self.folder / "man1/sparserl-workbench.1.gz").read_bytes()).decode()
        for option in self.window["options"]:
            for name in option["names"]:
                self.assertIn(command_words.roff(name), page)
        for words, wrong in ((["--theme", "blue"], 'no theme "blue"'), (["--page", "blue"], 'no page "blue"'), (["--size", "blue"], '"blue" is not a size')):
            done = subprocess.run([str(PROGRAMS.folder / "sparserl-workbench"), "--settings", str(self.folder / "w.ini"), *words], capture_output=True,
                                  text=True, timeout=PATIENCE, env=dict(os.environ, QT_QPA_PLATFORM="offscreen"))
            self.assertEqual((done.returncode, wrong in done.stderr), (2, True), done.stderr)

    def test_zsh_and_fish_name_every_word(self):
        zsh, fish = ((self.folder / name).read_text() for name in ("zsh/_sparserl", "fish/sparserl.fish"))
        for words, command, options in self.all:
            function = "_" + "_".join(re.sub(r"\W", "_", word) for word in words)
            body = zsh.partition(f"\n{function}() {{")[2].partition("\n}")[0]
            self.assertTrue(body, function)
            inside = [line for line in fish.splitlines() if all(f"from {word}" in line for word in words[1:])]
            for sub in command["commands"]:
                self.assertIn(f"'{sub['name']}:", body)
                self.assertTrue(any(f"-a {sub['name']} " in line for line in inside), sub["name"])
            for option in options:
                offered = " ".join(option.get("choices", option.get("suggestions", [])))
                kind = option.get("completes", "")
                self.assertIn(f"_sparserl_names {kind}'" if kind else f"({offered})" if offered else "", body)
                for wanted in ([offered] if offered else []) + ([f"(_sparserl_names {kind})"] if kind else []):
                    self.assertTrue(any(f"-a '{wanted}" in line or f" {wanted}'" in line for line in inside), (words, option["names"]))
                for name in option["names"]:
                    self.assertIn(f"'*{name}[", body)
                    short = f"-l {name[2:]} " if name.startswith("--") else f"-s {name[1:]} "
                    self.assertTrue(any(short in line for line in [*inside, *(fish.splitlines() if words[1:] else [])]), name)

    def test_pages_name_every_word(self):
        for words, command, _ in self.all:
            file = self.folder / "man1" / ("-".join(words[:2]) + ".1.gz")
            page = gzip.decompress(file.read_bytes()).decode()
            for option in command["options"]:
                for name in option["names"]:
                    if "--help" not in option["names"] or len(words) == 1:
                        self.assertIn(command_words.roff(name), page, words)
            for sub in command["commands"]:
                self.assertIn(command_words.roff(sub["help"]), page)

    def test_pages_are_whole(self):
        """Version, date, synopsis, sections, and examples of commands and options that there are."""
        version = said(["--version"]).out.strip()
        for file in (self.folder / "man1").iterdir():
            page = gzip.decompress(file.read_bytes()).decode()
            head = re.match(r'\.TH (\S+) 1 "(\d{4}-\d\d-\d\d)" "SparseRL Workbench (\S+)" "User Commands"\n', page)
            self.assertTrue(head and head[3] == version, file.name)
            for section in ("NAME", "SYNOPSIS", "EXIT STATUS", "FILES", "EXAMPLES", "SEE ALSO"):
                self.assertEqual(page.count(f"\n.SH {section}\n"), 1, (file.name, section))
            if shutil.which("man"):
                done = subprocess.run(["man", "--warnings=w", "-l", "-Tutf8", str(file)], capture_output=True, text=True)
                self.assertFalse([line for line in done.stderr.splitlines() if "cannot adjust line" not in line], done.stderr)
        judge = gzip.decompress((self.folder / "man1/sparserl-judge.1.gz").read_bytes()).decode()
        self.assertIn("\n[\\fIOPTIONS\\fR] [\\fIPROGRAM\\fR...]\n", judge)
        control = gzip.decompress((self.folder / "man1/sparserl-control.1.gz").read_bytes()).decode()
        self.assertIn("\n[\\fIOPTIONS\\fR] \\fIRUN\\fR \\fISUBCOMMAND\\fR\n", control)
        commands = {" ".join(words): {name for option in options for name in option["names"]} for words, _, options in self.all}
        self.assertEqual(set(command_examples.EXAMPLES), {name.split()[1] for name in commands if " " in name})
        lines = [(name, line) for name, examples in command_examples.EXAMPLES.items() for _, line in examples]
        lines += [(None, line) for _, line in command_examples.PROGRAM_EXAMPLES]
        for name, line in lines:
            words = [word for word in shlex.split(line) if word != "--json"]
            self.assertEqual(words[0], "sparserl", line)
            self.assertTrue(name in (None, words[1]), line)
            known = max((place for place in commands if (" ".join(words) + " ").startswith(place + " ") or
                         words[:2] == place.split()[:2] and len(place.split()) > 2 and place.split()[2] in words), key=len)
            self.assertLessEqual({word for word in words if re.match("--?[a-z]", word)}, commands[known], line)
        for _, line in command_examples.WINDOW_EXAMPLES:
            words = shlex.split(line)
            declared = {name for option in (self.window or {"options": []})["options"] for name in option["names"]}
            self.assertTrue(not declared or {word for word in words if word.startswith("-")} <= declared, line)

    def test_shells_that_are_here_read_them(self):
        for program in ("sparserl", *(["sparserl-workbench"] if self.window else [])):
            for shell, file in (("bash", f"bash/{program}"), ("zsh", f"zsh/_{program}"), ("fish", f"fish/{program}.fish")):
                if shutil.which(shell):
                    subprocess.run([shell, "-n", str(self.folder / file)], check=True)


class Control(unittest.TestCase):
    def setUp(self):
        self.kept = tempfile.TemporaryDirectory()
        self.project = pathlib.Path(self.kept.name) / "p"
        PROGRAMS.make_project(self.project)
        self.run_folder = self.project / "runs/base"
        self.worker = None

    def tearDown(self):
        if self.worker:
            self.worker.kill()
            self.worker.wait()
        self.kept.cleanup()

    def control(self, *words):
        return said(["--json", "control", "base", "--wait", PATIENCE, *words], cwd=self.project)

    def answers(self, *words):
        done = self.control(*words)
        self.assertEqual(done.code, 0, done.text)
        return [json.loads(line) for line in done.out.splitlines()]

    def wait(self, what):
        end = time.monotonic() + patience.patience(PATIENCE)
        while not what():
            self.assertLess(time.monotonic(), end, "it does not come")
            time.sleep(0.1)

    def begin(self):
        """A run that would take hours."""
        values = dict(probe.SFT, **{"sft.steps": 1000000, "checkpoint.every": 1000000, "eval.every": 0, "alarm.loss_action": "off"})
        self.worker = PROGRAMS.start(["--quiet", "train", "quickstart-sft", "--project", ".", "--run", "runs/base",
                                      *probe.assignments(values)], cwd=self.project, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)
        self.wait(lambda: self.run_folder.exists() and probe.last_state(self.run_folder) == "running")

    def test_a_run_that_works(self):
        self.begin()
        [paused] = self.answers("pause")
        self.assertEqual((paused["command"], paused["outcome"]), ("pause", "applied"))
        self.wait(lambda: probe.last_state(self.run_folder) == "paused")
        # People are told once what is so.
        again = said(["control", "base", "--wait", PATIENCE, "pause"], cwd=self.project)
        self.assertRegex(again.out, r"^pause: it is paused already \(step \d+\)\n$")
        now = said(["control", "base", "status"], cwd=self.project)
        self.assertRegex(now.out, r"^base: paused \(sft\), step \d+/\d+(, judging SFT programs \d+ %)?: on request\nNewest checkpoint: (none yet|step-\d+)\. `sparserl runs ")
        [resumed] = self.answers("resume")
        self.assertEqual(resumed["outcome"], "applied")
        self.wait(lambda: probe.last_state(self.run_folder) == "running")
        changed = self.answers("set", "checkpoint.keep=3", "eval.every=0")
        self.assertEqual([(one["key"], one["value"], one["outcome"]) for one in changed],
                         [("checkpoint.keep", "3", "applied"), ("eval.every", "0", "applied")])
        saved = self.answers("checkpoint")[-1]
        self.assertEqual((saved["outcome"], saved["message"].split()[0]), ("applied", "saved"))
        self.assertTrue((self.run_folder / "checkpoints" / saved["message"].split()[1] / "DONE").exists())
        # What the worker need not be asked.
        for words, code, text in ((["set", "checkpoint.keeep=3"], 2, "Did you mean checkpoint.keep?"),
                                  (["set", "rl.lr=1"], 2, "runs of the sft stage have no rl.lr. Did you mean sft.lr?"),
                                  (["set", "policy.d_model=8"], 2, "fixed during a run"),
                                  (["--id", "x", "set", "checkpoint.keep=3", "eval.every=0"], 2, "one command")):
            done = self.control(*words)
            self.assertEqual((done.code, text in done.err), (code, True), done.text)
        # An id counts once: this command says so, and so does the worker of what others write.
        [first] = self.answers("--id", "mine", "pause")
        self.assertEqual(first["id"], "mine")
        done = self.control("--id", "mine", "resume")
        self.assertEqual((done.code, "counts once" in done.err), (1, True), done.text)
        with open(self.run_folder / "control.jsonl", "a", encoding="utf-8") as file:
            file.write('{"id":"mine","command":"resume"}\n')
        self.wait(lambda: any(entry["kind"] == "log" and "an id counts once" in entry["text"]
                              for entry in probe.entries_of(self.run_folder)))
        self.assertEqual(probe.last_state(self.run_folder), "paused")
        [stopped] = self.answers("stop")
        self.assertEqual(stopped["outcome"], "applied")
        self.worker.wait(patience.patience(PATIENCE))
        self.worker = None
        # To ask twice is no mistake.
        done = self.control("stop")
        self.assertEqual((done.code, "requested already" in done.out), (0, True), done.text)
        [now] = self.answers("status")
        self.assertEqual((now["run"], now["status"], now["worker"]), ("base", "stopped", False))
        [listed] = [json.loads(line) for line in said(["--json", "runs"], cwd=self.project).out.splitlines()]
        self.assertEqual(listed["status"], now["status"])

    def test_a_run_that_is_killed(self):
        self.begin()
        [now] = self.answers("status")
        self.assertEqual((now["status"], now["worker"]), ("running", True))
        self.worker.kill()
        self.worker.wait()
        end = time.monotonic()
        self.wait(lambda: self.answers("status")[0]["status"] == "failed")
        print(f"failed after {time.monotonic() - end:.1f} s", file=sys.stderr)
        [now] = self.answers("status")
        self.assertIn("was killed", now["reason"])
        for words in (["runs"], ["runs", "base"], ["control", "base", "status"], ["runs", "--filter", "status = failed"]):
            done = said(words, cwd=self.project)
            self.assertEqual((done.code, "failed" in done.out, "was killed" in done.out), (0, True, True), done.text)
        # A filter may ask for what no run has, if there is such a thing.
        done = said(["runs", "--filter", "correct_rate > 0.5 and rl.lr < 1e-4"], cwd=self.project)
        self.assertEqual((done.code, "No run matches this filter" in done.out), (0, True), done.text)
        done = said(["runs", "--filter", "rl.lrr < 1e-4"], cwd=self.project)
        self.assertEqual((done.code, "Did you mean rl.lr?" in done.err), (2, True), done.text)

    def test_a_run_on_a_device_that_is_not_there(self):
        values = dict(probe.SFT, device="cuda:77")
        made = said(["train", "quickstart-sft", "--project", ".", "--run", "runs/base", *probe.assignments(values)], cwd=self.project)
        self.assertEqual(made.code, 1, made.text)
        reason = self.answers("status")[0]["reason"]
        self.assertIn(reason.split(".")[0].split(",")[0], made.err)
        self.assertNotIn("--device", reason)
        for words in (["runs"], ["runs", "base"], ["control", "base", "status"]):
            done = said(words, cwd=self.project)
            self.assertEqual((done.code, "failed" in done.out, reason in done.out), (0, True, True), done.text)

    def test_a_run_that_nobody_works_on(self):
        made = said(["--quiet", "train", "quickstart-sft", "--project", ".", "--run", "runs/base",
                     *probe.assignments(dict(probe.SFT, **{"sft.steps": 4}))], cwd=self.project)
        self.assertEqual(made.code, 0, made.text)
        [stopped] = self.answers("stop")
        self.assertIn("nothing to stop", stopped["message"])
        for words in (["pause"], ["resume"], ["checkpoint"]):
            done = self.control(*words)
            self.assertEqual((done.code, "this run is done and has no worker" in done.err), (1, True), done.text)
            self.assertIn("fork KEY=VALUE`", done.err)  # a resume would do nothing: it is done
        done = self.control("set", "checkpoint.keep=3")  # a resume does not apply it either
        self.assertEqual((done.code, "nothing changes in it any more" in done.err, "pending" in done.out), (1, True, False), done.text)
        self.assertIn("fork KEY=VALUE`", done.err)
        self.assertFalse((self.run_folder / "control.jsonl").exists())
        done = self.control("fork", "--checkpoint", "step-000003")
        self.assertEqual((done.code, "Did you mean step-00000" in done.err), (1, True), done.text)
        done = self.control("fork", "sft.steps=4")
        self.assertEqual((done.code, "Raise sft.steps" in done.err), (2, True), done.text)
        [fork] = self.answers("fork", "sft.steps=6", "--title", "the other")
        self.assertEqual((fork["parent"], fork["checkpoint"], fork["continues"]), ("base", "step-000004", True))
        self.wait(lambda: probe.last_state(pathlib.Path(fork["run"])) in ("done", "failed"))
        self.assertEqual(probe.last_state(pathlib.Path(fork["run"])), "done")
        text = (pathlib.Path(fork["run"]) / "run.toml").read_text(encoding="utf-8")
        self.assertIn("the other", text)
        self.assertIn("'sft.steps' = 6\n", text)
        self.assertIn("'policy.d_model' = 16\n", text)
        self.assertTrue((pathlib.Path(fork["run"]) / "checkpoints/step-000006").is_dir(), "its own sft.steps holds")
        done = self.control("fork", "policy.d_model=32", "sft.steps=6")
        self.assertEqual((done.code, "what a new policy is like" in done.err), (2, True), done.text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="folder of the programs")
    options, rest = parser.parse_known_args()
    global PROGRAMS
    PROGRAMS = probe.Programs(options.bin)
    if ONE_IN > 1:
        print(f"one in {ONE_IN} is drawn; the same again: SPARSERL_TEST_SHARE={ONE_IN} SPARSERL_TEST_DRAW={DRAW}", flush=True)
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)


if __name__ == "__main__":
    main()
