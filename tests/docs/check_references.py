#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Resolves what documents, comments and build files cite: paths, documents, sections, rows, Markdown links.

  check_references.py [ROOT]    prints what leads nowhere; exit status 1 if there is any

In the text of Markdown files and in comments it takes for a reference: `core/...`, `docs/...` and the like, a header
with its folder (`base/printable.h`), NAME.md, "docs/NAME.md 5.3" (a heading "5.3", or item 3 of section 5), and
"docs/NAME.md 3 #31" (row 31 of a table of section 3). Words in capitals are place-holders: `docs/NAME.md`.
"""
import pathlib
import re
import subprocess
import sys

FOLDERS = "app|cmake|core|docs|packaging|projects|resources|tests|widgets"
SOURCES = {".h", ".cpp", ".cu", ".py", ".cmake", ".toml", ".txt", ""}
PATH = re.compile(rf"(?<![\w./-])(?:{FOLDERS})/[\w./*-]*[\w*]")
HEADER = re.compile(r"(?<![\w./-])[a-z_]+/[a-z_/]+\.h\b")
DOCUMENT = re.compile(r"(?<![\w./*-])(?:[\w-]+/)*[\w-]+\.md\b")
SECTION = re.compile(r"((?:docs/)?[a-z-]+\.md)\)?,? (?:section )?((?:[A-Z]\.)?\d+(?:\.\d+)*)\b(?:, trap (\d+))?((?: #\d+(?: and #\d+)*)?)")
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
GONE = re.compile(r"\bDESIGN \d|\breference/(?:formats|evaluation|rl|kernels|papers|gui)")
COMMENT = re.compile(r"//+!?<?(.*)|/\*(.*?)\*/", re.DOTALL)


def tracked(root):
    """Files that belong to the repository."""
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, check=False)
    if listed.returncode == 0:
        return [root / name for name in listed.stdout.decode().split("\0") if name and (root / name).is_file()]
    skip = {"build", ".deps", ".git", "__pycache__"}
    return [path for path in root.rglob("*") if path.is_file() and not skip & set(path.relative_to(root).parts)]


def comments(path, text):
    """The text that people read of a source file, line by line: what is no comment is left out."""
    if path.suffix in (".h", ".cpp", ".cu"):
        for line in text.splitlines():
            at = line.find("//")
            yield line[at:] if at >= 0 and not line.lstrip().startswith("#include") else ""
    else:
        for line in text.splitlines():
            at = line.find("#")
            yield line[at:] if at >= 0 else ""


def placeholder(reference):
    """`commands/NAME.cpp`, `runs/NNNN-STAGE`; files in capitals that exist are resolved before this is asked."""
    return any(re.fullmatch(r"[A-Z]{3,}", part) for part in re.split(r"[/.\-_]", reference))


class Documents:
    """Headings, list items and table rows of Markdown files."""

    def __init__(self, root):
        self._root = root
        self._cache = {}

    def _sections(self, path):
        """{"5": text of section 5, "5.3": ...}, subsections included in their section."""
        if path not in self._cache:
            found, open_sections = {}, []
            for line in path.read_text(encoding="utf-8").splitlines():
                heading = re.match(r"(#+) (?:(\d+(?:\.\d+)*)\.? )?", line)
                if heading:
                    open_sections = [item for item in open_sections if item[0] < len(heading.group(1))]
                    if heading.group(2):
                        open_sections.append((len(heading.group(1)), heading.group(2)))
                        found.setdefault(heading.group(2), "")
                for _, number in open_sections:
                    found[number] += line + "\n"
            self._cache[path] = found
        return self._cache[path]

    def anchors(self, path):
        slugs = set()
        for line in path.read_text(encoding="utf-8").splitlines():
            heading = re.match(r"#+ (.*)", line)
            if heading:
                text = re.sub(r"[^\w\- ]", "", heading.group(1).lower())
                slugs.add(text.strip().replace(" ", "-"))
        return slugs

    def section_problem(self, path, number, item, rows):
        sections = self._sections(path)
        if not sections:
            return ""  # not numbered: "formats.md 3 times" says nothing
        text = sections.get(number)
        if text is None and "." in number:
            section, _, last = number.rpartition(".")
            if re.search(rf"^{last}\. ", sections.get(section, ""), re.MULTILINE):
                text = sections[section]
        if text is None:
            return f"has no section {number}"
        if item and not re.search(rf"^{item}\. ", text, re.MULTILINE):
            return f"section {number} has no item {item}"
        for row in re.findall(r"\d+", rows):
            if not re.search(rf"^\| {row} \|", text, re.MULTILINE):
                return f"section {number} has no row {row}"
        return ""


class Checker:
    def __init__(self, root):
        self._root = root
        self._documents = Documents(root)
        self._files = tracked(root)
        self._headers = {str(path.relative_to(root)) for path in self._files}
        self.problems = []

    def _exists(self, reference, folder):
        """As a path from the root or from the folder; with glob characters, or without the ending of a source."""
        for base in (self._root, folder):
            if "*" in reference:
                if any(base.glob(reference)):
                    return True
            elif any((base / (reference + ending)).exists() for ending in ("", ".h", ".cpp", ".md")):
                return True
        return False

    def _document(self, name, folder):
        for base in (folder, self._root, self._root / "docs"):
            if (base / name).is_file():
                return base / name
        return None

    def _line(self, path, number, line):
        def complain(reference, why):
            self.problems.append(f"{path.relative_to(self._root)}:{number}: {reference} {why}")

        folder = path.parent
        for reference in PATH.findall(line):
            if re.search(r"/(?:runs|exports|cache)/", reference):
                continue  # of a project, made by the programs
            if not self._exists(reference, folder) and not placeholder(reference):
                complain(reference, "is not there")
        for reference in HEADER.findall(line):
            if not any(name == reference or name.endswith("/" + reference) for name in self._headers):
                if not re.match(r"(torch|nlohmann|sys|linux|fmt|c10|toml|tl|asm|cuda|cooperative_groups|details)", reference):
                    complain(reference, "is not there")
        for reference in DOCUMENT.findall(line):
            if not self._document(reference, folder) and not placeholder(reference):
                complain(reference, "is not there")
        for reference, section, item, rows in SECTION.findall(line):
            document = self._document(reference, folder)
            if document and document.parent == self._root / "docs":
                why = self._documents.section_problem(document, section, item, rows)
                if why:
                    complain(reference, why)
        for match in GONE.findall(line):
            complain(match, "is not part of the repository")

    def _links(self, path, text):
        for number, line in enumerate(text.splitlines(), 1):
            for target in LINK.findall(line):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, anchor = target.partition("#")
                linked = (path.parent / name).resolve() if name else path
                if not linked.exists():
                    self.problems.append(f"{path.relative_to(self._root)}:{number}: the link {target} leads nowhere")
                elif anchor and linked.suffix == ".md" and anchor not in self._documents.anchors(linked):
                    self.problems.append(f"{path.relative_to(self._root)}:{number}: {name} has no heading #{anchor}")

    def run(self):
        for path in self._files:
            own = path == pathlib.Path(__file__).resolve()
            if own or "programs" in path.parts or path.name == "LICENSE":
                continue
            if path.suffix == ".md":
                text = path.read_text(encoding="utf-8")
                self._links(path, text)
                lines = LINK.sub("", text).splitlines()
            elif path.suffix in SOURCES:
                try:
                    lines = list(comments(path, path.read_text(encoding="utf-8")))
                except UnicodeDecodeError:
                    continue
            else:
                continue
            # A reference may be broken between two lines of a comment.
            for number, line in enumerate(lines, 1):
                following = lines[number] if number < len(lines) else ""
                self._line(path, number, line)
                broken = re.search(r"([\w/-]+\.md)$", line.rstrip())
                if broken:
                    self._line(path, number, broken.group(1) + " " + re.sub(r"^\s*(?://[/!<]*|#)?\s*", "", following)[:12])
        return self.problems


def unknown_folders(root):
    """Folders of the top that CONTRIBUTING.md does not name: what a program left behind and a commit took along."""
    known = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    tops = {path.relative_to(root).parts[0] for path in tracked(root) if len(path.relative_to(root).parts) > 1}
    return [f"{top}/ is not named in CONTRIBUTING.md" for top in tops if f"`{top}/" not in known]


def other_versions(root):
    """What names another version than CMakeLists.txt does."""
    version = re.search(r"^project\(.* VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text(encoding="utf-8"), re.MULTILINE)[1]
    cited = re.search(r"^version: (.*)$", (root / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)[1]
    return [] if cited == version else [f"CITATION.cff: version {cited}, and this is {version}"]


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
    problems = sorted(set(Checker(root).run() + unknown_folders(root) + other_versions(root)))
    print("\n".join(problems))
    print(f"{len(problems)} references lead nowhere")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
