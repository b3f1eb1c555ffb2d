#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lines of documents: check_documents.py [--fix] [FILE...]

Every line of a document that is text has at most 100 columns. Rows of tables, code, links that stand alone and what programs write
(docs/parameters.md, docs/metrics.md) may be longer. With --fix, paragraphs that hold a longer line are filled again. Words that a
native reader stumbles over (WORDS) fail too, in documents only.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[2]
WIDTH = 100
WRITTEN = {"docs/parameters.md", "docs/metrics.md"}
WORDS = re.compile(r"\b(whoever|whatsoever|anew|thereof|thereby|herein)\b", re.IGNORECASE)
ITEM = re.compile(r"^(\s*)([-*+]|\d+\.)\s+")
FIXED = re.compile(r"^\s*(\||#+ |!\[|\[[^\]]+\]: |<|> )")  # tables, headings, pictures, definitions of links, HTML, quotations


def blocks(lines):
    """Runs of lines that are filled together: (first, last + 1, whether they are text)."""
    start, fence = 0, False
    kinds = []
    for line in lines:
        if line.lstrip().startswith("```"):
            fence = not fence
            kinds.append("code")
        elif fence or line.startswith("    ") and (not kinds or kinds[-1] in ("code", "blank")):
            kinds.append("code")
        elif not line.strip():
            kinds.append("blank")
        elif FIXED.match(line):
            kinds.append("fixed")
        elif ITEM.match(line):
            kinds.append("item")
        else:
            kinds.append("text")
    while start < len(lines):
        end = start + 1
        if kinds[start] in ("item", "text"):
            while end < len(lines) and kinds[end] == "text":
                end += 1
            yield start, end, True
        else:
            yield start, end, False
        start = end


def fill(lines):
    """The paragraph or item with lines of at most WIDTH columns."""
    item = ITEM.match(lines[0])
    first = re.match(r"\s*", lines[0])[0]
    rest = " " * len(item[0]) if item else first
    if item and len(lines) > 1 and lines[1].strip():
        rest = re.match(r"\s*", lines[1])[0] or rest
    text = " ".join(line.strip() for line in lines)
    filled = textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False)
    for i in range(1, len(filled)):
        while ITEM.match(filled[i]) or FIXED.match(filled[i]):  # a word at the beginning of a line would become markup
            filled[i - 1], word = filled[i - 1].rsplit(" ", 1)
            filled[i] = rest + word + " " + filled[i].strip()
    return filled


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--fix", action="store_true")
    options = parser.parse_args()
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    files = [f.resolve() for f in options.files] or [ROOT / name for name in listed if name not in WRITTEN]
    found = 0
    for file in files:
        lines = file.read_text().split("\n")
        result = []
        for start, end, text in blocks(lines):
            part = lines[start:end]
            if text and options.fix and any(len(line) > WIDTH for line in part):
                part = fill(part)
            result += part
        if result != lines:
            file.write_text("\n".join(result))
        number = 0
        for start, end, text in blocks(result):
            for number, line in enumerate(result[start:end], start + 1):
                where = f"{file.relative_to(ROOT)}:{number}"
                if text and len(line) > WIDTH and " " in line.strip():
                    print(f"{where}: {len(line)} columns, at most {WIDTH}")
                    found += 1
                for word in WORDS.findall(line):
                    print(f"{where}: '{word}'")
                    found += 1
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
