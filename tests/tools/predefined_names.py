#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the rows of core/kernel/predefined_names.cpp: the names that NVRTC knows before a program's first line, and
with how many arguments its functions can be called. Every name in the libraries and in CUDA's headers is tried out.

    tests/tools/predefined_names.py libnvrtc.so.13 libnvrtc-builtins.so.13.0 INCLUDE
"""
import ctypes
import pathlib
import re
import subprocess
import sys

OPTIONS = [b"--gpu-architecture=compute_80", b"--std=c++17", b"-lineinfo", b"-DNDEBUG", b"--minimal", b"--no-source-include"]
KEYWORDS = set("""alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class co_await
co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do double dynamic_cast
else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr
operator or or_eq private protected public register reinterpret_cast requires return short signed sizeof static static_assert
static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned using virtual void volatile
wchar_t while xor xor_eq""".split())
# Families that mayBePredefined() takes as a whole, and guards of headers.
LEFT_OUT = re.compile(r"^(__nv|__cpp|__builtin|__edg|__is_|__has|__NV|_NV_|NV_|_[A-Z]|__[A-Z0-9_]+_H__$)")
PRELUDE = """struct Any { template<class T> __device__ operator T() const; };
__device__ int* ip; __device__ float* fp; __device__ unsigned* up; __device__ float f; __device__ unsigned u;
__device__ unsigned long long* ulp; __device__ const char* cp; __device__ const float* cfp; __device__ float4* f4p; __device__ float4 f4;
"""
# First arguments to try a function with; the last repeats.
STYLES = [["Any()"], ["fp", "f"], ["ip", "0"], ["0"], ["up", "u"], ["fp", "ip", "0"], ["f"], ["u", "f", "u"], ["ulp", "u"],
          ["f", "fp", "fp", "f"], ["cp", "0"], ["cfp", "f"], ["f4p", "f4"], ["u", "0", "ip", "f"], ["f4"]]
MOST = 7  # arguments; stands for more as well


class Compiler:
    def __init__(self, path):
        self.library = ctypes.CDLL(path)

    def log(self, source):
        program = ctypes.c_void_p()
        self.library.nvrtcCreateProgram(ctypes.byref(program), source.encode("latin1"), b"p.cu", 0, None, None)
        self.library.nvrtcCompileProgram(program, len(OPTIONS), (ctypes.c_char_p * len(OPTIONS))(*OPTIONS))
        size = ctypes.c_size_t()
        self.library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        self.library.nvrtcGetProgramLog(program, text)
        self.library.nvrtcDestroyProgram(ctypes.byref(program))
        return text.value.decode("latin1")

    def errors(self, lines, chunk=60):
        """Messages by index of the line, compiled some at a time: the compiler stops after a hundred."""
        found = {}
        for start in range(0, len(lines), chunk):
            part = lines[start:start + chunk]
            log = self.log(PRELUDE + "\n".join(part) + "\n")
            if chunk > 10 and log.count("error:") >= 95:
                inner = self.errors(part, 10)
                found.update({start + i: messages for i, messages in inner.items()})
                continue
            for match in re.finditer(r"p\.cu\((\d+)\): (?:catastrophic )?error: (.*)", log):
                i = int(match[1]) - 1 - PRELUDE.count("\n")
                if 0 <= i < len(part):
                    found.setdefault(start + i, []).append(match[2])
        return found


def strings(path, least):
    return subprocess.run(["strings", "-n", str(least), path], capture_output=True, check=True).stdout.decode("latin1")


def known(compiler, candidates):
    """Names that are not `undefined`; fewer at a time each round, because an odd name hides those after it."""
    for chunk in (90, 40, 15, 6, 1):
        left = []
        for start in range(0, len(candidates), chunk):
            part = candidates[start:start + chunk]
            log = compiler.log("\n".join(f"namespace n{i} {{ auto v = sizeof({name}); }}" for i, name in enumerate(part)) + "\n")
            undefined = set(re.findall(r'identifier "([^"]+)" is undefined', log))
            left += [name for name in part if name not in undefined]
        candidates = sorted(left, key=lambda name: hash((chunk, name)))
    return {name for name in candidates if not re.match(r"^(n\d+|v)$", name)}


def macros(compiler, candidates):
    found = set()
    for start in range(0, len(candidates), 90):
        lines = [f"#ifdef {name}\nint macro = undefined_{name};\n#endif" for name in candidates[start:start + 90]]
        found |= set(re.findall(r'identifier "undefined_([^"]+)"', compiler.log("\n".join(lines))))
    return found


def arities(compiler, functions):
    masks = dict.fromkeys(functions, 0)
    variables = set()
    for count in range(MOST + 1):
        for style in STYLES if count else STYLES[:1]:
            left = [name for name in functions if not masks[name] >> count & 1]
            given = ", ".join((style + [style[-1]] * count)[:count])
            errors = compiler.errors([f"__device__ void g{i}_{count}() {{ {name}({given}); }}" for i, name in enumerate(left)])
            for i, name in enumerate(left):
                messages = errors.get(i, [])
                if not any(re.search(r"too few arg|too many arg|no instance of", message) for message in messages):
                    masks[name] |= 1 << count
                if any("must have (pointer-to-) function type" in m or "call of an object" in m for m in messages):
                    variables.add(name)
    return masks, variables


def main():
    library, headers, include = sys.argv[1:4]
    compiler = Compiler(library)
    words = set(re.findall(r"[A-Za-z_][A-Za-z_0-9]*", strings(headers, 2)))
    for line in strings(library, 3).split("\n"):
        if len(line) < 200:
            words |= {word for word in re.findall(r"[A-Za-z_][A-Za-z_0-9]*", line) if len(word) < 40}
    for path in [*pathlib.Path(include).glob("*.h*"), *pathlib.Path(include, "crt").glob("*")]:
        words |= set(re.findall(r"[A-Za-z_][A-Za-z_0-9]*", path.read_text(errors="replace")))
    candidates = sorted(word for word in words if len(word) < 48 and word not in KEYWORDS | {"defined"} and not LEFT_OUT.match(word))
    rows = {}
    defined = macros(compiler, candidates)
    names = sorted(known(compiler, candidates) - defined)
    wrong = compiler.errors([f"namespace q{i} {{ using t = {name}; }}" for i, name in enumerate(names)])
    types = {name for i, name in enumerate(names) if i not in wrong}
    masks, variables = arities(compiler, [name for name in names if name not in types])
    for name in defined:
        rows.setdefault(("Macro", 0), []).append(name)
    for name in types:
        rows.setdefault(("Type", 0), []).append(name)
    for name, mask in masks.items():
        rows.setdefault(("Variable", 0) if name in variables else ("Function", mask), []).append(name)
    for (kind, mask), group in sorted(rows.items()):
        print(f"    {{Predefined::Kind::{kind}, 0x{mask:02x},")
        line = ""
        lines = []
        for name in sorted(group):
            if len(line) + len(name) > 95:
                lines.append(line)
                line = ""
            line += name + " "
        print("\n".join(f'     "{text}"' for text in lines + [line]) + "},")


if __name__ == "__main__":
    main()
