#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""clang-tidy over core, app, packaging and widgets: check_tidy.py BUILD_DIR [-j N] [FILE...]

BUILD_DIR is a configured and built tree: its compile_commands.json says how each file is compiled, its Ninja log which
headers each file reads. What is looked for is in .clang-tidy; every finding fails. Most time goes into headers, so files that
are compiled alike are read together, as one unit, where their local names differ, and a file that was clean is not read again
before it, one of its headers or the list changes (stamps in $SPARSERL_TIDY_CACHE, by default ~/.cache/sparserl-tidy).
"""
import argparse
import concurrent.futures
import hashlib
import itertools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "cmake"))
import unity_groups  # noqa: E402  the same groups as those of the builds that compile files together

FOLDERS = ("core/", "app/", "packaging/", "widgets/")


def tool():
    """The clang-tidy that packaging/setup --checks has unpacked: other versions find other things."""
    found = pathlib.Path(os.environ.get("SPARSERL_DEPS", ROOT / ".deps")) / "site/clang_tidy/data/bin/clang-tidy"
    if not found.exists():
        sys.exit(f"{found} is missing: run packaging/setup --checks.")
    return str(found)


def arguments(command, path):
    """The compiler's arguments that clang understands too, without the file itself, and the GCC precompiled header they name, if any."""
    words, kept, header = shlex.split(command)[1:], [], None
    while words:
        word = words.pop(0)
        if word in ("-o", "-c", "-MF", "-MT"):
            words.pop(0)
        elif word == "-include" and words[0].endswith("cmake_pch.hxx"):
            header = words.pop(0)
        elif word != path and not re.match(r"-(O|g|Winvalid-pch|fpch|fPI|fpi|MD|MMD|Werror)", word):
            kept.append(word)
    return kept, header


def sources(path):
    """The files that an entry compiles: its own, or those of a unit that CMake made (SPARSERL_UNITY)."""
    if not re.search(r"/Unity/unity_\d+_cxx\.cxx$", path):
        return [path]
    return re.findall(r'^#include "([^"]+)"$', pathlib.Path(path).read_text(), flags=re.M)


def read_deps(build):
    """Object file to the project's own files that it was made of."""
    text = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True).stdout
    deps, target = {}, None
    for line in text.splitlines():
        if line.startswith("    "):
            path = os.path.normpath(os.path.join(build, line.strip()))
            if path.startswith(str(ROOT)) and "/.deps/" not in path and "/build/" not in path:
                deps[target].append(path)
        elif ":" in line:
            target = line.split(":")[0]
            deps[target] = []
    return deps


class Hashes:
    """Hashes of files, each read once."""

    def __init__(self):
        self.known = {}

    def of(self, path):
        if path not in self.known:
            data = pathlib.Path(path).read_bytes() if os.path.exists(path) else b"missing"
            self.known[path] = hashlib.sha256(data).hexdigest()
        return self.known[path]


def pack(units):
    """Units in groups that are compiled alike, for one program or library, and whose local names differ; the longest first."""
    found = unity_groups.groups(units, path=lambda unit: unit[0][0],
                                key=lambda unit: (str(arguments(unit[0][1], unit[0][0])), unit[0][2].split(".dir/")[0]))
    return sorted(found, key=lambda group: -sum(os.path.getsize(unit[0][0]) for unit in group))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("files", nargs="*")
    parser.add_argument("-j", type=int, default=os.cpu_count())
    options = parser.parse_intermixed_args()
    build = str(options.build.resolve())
    tidy = tool()
    # Clang has no omp.h of its own here.
    gcc = subprocess.run(["g++", "-print-file-name=include"], capture_output=True, text=True, check=True).stdout.strip()
    wanted = {str(pathlib.Path(f).resolve()) for f in options.files}
    units = []
    for entry in json.loads((options.build / "compile_commands.json").read_text()):
        for path in sources(entry["file"]):
            if wanted and path not in wanted or not path.startswith(tuple(f"{ROOT}/{f}" for f in FOLDERS)):
                continue
            if path.endswith((".cpp", ".cc")):
                units.append((path, entry["command"], entry["output"] if "output" in entry else re.search(r"-o (\S+)", entry["command"])[1]))
    if not units:
        sys.exit("No file of core, app, packaging or widgets is compiled in this tree.")

    cache = pathlib.Path(os.environ.get("SPARSERL_TIDY_CACHE", pathlib.Path.home() / ".cache/sparserl-tidy"))
    cache.mkdir(parents=True, exist_ok=True)
    deps, hashes = read_deps(build), Hashes()
    version = hashes.of(str(ROOT / ".clang-tidy")) + hashes.of(__file__)

    def stamp(unit):
        path, command, output = unit
        if output not in deps:
            return None
        parts = [version, command.replace(str(ROOT), "")] + [name[len(str(ROOT)):] + hashes.of(name) for name in sorted({path, *deps[output]})]
        return cache / hashlib.sha256("\n".join(parts).encode()).hexdigest()

    todo = [(unit, stamp(unit)) for unit in units]
    clean = sum(1 for _, s in todo if s and s.exists())
    todo = [(unit, s) for unit, s in todo if not (s and s.exists())]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def read(paths, command):
            """What clang-tidy says of files that are compiled alike: exit status and text."""
            flags, header = arguments(command, paths[0])
            if header:
                flags = ["-include", header, *flags]
            flags += ["-idirafter", gcc]
            source, rules = paths[0], [f"--config-file={ROOT}/.clang-tidy"]
            if len(paths) > 1:
                rules.append("--checks=-bugprone-suspicious-include")  # of a .cpp file: only here
                source = str(folder / (hashlib.sha256("".join(paths).encode()).hexdigest()[:12] + ".cpp"))
                pathlib.Path(source).write_text("".join(f'#include "{path}"\n' for path in paths))
            run = subprocess.run([tidy, "--quiet", *rules, source, "--", "-w", *flags], capture_output=True, text=True, cwd=build)
            counted = r"^\d+ warnings generated\.\n"  # those in the headers of others
            return run.returncode, re.sub(counted, "", run.stdout + (run.stderr if run.returncode else ""), flags=re.M)

        def check(group):
            paths, command = [path for (path, _, _), _ in group], group[0][0][1]
            code, text = read(paths, command)
            found = re.search(r"\[(?!clang-diagnostic)[a-z]+-[a-z.-]+", text)
            if code != 0 and len(group) > 1 and not found:
                # Files that cannot be one unit: each by itself says why. A finding names its file in any case.
                alone = sum((check([unit]) for unit in group), [])
                if any(status for status, _ in alone):
                    return alone
                return [(code, "No finding in single files, but they cannot be compiled together, as the preset release does:\n" + text)]
            if code == 0:
                for _, mark in group:
                    if mark:
                        mark.touch()
            return [(code, text)]

        failed = 0
        with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
            for code, text in itertools.chain.from_iterable(pool.map(check, pack(todo))):
                if code != 0:
                    failed += 1
                    print(text.replace(str(ROOT) + "/", ""), flush=True)
    print(f"clang-tidy: {len(units)} files, {clean} of them known to be clean, {failed} with findings.")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
