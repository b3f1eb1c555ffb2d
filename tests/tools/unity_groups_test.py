#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of cmake/unity_groups.py: which files are never compiled together. unity_groups_test.py"""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cmake"))
import unity_groups  # noqa: E402


class Groups(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def groups(self, **texts):
        """How many units the files NAME.cpp make, NAME_h being the text of NAME.h."""
        sources = []
        for name, text in texts.items():
            path = pathlib.Path(self.folder.name) / (name[:-2] + ".h" if name.endswith("_h") else name + ".cpp")
            path.write_text(text)
            sources += [str(path)] if path.suffix == ".cpp" else []
        return len(unity_groups.groups(sources))

    def test_other_names_are_one_unit(self):
        self.assertEqual(self.groups(a="namespace {\nint one()\n{\n}\n}\n", b="namespace {\nint two()\n{\n}\n}\n"), 1)

    def test_a_local_name_twice(self):
        self.assertEqual(self.groups(a="namespace {\nint one()\n{\n}\n}\n", b="namespace {\nint one()\n{\n}\n}\n"), 2)

    def test_a_local_type_that_a_header_of_another_declares(self):
        for declared in ("enum class Subject\n{\n};\n", "struct Subject { int a = 0; };\n", "using Subject = int;\n",
                         "class Subject final : public Base\n{\n};\n"):
            for first in (True, False):
                local = {"a" if first else "z": "namespace {\nclass Subject\n{\n};\n}\n"}
                with self.subTest(declared=declared, first=first):
                    self.assertEqual(self.groups(**local, other_h=declared, between_h='#include "other.h"\n', m='#include "between.h"\n'), 2)

    def test_a_type_that_is_only_named_is_no_clash(self):
        self.assertEqual(self.groups(a="namespace {\nclass Subject\n{\n};\n}\n", other_h="void of(Subject subject);\n", b='#include "other.h"\n'), 1)


if __name__ == "__main__":
    unittest.main()
