#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_commands.py finds what it should: documents that are wrong in one way each, on a program that only repeats its words."""
import argparse
import pathlib
import tempfile
import textwrap
import unittest

import check_commands

COMMANDS = {("sparserl",): ({"train", "corpus"}, {"--json"}), ("sparserl", "train"): (set(), {"--set"}),
            ("sparserl", "corpus"): ({"sample"}, set()), ("sparserl", "corpus", "sample"): (set(), {"--out", "-n"})}


class Documents(unittest.TestCase):
    def setUp(self):
        self.kept = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.kept.name)
        self.options = argparse.Namespace(bin=self.root / "bin", fake_driver=None)
        self.options.bin.mkdir()
        program = self.options.bin / "sparserl"
        program.write_text('#!/bin/bash\necho "$@"\n')
        program.chmod(0o755)
        self.before, check_commands.ROOT = check_commands.ROOT, self.root

    def tearDown(self):
        check_commands.ROOT = self.before
        self.kept.cleanup()

    def problems(self, text):
        (self.root / "page.md").write_text(textwrap.dedent(text).replace("'''", "```"), encoding="utf-8")
        return check_commands.Reader("page.md", self.options, COMMANDS).run().problems

    def printed(self, expected, command="printf 'a 1.00 us\\nb\\nc\\n'"):
        return self.problems(f"'''sh\n{command}\n'''\n\n'''text\n{expected}\n'''\n")

    def test_what_is_printed(self):
        self.assertEqual(self.printed("a 1.00 us\nb\nc"), [])
        self.assertEqual(self.printed("a 1.08 us\nb\nc"), [])
        self.assertEqual(self.printed("a ...\n...\nc"), [])
        self.assertEqual(self.printed("...\nc"), [])
        for wrong in ("a 1.2 us\nb\nc", "a 1.00 us\nb", "b\nc", "a 1.00 us\nc", "...\nb", "a 1 us\nb\nc", "a 1.00 us\nb\nc\nd"):
            self.assertEqual(len(self.printed(wrong)), 1, wrong)
        self.assertEqual(len(self.problems("'''text\nnobody printed this\n'''\n")), 1)

    def test_commands_that_fail(self):
        self.assertEqual(len(self.problems("'''sh\nfalse\ntrue\n'''\n")), 1)
        self.assertEqual(len(self.problems("'''sh\nfalse | cat\n'''\n")), 1)
        self.assertEqual(self.problems("'''sh fails\nfalse\n'''\n"), [])
        self.assertEqual(len(self.problems("'''sh fails\ntrue\n'''\n")), 1)

    def test_nothing_is_left_out_by_accident(self):
        self.assertEqual(len(self.problems("'''\nsparserl train\n'''\n")), 1)
        self.assertEqual(len(self.problems("'''console\n$ sparserl train\n'''\n")), 1)
        self.assertEqual(len(self.problems("'''sh later\nsparserl train\n'''\n")), 1)
        for mark in check_commands.REASONS:
            self.assertEqual(len(self.problems(f"'''sh {mark}\nsparserl train\n'''\n")), 1, mark)
        self.assertEqual(self.problems("'''sh ssh\nsparserl train --host gpu1\n'''\n"), [])
        self.assertEqual(len(self.problems("'''sh ssh\nsparserl train --host gpu1\n'''\n\n'''text\nnot compared\n'''\n")), 1)
        # One command with a reason does not hide another.
        self.assertEqual(len(self.problems("'''sh ssh\nsparserl train --host gpu1\nsparserl train\n'''\n")), 1)

    def test_blocks_go_on_from_each_other(self):
        text = """\
            '''python made/say.py
            print("said")
            '''

            '''sh
            cd made
            '''

            '''sh with --set a=1
            python3 say.py
            sparserl train \\
                b
            sparserl corpus
            '''

            '''text
            said
            train b --set a=1
            corpus
            '''
            """
        self.assertEqual(self.problems(text), [])

    def test_commands_that_do_not_exist(self):
        def undeclared(text):
            (self.root / "page.md").write_text(text.replace("'''", "```"), encoding="utf-8")
            return list(check_commands.undeclared("page.md", COMMANDS))

        self.assertEqual(undeclared("`sparserl train quickstart-sft --set a=1`, `sparserl corpus sample -n 3`"), [])
        self.assertEqual(undeclared("'''sh ssh\nbuild/bin/sparserl --json corpus sample --out x\n'''\n"), [])
        for wrong in ("`sparserl dance`", "`sparserl train --sett a`", "`sparserl corpus sample --set a=1`",
                      "'''\nsparserl train --out x\n'''\n"):
            self.assertEqual(len(undeclared(wrong)), 1, wrong)


if __name__ == "__main__":
    unittest.main()
