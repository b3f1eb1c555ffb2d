#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files below a project are opened, made, moved and removed by base/beneath.h and what is built on it (docs/writers.md).

  check_openers.py         names each line that goes past it; exits 1 where there is one
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["core/base", "core/matrix", "core/project", "core/remote", "core/export", "core/policy", "core/training", "app", "widgets"]
PAST = re.compile(r"(?:\bfs|\bfilesystem)::(?:rename|remove|remove_all|copy|copy_file|create_directory|create_directories|"
                  r"create_symlink|create_hard_link|resize_file)\(|\bofstream\b|\bfopen\(|\bgzopen\(|(?<![\w.>:])::(?:open|creat|"
                  r"mkdir|rename|unlink|rmdir|truncate|symlink|link|mkfifo|opendir)\(|\bQSaveFile\b|\bQFile\b|\bQTemporaryFile\b|"
                  r"\bsqlite3_open(?:_v2)?\(|\.save\((?:toQString|file|path)|"
                  # QDir::filePath() of an absolute name is that name: names that are no literals go through copyName().
                  r"\bfilePath\((?!QStringLiteral\(|QLatin1|toQString\((?:copyName|fileNameFor)\()")
# Looks and lists that follow links: lookAt(), glance(), listDirectory() and listTree() are there for it.
LOOKS = re.compile(r"(?:\bfs|\bfilesystem)::(?:exists|is_\w+|status|file_size|last_write_time|canonical|weakly_canonical|"
                   r"read_symlink|(?:recursive_)?directory_iterator)\b|(?<![\w.>:])::(?:stat|lstat|access|opendir)\(|"
                   r"\bifstream\b|\bQDirIterator\b|\bQFileInfo\b")
MAY_LOOK = {
    "app/training/policy_server.cpp": "whether a folder is below the one that the user named, wherever links lead",
    "core/base/allowed_links.cpp": "what the user allows",
    "core/base/beneath.cpp": "it is what others ask",
    "core/base/files.cpp": "temporary folders of its own",
    "core/base/new_place.cpp": "a place that the user named, and whether a link stands there",
    "core/base/roots.cpp": "where a project begins",
    "core/base/subprocess.cpp": "programs of this machine",
    "core/base/subprocess_io.cpp": "this program",
    "core/base/trust.cpp": "the place of a project",
    "core/matrix/files_below.cpp": "kinds only, of what lies below a folder that the user named",
    "core/matrix/matrix_list.cpp": "a file that the user named, seen to be regular",
    "core/policy/compute/cuda_part.cpp": "this program",
    "core/project/files/file_handle.cpp": "what could not be opened, for the sentence",
    "core/project/files/index_file.cpp": "the number of a file that is open",
    "core/project/run/launch.cpp": "programs of this machine",
    "core/project/files/leftovers.cpp": "scratch folders of this user",
    "core/project/index/run_watch.cpp": "times only, often, of runs that were listed",
    "core/remote/inventory.cpp": "programs of this machine",
    "core/remote/sent_policy.cpp": "the place of a policy, and whether a link stands there",
    "core/export/run_export.cpp": "compares places",
    "app/cli/command_line.cpp": "this program",
    "app/cli/words.cpp": "paths that the user named",
    "app/cli/commands/runs.cpp": "the place of a run that the user named",
    "app/workbench/start_page.cpp": "projects that the user opened",
    "widgets/matrices/matrix_import.cpp": "files that the user named",
}
# What is no file of a project, by file, with the reason.
ALLOWED = {
    "core/base/subprocess.cpp": "/dev/null",
    "core/base/files.cpp": "temporary folders of its own",
    "core/base/settings_file.cpp": "the user's settings, which openFile() asks",
    "app/cli/command_line.cpp": "/dev/null",
    "core/machine/process_usage.cpp": "/proc",
    "core/project/index/sqlite.cpp": "refuseStrange() has looked, and SQLite follows no link",
    "core/remote/ship.cpp": "links in a scratch folder of its own, for rsync and tar to read through",
    "app/workbench/quickstart.cpp": "into a folder that it has just made",
    "app/workbench/screenshots.cpp": "a folder that the user named",
    "widgets/common/icons.cpp": "resources of the program",
}


def main():
    faults, used, looked = [], set(), set()
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix not in (".h", ".cpp"):
                continue
            name = str(file.relative_to(ROOT))
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                if line.lstrip().startswith(("//", "#include")):
                    continue
                if LOOKS.search(line):
                    if name in MAY_LOOK:
                        looked.add(name)
                    else:
                        faults.append(f"{name}:{number} looks at files without base/beneath.h: {line.strip()}")
                if not PAST.search(line):
                    continue
                if name in ALLOWED:
                    used.add(name)
                else:
                    faults.append(f"{name}:{number} opens or changes files without base/beneath.h: {line.strip()}")
    faults += [f"tests/house/check_openers.py allows {name}, which needs it no more"
               for name in sorted((set(ALLOWED) - used) | (set(MAY_LOOK) - looked)) if name.startswith(tuple(FOLDERS))]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
