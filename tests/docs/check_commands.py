#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs what documents tell a reader to type: check_commands.py --bin DIR [--fake-driver DIR] [--one-in N] [DOCUMENT...]

Each document starts in an empty folder, with the settings of a new user. Its fenced blocks are taken in order:

  ```sh                  run by bash; a command that fails, fails the test. The next block begins in the folder where this one ended.
  ```sh fails            its last command has to fail.
  ```sh with WORDS       as sh, with WORDS behind each command that learns or samples: smaller sizes, for the test only. The word
                         `small` stands for a policy that is too small to learn.
  ```sh bundle           run where the fake driver is (--fake-driver), for it needs a GPU, a compiler and CMake.
  ```sh live COMMAND     as sh, while `sparserl COMMAND --run runs/steered` works in the background: the block is about that run, calls it
                         RUN, and ends it. Other runs that the block begins are stopped after it.
  ```sh install|gpu|ssh|window|own    not run. Every command of the block must show the reason (REASONS).
  ```text                what the block before it prints on stdout. `...` stands for any text, a line of it for any lines. Numbers with
                         a decimal point may differ by a tenth: times of the simulated device.
  ```LANGUAGE FILE       written to FILE: `cuda mine.cu`, `python use.py`, `toml job.toml`.

A command in any other block of these documents is an error, so none is left out by accident. In all documents, every `sparserl` command
must be one that the programs declare, with options that it has; so must every one that a message of the programs names.

With --one-in, the README and one in so many of the other documents are run, others every time (tests/tools/drawn_functions.py).
"""
import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import secrets
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging"))
import command_words  # noqa: E402
sys.path.insert(0, str(ROOT / "tests/tools"))
import drawn_functions  # noqa: E402
import patience  # noqa: E402

RUN = ["README.md", "docs/install.md", "docs/tutorial.md", "docs/kernel-programs.md", "docs/formats.md"]  # and docs/tasks/*.md
# What a command must have in it to be left out for a reason.
REASONS = {
    "install": r"\b(apt|apt-get|pip|git|cmake|ninja|ctest|cp|export PATH)\b|\bpackaging/|\.AppImage\b",
    "gpu": r"--device cuda|--judge cuda|device (diff|observe|attack|calibrate)|device info --check|=cuda\b",
    "ssh": r"--host|\bremote\b|\bssh\b",
    "window": r"\bsparserl-workbench\b|\bpackaging/run\b",
    "own": r"\b[A-Z]{3,}(/|\.|\b)",  # of the reader's own files or runs: names in capitals
}
SMALL = " ".join("--set " + value for value in (
    "threads=1", "policy.d_model=16", "policy.d_ff=16", "policy.heads=2", "policy.encoder_layers=1", "policy.decoder_layers=1",
    "tokenizer.vocabulary=700", "sft.heldout_programs=1", "sft.programs_per_matrix=2", "sft.batch=4", "eval.every=0"))
FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LEARNS = re.compile(r"^\s*sparserl( --\w+)* (train|job|specialise|evaluate|generate|ablate)\b")
NUMBER = re.compile(r"-?\d[\d,]*\.\d+(?:e[+-]?\d+)?|-?\d+e[+-]?\d+")
PATIENCE = 400


class Block:
    def __init__(self, document, line, info, text):
        self.place = f"{document}:{line}"
        self.language, _, self.mark = info.strip().partition(" ")
        self.text = text


def blocks_of(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    return [Block(document, text.count("\n", 0, match.start()) + 1, match[1], match[2]) for match in FENCE.finditer(text)]


def joined(text):
    """Lines of a shell text, those that go on in the next as one; without comments."""
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    return [line for line in (re.sub(r"(^|\s)#.*", "", line).strip() for line in lines) if line]


def matches(expected, printed):
    """Whether a line is as expected: `...` is any text, and numbers with a point have a tenth of room."""
    pattern = [part if part == "..." else NUMBER.sub("#", " ".join(part.split())) for part in re.split(r"(\.\.\.)", expected.strip())]
    flat = " ".join(printed.split())
    expression = ""
    for part in pattern:
        expression += ".*?" if part == "..." else re.escape(part).replace(r"\ ", r"\s*").replace(r"\#", f"({NUMBER.pattern})")
    found = re.fullmatch(r"\s*" + expression + r"\s*", flat)
    if not found:
        return False
    wanted = [float(number.replace(",", "")) for number in NUMBER.findall(expected.replace("...", " "))]
    given = [float(number.replace(",", "")) for number in found.groups()]
    return all(abs(a - b) <= 0.1 * max(abs(a), abs(b)) for a, b in zip(wanted, given, strict=True))


def follows(expected, printed, at):
    """Whether printed[at:] begins with the expected lines (a line `...` is any number of lines), and is nothing else."""
    if not expected:
        return at == len(printed)
    if expected[0].strip() == "...":
        return any(follows(expected[1:], printed, later) for later in range(at, len(printed) + 1))
    return at < len(printed) and matches(expected[0], printed[at]) and follows(expected[1:], printed, at + 1)


class Reader:
    """Does what one document says."""

    def __init__(self, document, options, words):
        self._document = document
        self._options = options
        self._words = words
        self.problems = []
        self.ran = 0

    def complain(self, block, why):
        self.problems.append(f"{block.place}: {why}")

    def environment(self, home):
        kept = {key: value for key, value in os.environ.items() if key in ("PATH", "LANG", "TMPDIR", "CXX", "CC")}
        kept.update(HOME=str(home), XDG_RUNTIME_DIR=str(home), PATH=f"{self._options.bin}:{kept['PATH']}", QT_QPA_PLATFORM="offscreen",
                    LC_ALL="C.UTF-8", OMP_NUM_THREADS="1", SPARSERL_SOURCE=str(ROOT))
        return kept

    def run(self):
        with tempfile.TemporaryDirectory(prefix="document-") as folder:
            home, self._at = pathlib.Path(folder) / "home", pathlib.Path(folder) / "here"
            home.mkdir()
            self._at.mkdir()
            self._environment = self.environment(home)
            printed = None
            for block in blocks_of(self._document):
                if block.language == "sh":
                    printed = self.shell(block)
                    if self.problems:
                        break  # what follows builds on it
                elif block.language == "text" and not block.mark:
                    if printed is None:
                        self.complain(block, "no block that was run stands before what it prints")
                    elif printed is not False and not follows(block.text.splitlines(), printed, 0):
                        self.complain(block, "this is printed instead:\n" + "\n".join(printed))
                elif block.mark and re.fullmatch(r"[\w./-]+\.\w+", block.mark):
                    file = self._at / block.mark
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_text(block.text, encoding="utf-8")
                elif any(re.match(r"(\$ )?(sparserl|packaging/|build/|cmake|python3|sudo)\b", line) for line in joined(block.text)):
                    self.complain(block, "a command stands in a block that is not marked sh")
        return self

    def shell(self, block):
        """What the block printed on stdout, by lines; None if it is never run, False if it was not run here."""
        mark, _, words = block.mark.partition(" ")
        text = block.text
        if mark in REASONS:
            for line in joined(text):
                if not re.search(REASONS[mark], line):
                    self.complain(block, f"nothing says why this is {mark}, and not run: {line}")
            return None
        if mark == "with":
            words = re.sub(r"\bsmall\b", SMALL, words)
            text = "\n".join(f"{line} {words}" if LEARNS.match(line) else line for line in joined(text))
        elif mark == "live":
            text = re.sub(r"\bRUN\b", "steered", text)
        elif mark not in ("", "fails", "bundle"):
            self.complain(block, f"unknown mark {mark}")
            return False
        environment = dict(self._environment)
        if mark == "bundle":
            if not self._options.fake_driver:
                return False
            environment.update(LD_LIBRARY_PATH=str(self._options.fake_driver), SPARSERL_FAKE_GPU="", CXXFLAGS="-O0",
                               CMAKE_BUILD_PARALLEL_LEVEL="2")
        if mark == "live":
            with self.live(words, environment) as problem:
                return self.complain(block, problem) if problem else self.bash(block, mark, text, environment)
        return self.bash(block, mark, text, environment)

    @contextlib.contextmanager
    def live(self, words, environment):
        """A run that works while a block is run, and no worker after it. Gives what is wrong, or nothing."""
        def workers():
            listed = subprocess.run(["sparserl", "--json", "runs"], cwd=self._at, env=environment, capture_output=True, text=True, check=True)
            return {run["name"] for run in map(json.loads, listed.stdout.splitlines()) if run.get("worker")}

        def until(true):
            end = time.monotonic() + patience.patience(PATIENCE)
            while not true() and time.monotonic() < end:
                time.sleep(0.2)
            return true()

        output = self._at.parent / "live.txt"
        with output.open("w") as sink:
            work = subprocess.Popen(["sparserl", *shlex.split(words), "--run", "runs/steered"], cwd=self._at, env=environment,
                                    stdin=subprocess.DEVNULL, stdout=sink, stderr=subprocess.STDOUT)
            try:
                began = until(lambda: "steered" in workers() or work.poll() is not None) and work.poll() is None
                yield "" if began else "the run that works meanwhile does not begin:\n" + output.read_text(encoding="utf-8")
                if began and not until(lambda: work.poll() is not None):
                    self.problems.append("the run that worked meanwhile was not ended by the block")
            finally:
                for run in workers():
                    subprocess.run(["sparserl", "control", run, "stop"], cwd=self._at, env=environment, capture_output=True, check=False)
                if not until(lambda: not workers()):
                    self.problems.append(f"these runs do not end: {workers()}")
                work.kill()
                work.wait()

    def bash(self, block, mark, text, environment):
        """What a block prints on stdout, by lines; False if it did not end."""
        end = self._at.parent / "folder"
        script = f"set -e -o pipefail\ntrap 'pwd > {shlex.quote(str(end))}' EXIT\n{text}"
        try:
            done = subprocess.run(["bash", "-c", script], cwd=self._at, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                                  text=True, timeout=patience.patience(PATIENCE))
        except subprocess.TimeoutExpired:
            self.complain(block, f"not done after {PATIENCE} s")
            return False
        self.ran += len(joined(block.text))
        self._at = pathlib.Path(end.read_text(encoding="utf-8").strip())
        if (done.returncode == 0) == (mark == "fails"):
            self.complain(block, f"ends with {done.returncode}:\n{block.text}{done.stdout}{done.stderr}")
        return done.stdout.splitlines()


def undeclared(document, commands):
    """Sentences on `sparserl` commands of a document, or of the strings of a source, that do not exist, or have options that they do
    not have: advice has to lead somewhere."""
    text = (ROOT / document).read_text(encoding="utf-8")
    if not document.endswith(".md"):
        # Strings that go on in the next line are one; what comes from elsewhere is any word.
        text = re.sub(r"\{[^{}\n]*\}|%\d", "X", re.sub(r'"\s*\n\s*"', "", text))
    inline = [(match.start(), match[1]) for match in re.finditer(r"(?<!`)`(sparserl [^`]+)`(?!`)", text)]
    fenced = [(match.start(2), line) for match in FENCE.finditer(text) for line in joined(match[2])
              if re.match(r"(\S*/)?sparserl\s", line)]
    for at, line in inline + fenced:
        words = re.sub(r"<[^>]*>|\[|\]|`", " ", line.replace("\n", " ")).split()[1:]
        here = ["sparserl"]
        problem = None
        for word in words:
            word = word.split("|")[0].rstrip(".,;:…")
            if "|" in word or word in (">", "2>", "&&", ";", "--"):
                break
            if word.startswith("-"):
                name = word.partition("=")[0]
                if name not in commands[tuple(here)][1] and re.fullmatch(r"--?[a-z][a-z-]*", name):
                    problem = f"{' '.join(here)} has no option {name}"
            elif commands[tuple(here)][0] and re.fullmatch(r"[a-z][a-z-]*", word):
                if word in commands[tuple(here)][0]:
                    here.append(word)
                elif here == ["sparserl"]:
                    problem = f"there is no command {word}"
        if problem:
            yield f"{document}:{text.count(chr(10), 0, at) + 1}: {problem}: {line}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("documents", nargs="*")
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--fake-driver", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--one-in", type=int, default=1, help="run only one in so many of the documents, drawn, and the README")
    options = parser.parse_args()
    options.bin = options.bin.resolve()
    if options.fake_driver:
        options.fake_driver = options.fake_driver.resolve()
    commands = {words: ({sub["name"] for sub in command["commands"]}, {name for option in used for name in option["names"]} | {"--help", "--version"})
                for words, command, used in command_words.walk(command_words.declared(options.bin))}
    tasks = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs/tasks").glob("*.md"))
    documents = options.documents or RUN + tasks
    one_in = 1 if options.documents else drawn_functions.number("SPARSERL_TEST_SHARE", options.one_in)
    if one_in > 1:
        draw = drawn_functions.number("SPARSERL_TEST_DRAW", secrets.randbits(31) | 1)
        print(f"one in {one_in} is drawn; the same again: SPARSERL_TEST_SHARE={one_in} SPARSERL_TEST_DRAW={draw}", flush=True)
        documents = documents[:1] + drawn_functions.some(documents[1:], one_in, draw)
    problems, ran = [], 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for reader in pool.map(lambda document: Reader(document, options, commands).run(), documents):
            problems += reader.problems
            ran += reader.ran
            print(f"{reader._document}: {reader.ran} commands", flush=True)
    if not options.documents:
        everywhere = sorted(str(path.relative_to(ROOT)) for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
        for document in everywhere:
            if document != "CHANGELOG.md":
                problems += undeclared(document, commands)
        sources = sorted(str(path.relative_to(ROOT)) for folder in ("app", "core", "widgets") for path in (ROOT / folder).glob("**/*.cpp"))
        for source in sources:
            problems += undeclared(source, commands)
        if ran < 40 and one_in == 1:  # documents of all tasks have more
            problems.append(f"only {ran} commands were run")
    print("\n".join(problems))
    print(f"{ran} commands run, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
