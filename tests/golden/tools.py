# SPDX-License-Identifier: Apache-2.0
"""Runs the real programs in a scratch folder and hands back what they said, cleaned of clock times."""
import dataclasses
import os
import pathlib
import subprocess
import sys

from cleaning import Cleaner

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import patience  # noqa: E402


@dataclasses.dataclass
class Output:
    """One golden output: its whole text and a few words that say what changed if it does."""
    name: str
    text: str
    key: str = ""
    bound: bool = False  # exact on one kind of processor only


class Tools:
    def __init__(self, binaries, root, work, every=1, first=0):
        self.binaries, self.root, self.work, self.every, self._next = binaries, root, work, every, every - 1 - first % every
        self.cleaner = Cleaner({str(work): "<work>", str(root): "<root>", str(binaries.resolve()): "<bin>"})
        home = work / "home"
        home.mkdir()
        # Nothing of the user's environment may matter; one thread makes tensor sums repeatable.
        keep = {key: os.environ[key] for key in ("PATH", "SPARSERL_CUDA_DIR", "LD_LIBRARY_PATH") if key in os.environ}
        self._environment = dict(keep, HOME=str(home), LC_ALL="C.UTF-8", TZ="UTC", OMP_NUM_THREADS="1", SPARSERL_TRUST="all",
                                 QT_QPA_PLATFORM="offscreen", TMPDIR=str(work))

    def some(self, items, more=1):
        """Each `every`-th of all items that a part asks about, one call after the other; `more`: so many times as many."""
        stride, chosen = max(1, self.every // more), []
        for item in items:
            self._next += 1
            if self._next % stride == 0:
                chosen.append(item)
        return chosen

    def run(self, *arguments, folder=None, timeout=600):
        """The finished process of `sparserl ARGUMENTS`, started in `folder` (default: the scratch folder)."""
        command = [str(self.binaries / "sparserl"), *map(str, arguments)]
        return subprocess.run(command, cwd=folder or self.work, env=self._environment, text=True, timeout=patience.patience(timeout),
                              stdin=subprocess.DEVNULL, capture_output=True, errors="surrogateescape", check=False)

    def must(self, *arguments, folder=None):
        """Standard output of a command that has to end well."""
        done = self.run("--quiet", *arguments, folder=folder)
        if done.returncode != 0:
            raise RuntimeError(f"sparserl {' '.join(map(str, arguments))} ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def said(self, *arguments, folder=None, quiet=True):
        """Exit status and both streams of a command as one text."""
        done = self.run(*(["--quiet"] if quiet else []), *arguments, folder=folder)
        return self.transcript(done)

    def transcript(self, done):
        text = f"exit {done.returncode}\n--- stdout\n{self.cleaner.lines(done.stdout)}\n--- stderr\n" \
               f"{self.cleaner.text(done.stderr)}"
        return text.encode("utf-8", "replace").decode()
