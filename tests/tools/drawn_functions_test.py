#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of drawn_functions.py."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import drawn_functions

HERE = pathlib.Path(__file__).resolve().parent


class Drawn(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.names = ["first", "second", "third", "fourth", "fifth"]
        self.functions = {name: [] for name in self.names}

    def program(self):
        """Behaves as a Qt Test program does: lists its functions, runs those that are named, or all."""
        path = pathlib.Path(self.folder.name) / "program"
        listed = "".join(f"Test {name}\\n" for name in self.names)
        path.write_text(f"#!/bin/sh\nif [ \"$1\" = -datatags ]; then printf '{listed}'; exit; fi\n"
                        "echo \"runs $*; draw $SPARSERL_TEST_DRAW\"\n[ \"$*\" != third ]\n", encoding="utf-8")
        path.chmod(0o755)
        return str(path)

    def run_drawn(self, *words, **environment):
        kept = {key: value for key, value in os.environ.items() if not key.startswith("SPARSERL_TEST_")}
        return subprocess.run([sys.executable, HERE / "drawn_functions.py", *words], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, env=kept | environment, check=False)

    def test_every_function_is_drawn_sometimes(self):
        met = set()
        for draw in range(1, 60):
            chosen = drawn_functions.drawn(self.functions, 3, draw)
            self.assertEqual(len(chosen), 2)
            self.assertEqual(chosen, [name for name in self.names if name in chosen])
            met |= set(chosen)
        self.assertEqual(met, set(self.names))
        self.assertEqual(len(drawn_functions.drawn(self.functions, 100, 1)), 1)
        self.assertEqual(drawn_functions.drawn(self.functions, 1, 5), self.names)

    def test_a_draw_is_repeated(self):
        one = self.run_drawn("--one-in", "2", self.program(), SPARSERL_TEST_DRAW="7")
        again = self.run_drawn("--one-in", "2", self.program(), SPARSERL_TEST_DRAW="7")
        self.assertEqual(one.stdout, again.stdout)
        self.assertIn("drawn, one in 2: ", one.stdout)
        self.assertEqual(len(one.stdout.partition("runs ")[2].partition(";")[0].split()), 3)
        self.assertIn("draw 7", one.stdout)

    def test_rows(self):
        functions = {"plain": [], "few": ["a", "b"], "many": [f"row {i}" for i in range(10)]}
        met = set()
        for draw in range(1, 60):
            chosen = drawn_functions.drawn(functions, 3, draw)
            self.assertEqual(sum(word.startswith("many:") for word in chosen), 4)
            self.assertEqual(len(chosen), 5)
            met |= set(chosen)
        self.assertEqual(met, {"plain", "few", *(f"many:row {i}" for i in range(10))})

    def test_all_of_them(self):
        whole = self.run_drawn("--one-in", "2", self.program(), "-o", "x", SPARSERL_TEST_SHARE="1")
        self.assertEqual(whole.stdout, "runs -o x; draw \n")

    def test_failures_are_failures(self):
        draw = next(n for n in range(1, 999) if drawn_functions.drawn(self.functions, 5, n) == ["third"])
        self.assertEqual(self.run_drawn("--one-in", "5", self.program(), SPARSERL_TEST_DRAW=str(draw)).returncode, 1)
        self.names = []
        self.assertNotEqual(self.run_drawn("--one-in", "5", self.program()).returncode, 0)

    def test_unittest(self):
        path = pathlib.Path(self.folder.name) / "some.py"
        path.write_text("import unittest\nclass A(unittest.TestCase):\n  def test_x(self): pass\n  def test_y(self): pass\n"
                        "  def helper(self): pass\nclass B(unittest.TestCase):\n  def test_z(self): self.fail()\n"
                        "unittest.main(verbosity=2)\n", encoding="utf-8")
        names = drawn_functions.functions_of_unittest(path)
        self.assertEqual(list(names), ["A.test_x", "A.test_y", "B.test_z"])
        for draw in range(1, 8):
            code = self.run_drawn("--one-in", "3", "--unittest", str(path), SPARSERL_TEST_DRAW=str(draw)).returncode
            self.assertEqual(code, 1 if drawn_functions.drawn(names, 3, draw) == ["B.test_z"] else 0)


if __name__ == "__main__":
    unittest.main()
