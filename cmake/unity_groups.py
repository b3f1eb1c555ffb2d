#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which source files can be compiled together as one unit: unity_groups.py FILE...

Prints a line NUMBER<space>FILE for each, files with the same number being one unit. Two files that keep the same name to
themselves (in an unnamed namespace, static, a macro, an alias) cannot be one, nor can a file with such a name and one whose
headers declare a type of that name, and a file that tells a header something by a macro is alone. Most of a file's time goes
into templates that its neighbours instantiate too (tests/benchmarks/build_time.md), so units are large: as few as hold about
UNIT bytes each, all about as long. clang-tidy reads the same groups and tells where these rules did not see a clash
(tests/house/check_tidy.py).
"""
import math
import os
import pathlib
import re
import sys

import project_headers

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
        body = re.sub(r"^((?:class|struct) \w+)(?: final)? : .*$", r"\1", body, flags=re.M)
        names.update(re.findall(r"(?<![:\w])([A-Za-z_]\w*)\s*(?:\(|=|\{|;|$)", body, flags=re.M))
    found = {name: None for name in names - WORDS}
    for kind, name, rest in re.findall(r"^(using|namespace) (?:[\w:]*::)?(\w+)( = [^;]+)?;", text, flags=re.M):
        found[name] = kind + rest
    return found


def stands_alone(path):
    """Whether a macro is set before a header is read: in a unit somebody else may have read that header without it."""
    lines = re.findall(r"^#(?:define|include)\b.*$", pathlib.Path(path).read_text(), flags=re.M)
    defined = next((i for i, line in enumerate(lines) if line.startswith("#define")), len(lines))
    return any(re.match(r'#include (<|.*\.h")', line) for line in lines[defined:])  # a .def is read each time


class Headers:
    """Names of the types that the project's headers declare at namespace scope, by the file that includes them."""

    def __init__(self):
        self.named, self.declared = {}, {}

    def types(self, source):
        """Types that `source` sees through its headers, directly or through others."""
        found = set()
        for header in project_headers.closure(pathlib.Path(source).resolve(), self.named):
            if header not in self.declared:
                # A declaration that begins in the first column lies in a namespace: the project does not indent them.
                types = re.findall(r"^(?:class|struct|enum(?: class)?) (\w+)[^;({]*(?:\{|$)|^using (\w+) =",
                                   header.read_text(errors="replace"), flags=re.M)
                self.declared[header] = {a or b for a, b in types}
            found |= self.declared[header]
        return found


def clash(some, others):
    return any(name in others and (meaning is None or others[name] != meaning) for name, meaning in some.items())


def hides(names, types):
    """Whether a name that a file keeps to itself is that of a type which another file's headers declare: a use would mean either."""
    return any(meaning is None and name in types for name, meaning in names.items())


UNIT = 150_000  # Bytes: half a minute and 2 GB of memory for a unit on LibTorch; larger ones are one long last job.


def groups(items, path=lambda item: item, key=lambda item: None):
    """`items` in lists with the same key and without a clash of local names, in their order."""
    sizes, found, headers = {}, [], Headers()
    for item in items:
        sizes.setdefault(key(item), []).append(os.path.getsize(path(item)))
    shares = {wanted: sum(some) / math.ceil(sum(some) / UNIT) for wanted, some in sizes.items() if sum(some)}
    for item in items:
        names, wanted, size = local_names(path(item)), key(item), os.path.getsize(path(item))
        types = headers.types(path(item))
        if stands_alone(path(item)):
            wanted = object()  # like nobody's
        for group in found:
            # A file that stands across the end of a share belongs where more of it lies.
            if (group["key"] == wanted and group["size"] + size / 2 <= shares[wanted] and not clash(names, group["names"])
                    and not hides(names, group["types"]) and not hides(group["names"], types)):
                break
        else:
            group = {"key": wanted, "names": {}, "types": set(), "size": 0, "items": []}
            found.append(group)
        group["items"].append(item)
        group["size"] += size
        group["names"] |= names
        group["types"] |= types
    return [group["items"] for group in found]


if __name__ == "__main__":
    for number, group in enumerate(groups(sys.argv[1:])):
        for file in group:
            print(number, file)
