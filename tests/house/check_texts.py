#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Texts that come from projects, models and machines do nothing where they are shown or pasted.

  check_texts.py           names each line that breaks one of the rules; exits 1 where there is one

- The window shows plain text (widgets/common/plain_text.h): nothing else chooses a format of text or uses a class
  that takes HTML.
- What Qt Charts shows is HTML always: names, titles and categories go through chartText().
- An error's text begins with a small letter unless it begins with a name: programs print their name or a file before it.
- A command in a sentence with something in it that is not a constant is made by shellCommand() (base/shell.h).
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RICH = re.compile(r"(?<!== )\bQt::(?:RichText|AutoText|MarkdownText)\b|\b(?:set|insert|append)Html\(|\bsetMarkdown\(|\bQTextBrowser\b|"
                  r"\bQTextDocument\b(?!::Find)|\bQTextEdit\b(?!::ExtraSelection)|\bQGraphicsTextItem\b|\bQStaticText\b|"
                  r"\bQErrorMessage\b|\bQSplashScreen\b|\bsetWhatsThis\(|\bQWhatsThis\b|\bWhatsThisRole\b|\baboutQt\(")
PLAIN_TEXT = "widgets/common/plain_text.cpp"
# Of the classes of Qt Charts; in these two files only.
CHART_FILES = {"widgets/common/chart_frame.cpp": re.compile(r"\b(?:setTitleText|setLabel|setName)\(|new QBarSet\("),
               "widgets/common/chart_axes.cpp": re.compile(r"\bsetTitleText\(|categories->append\(")}
# The text has been through chartText() a line before.
MADE_BEFORE = {"m_lines[i]->setName(name);", "axis->setTitleText(title);", "categories->append(name);"}
# Literals, with the pieces that the compiler joins.
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*')
COMMAND = re.compile(r"`[^`]*(?:\{[^}]*\}|%\d)[^`]*`")
# What fails, with the first literal that says so; a literal that is a remedy begins with a verb.
ERROR = re.compile(r'\b(?:error|failed|fail|failAt|failOutOfMemory|wrongUsage|Error)\s*[({][^;"]{0,200}"'
                   r'(?:The|There|A|An|No|This|These|Those|Tables?|Of|With|What|Another|Every|Each|Both|Memory|Process|Two|It|Only|Not|Nothing) ')
# Backticks that are no commands for a shell, or whose words are quoted, by file, with the reason.
QUOTED = {
    "core/matrix/convert.cpp": "shellWord()",
    "core/remote/ssh.cpp": "shellWord()",
    "core/kernel/bundle.cpp": "Markdown of a bundle; harmless()",
    "core/project/run/metrics.cpp": "Markdown of docs/metrics.md",
    "core/base/parameters.cpp": "Markdown of docs/parameters.md",
    "core/machine/cuda_tools.cpp": "the names of NVIDIA's tools",
    "app/cli/command_line.cpp": "the name of one of the program's own commands",
    "app/cli/usage.cpp": "the name of one of the program's own commands",
}


def sources(*folders):
    for folder in folders:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in (".h", ".cpp"):
                yield str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")


def main():
    faults, used = [], set()
    for name, text in sources("widgets", "app/workbench"):
        for number, line in enumerate(text.splitlines(), 1):
            if line.lstrip().startswith(("//", "#include")):
                continue
            if name != PLAIN_TEXT and RICH.search(line):
                faults.append(f"{name}:{number} shows more than plain text: use widgets/common/plain_text.h: {line.strip()}")
            if name in CHART_FILES and CHART_FILES[name].search(line) and "chartText(" not in line and line.strip() not in MADE_BEFORE:
                faults.append(f"{name}:{number} gives Qt Charts a text without chartText(): {line.strip()}")
    for name, text in sources("core", "app", "widgets"):
        for found in LITERAL.finditer(text):
            joined = re.sub(r'"\s*"', "", found.group())
            number = text.count("\n", 0, found.start()) + 1
            half = joined.count("`") % 2 == 1 and re.match(r"\s*[+)]|\s*\.", text[found.end():]) and "`" in joined
            if not COMMAND.search(joined) and not half:
                continue
            if name in QUOTED:
                used.add(name)
            else:
                faults.append(f"{name}:{number} prints a command whose words are not quoted: use shellCommand(): {joined[:90]}")
    for name, text in sources("core", "app/cli", "app/training"):
        for found in ERROR.finditer(text):
            number = text.count("\n", 0, found.end()) + 1
            faults.append(f"{name}:{number} has an error that begins with a capital letter: {text[found.end() - 12:found.end() + 40]!r}")
    faults += [f"tests/house/check_texts.py allows {name}, which needs it no more" for name in sorted(set(QUOTED) - used)]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
