#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether each source file includes what it uses of the project's own headers: check_includes.py

Files that are compiled together (SPARSERL_UNITY) see each other's headers, so a compiler does not find an include that is
missing; clang-tidy does, an hour later and only where it happens to read the file by itself. This reads names alone and takes
seconds: a function or a type that headers of the project declare at namespace scope, and that a file uses, must occur in the
file itself or in a header that it includes, directly or through others.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "cmake"))
from project_headers import closure  # noqa: E402  as the builds that compile files together see them

FOLDERS = ("core", "app", "packaging", "widgets")
# Comments, text and characters: names in them are no uses.
NO_CODE = re.compile(r'R"(\w*)\((?s:.*?)\)\1"|//[^\n]*|/\*(?s:.*?)\*/|"(?:[^"\\\n]|\\.)*"|(?<![0-9a-fA-F])\'(?:[^\'\\\n]|\\.)+\'')
TYPE = re.compile(r"^(?:template\s*<[^;{]*>\s*)?(?:struct|class|enum(?: class)?)\s+(\w+)[^;(]*\{", re.M)
ALIAS = re.compile(r"^using\s+(\w+)\s*=", re.M)
ENUM = re.compile(r"\benum\s+(?:class\s+)?\w*[^;{]*\{([^}]*)\}")
# A declaration that begins in the first column lies in a namespace: the project does not indent them.
FUNCTION = re.compile(r"^(?!return|else|using|namespace|public|private|protected)(?:\[\[nodiscard\]\] )?"
                      r"[A-Za-z_][\w:<>,&* ]*?[\w>&*] [&*]?(\w+)\(", re.M)
INHERITED = {"widgets/kernels/cuda_lexer.cpp": {"Number"}}  # of a class in a library's headers, which are not read here
NO_TYPES = ("return", "throw", "case", "co_return", "else", "new", "delete", "goto")
USE = re.compile(r"(?<![\w.:])(?<!->)(\w+)\b(\s*\()?")


def code(path):
    text = re.sub(r"^[ \t]*#[ \t]*include[^\n]*", "", path.read_text(errors="replace"), flags=re.M)
    return NO_CODE.sub(lambda found: " " + "\n" * found[0].count("\n"), text)


def declares(body, name):
    """Whether a file has a type, a function, a member or a variable of this name itself: something like a type stands before it."""
    before = rf"(?:(\w+)\s+[&*]*|[>&*\]]\s*[&*]*|,\s*)"
    found = re.finditer(rf"{before}{name}\b\s*(?:[=;,({{)\[]|:[^:])", body)
    return any(each[1] not in NO_TYPES and not each[0].startswith(",") or re.search(r"[;=]$", each[0]) for each in found) \
        or re.search(rf"^\s*[\w:]*(?:const )?[\w:]+ (?:\w+(?:\(\w+\))?,\s+)+{name}[,;(]", body, flags=re.M) \
        or re.search(rf"\b(?:struct|class|enum|using|namespace|typename)\s+{name}\b", body)


def main():
    files = [p.resolve() for f in FOLDERS for p in sorted((ROOT / f).rglob("*")) if p.suffix in (".h", ".cpp") and "/build/" not in str(p)]
    text = {path: code(path) for path in files}
    words = {path: set(re.findall(r"\w+", text[path])) for path in files}
    declared = {}  # name -> headers that declare it
    for path in files:
        if path.suffix == ".h":
            for found in TYPE.findall(text[path]) + FUNCTION.findall(text[path]) + ALIAS.findall(text[path]):
                declared.setdefault(found, set()).add(path)
    functions = {name for path in files if path.suffix == ".h" for name in FUNCTION.findall(text[path])}
    known, findings = {}, []
    for path in (path for path in files if path.suffix == ".cpp"):  # headers are compiled by themselves (test_headers.cpp)
        around = closure(path, known)
        visible = set().union(*(words.get(header, set()) for header in around)) if around else set()
        body = text[path]
        visible |= set(re.findall(r"\w+", " ".join(ENUM.findall(body))))
        for found in USE.finditer(body):
            name = found[1]
            if len(name) < 4 or name.startswith("__") or name not in declared or path in declared[name] or name in visible or (name in functions and not found[2]):
                continue
            if name in INHERITED.get(str(path.relative_to(ROOT)), ()) or declares(body, name):
                continue
            where = sorted(str(h.relative_to(ROOT)) for h in declared[name])
            findings.append((path, body.count("\n", 0, found.start()) + 1, name, where))
            visible.add(name)
    for path, line, name, where in findings:
        print(f"{path.relative_to(ROOT)}:{line}: {name} is declared in {' or '.join(where)}, which is not included.")
    print(f"check_includes: {len(files)} files, {len(declared)} names, {len(findings)} findings.")
    sys.exit(1 if findings else 0)


if __name__ == "__main__":
    main()
