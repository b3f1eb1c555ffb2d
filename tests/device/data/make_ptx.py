#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles NAME.cu to NAME.ptx beside it with NVRTC, as the product does: make_ptx.py libnvrtc.so FILE.cu..."""
import ctypes
import os
import pathlib
import sys

nvrtc = ctypes.CDLL(sys.argv[1])
options = [b"--gpu-architecture=compute_80", b"-lineinfo", b"-std=c++17", b"-DNDEBUG"]
paths = [pathlib.Path(name).resolve() for name in sys.argv[2:]]
os.chdir("/")  # NVRTC writes the working directory into .file
for path in paths:
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), path.read_bytes(), b"program.cu", 0, None, None)
    failed = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
    size = ctypes.c_size_t()
    if failed:
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        sys.exit(f"{path}: {log.value.decode()}")
    nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetPTX(program, text)
    path.with_suffix(".ptx").write_bytes(text.value)
    print(path.with_suffix(".ptx"))
