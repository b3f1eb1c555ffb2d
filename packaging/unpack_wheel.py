#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Unpacks chosen folders of a wheel: unpack_wheel.py WHEEL TARGET PREFIX..."""
import pathlib
import sys
import zipfile


def main() -> int:
    wheel, target, prefixes = sys.argv[1], pathlib.Path(sys.argv[2]), tuple(sys.argv[3:])
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            if member.filename.startswith(prefixes) and not member.filename.endswith(".a"):
                path = pathlib.Path(archive.extract(member, target))
                if path.parent.name == "bin":  # zip files are taken out without their rights
                    path.chmod(0o755)
    return 0


if __name__ == "__main__":
    sys.exit(main())
