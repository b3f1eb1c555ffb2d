#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts a squashfs image behind the runtime of AppImages: append_image.py RUNTIME IMAGE APPIMAGE

The file is an AppImage of type 2: the letters AI and a 2 stand at byte 8 of the program. Behind the image stands one line, which
packaging/appimage-runtime reads: "sparserl-appimage 1", the image's SHA-256 (its name in the cache) and its CRC-32.
"""
import hashlib
import os
import pathlib
import struct
import sys
import zlib


def main() -> int:
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    program, image = (pathlib.Path(argument).read_bytes() for argument in sys.argv[1:3])
    if program[:5] != b"\x7fELF\x02":
        sys.exit(f"{sys.argv[1]} is not a 64-bit ELF program.")
    if image[:4] != b"hsqs":
        sys.exit(f"{sys.argv[2]} is not a squashfs image.")
    # The runtime looks for the image where the table of sections ends, so nothing may stand between.
    (table,) = struct.unpack_from("<Q", program, 0x28)
    size, count = struct.unpack_from("<HH", program, 0x3A)
    end = table + size * count
    if len(program) > end:
        sys.exit(f"{sys.argv[1]} goes on for {len(program) - end} bytes behind its table of sections.")
    line = f"sparserl-appimage 1 {hashlib.sha256(image).hexdigest()} {zlib.crc32(image):08x}\n"
    target = pathlib.Path(sys.argv[3])
    part = target.with_name(target.name + ".part")
    part.write_bytes(program[:8] + b"AI\x02" + program[11:] + image + line.encode())
    part.chmod(0o755)
    os.replace(part, target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
