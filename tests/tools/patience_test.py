#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of how the tools wait (patience.py)."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import patience
import probe

LIMIT = 5

# Stops the tool, lets the program end, stays until the limit is over by any clock, and lets the tool go on.
STOPPER = """
import os, pathlib, signal, sys, time
tool, folder, limit = int(sys.argv[1]), pathlib.Path(sys.argv[2]), float(sys.argv[3])
while not (folder / "begun").exists():
    time.sleep(0.01)
os.kill(tool, signal.SIGSTOP)
(folder / "may-end").touch()
try:
    while not (folder / "ended").exists():
        time.sleep(0.01)
    time.sleep(limit + 1)
finally:
    os.kill(tool, signal.SIGCONT)
"""
PROGRAM = """#!/bin/bash
touch "$1/begun"
until [ -e "$1/may-end" ]; do sleep 0.01; done
echo Done.
touch "$1/ended"
exit 3
"""


class Waiting(unittest.TestCase):
    def setUp(self):
        patience.factor = lambda: 1
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def programs(self, text):
        (self.folder / "sparserl").write_text(text)
        (self.folder / "sparserl").chmod(0o755)
        return probe.Programs(self.folder)

    def test_what_ended_while_the_tool_was_stopped_has_ended(self):
        with subprocess.Popen([sys.executable, "-c", STOPPER, str(os.getpid()), str(self.folder), str(LIMIT)]) as stopper:
            done = self.programs(PROGRAM).run([str(self.folder)], timeout=LIMIT)
            self.assertEqual(stopper.wait(), 0)
        self.assertEqual((done.code, done.out), (3, "Done.\n"))

    def test_what_does_not_end_is_ended(self):
        done = self.programs("#!/bin/bash\necho begun; sleep 1000\n").run([], timeout=2)
        self.assertIsNone(done.code)
        self.assertEqual(done.out, "begun\n")


if __name__ == "__main__":
    unittest.main()
