#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which source files can be compiled together as one unit: unity_groups.py SIZE FILE...

Prints a line NUMBER<space>FILE for each, files with the same number being one unit of at most SIZE. Two files that keep
the same name to themselves (in an unnamed namespace, static, a macro, an alias) cannot be one. Half of a file's time goes into
templates that its neighbours instantiate too (tests/benchmarks/build_time.md); clang-tidy reads the same groups and tells
where these rules did not see a clash (tests/house/check_tidy.py).
"""
import pathlib
import re
import sys

WORDS = frozenset("sparserl const if for while switch return override noexcept operator std sizeof static_assert".split())


def local_names(path):
    """Names that a file keeps to itself, roughly, with what an alias stands for: the same one twice is no clash."""
    text = pathlib.Path(path).read_text()
    text = re.sub(r"R\"(\w*)\(.*?\)\1\"|//[^\n]*|/\*.*?\*/|\"(\\.|[^\"\\\n])*\"|'(\\.|[^'\\\n])+'", " ", text, flags=re.S)
    names = set(re.findall(r"^(?:static|constexpr|#define)\b[^\n(=;{]*?\b(\w+)\s*[(=;{]", text, flags=re.M))
    for match in re.finditer(r"^namespace \{", text, flags=re.M):
        end, depth = match.end(), 1
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        # House style: names of a namespace stand at the margin, members further in.
        body = re.sub(r"^(?:[ }]|using\b|namespace\b).*$", "", text[match.end():end], flags=re.M)
        names.update(re.findall(r"(?<![:\w])([A-Za-z_]\w*)\s*(?:\(|=|\{|;|$)", body, flags=re.M))
    found = {name: None for name in names - WORDS}
    for kind, name, rest in re.findall(r"^(using|namespace) (?:[\w:]*::)?(\w+)( = [^;]+)?;", text, flags=re.M):
        found[name] = kind + rest
    return found


def clash(some, others):
    return any(name in others and (meaning is None or others[name] != meaning) for name, meaning in some.items())


def groups(items, size, path=lambda item: item, key=lambda item: None):
    """`items` in lists of at most `size` with the same key and without a clash of local names, in their order."""
    found = []
    for item in items:
        names, wanted = local_names(path(item)), key(item)
        for group in found:
            if group["key"] == wanted and len(group["items"]) < size and not clash(names, group["names"]):
                break
        else:
            group = {"key": wanted, "names": {}, "items": []}
            found.append(group)
        group["items"].append(item)
        group["names"] |= names
    return [group["items"] for group in found]


if __name__ == "__main__":
    for number, group in enumerate(groups(sys.argv[2:], int(sys.argv[1]))):
        for file in group:
            print(number, file)
