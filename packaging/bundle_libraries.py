#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Puts Qt and every library that the programs of an AppDir need into it: bundle_libraries.py APPDIR

APPDIR/usr is an installation of the preset package on Debian. Its programs look for libraries in lib/sparserl/shared (DT_RPATH, which
holds for what plugins need as well; cmake/SparserlInstall.cmake). Beside the libraries go Qt's plugins, fonts for machines
without any, the licences of all of it, and a table that says which package of Debian each library comes from: the
publisher of the AppImage offers the sources of those.
"""
import pathlib
import re
import shutil
import subprocess
import sys

# Never inside: the C library belongs to the kernel and the loader of the machine.
MACHINE = re.compile(r"ld-linux-x86-64\.so\.2|lib(c|m|dl|rt|pthread|util|resolv|nsl|anl|BrokenLocale)\.so\.\d+")

# Inside, but used only where the machine has none (packaging/linux/AppRun): a graphics driver is the machine's and brings in the
# machine's own (LLVM and X11's parts among it), which may be newer; two of one library in a process do not go together.
DRIVER = r"lib(EGL|GL|GLX|OpenGL|GLdispatch|X11|X11-xcb|xcb(-[a-z]+)*|Xau|Xdmcp|Xext|ICE|SM|bsd|md|drm|gbm|wayland-(client|cursor|egl|server)|ffi|stdc\+\+|gcc_s|z|zstd|lzma|expat)"
# So do fonts: what /etc/fonts says is written for the machine's fontconfig.
FONTS = r"lib(fontconfig|freetype)"
MACHINE_FIRST = re.compile(rf"({DRIVER}|{FONTS})\.so\.\d+")

# What the user installs: the plug-in for GPUs is opened only where these are (docs/design.md 9).
USERS = re.compile(r"lib(torch_cuda|c10_cuda|cuda|cublas.*|cusparse.*|cudnn.*)\.so.*|libtorch\.so")

PLUGINS = ["platforms/libqxcb.so", "platforms/libqoffscreen.so", "platforms/libqminimal.so", "platforms/libqwayland-generic.so",
           "platforms/libqwayland-egl.so", "imageformats", "iconengines", "platforminputcontexts", "xcbglintegrations",
           "wayland-shell-integration", "wayland-decoration-client", "wayland-graphics-integration-client"]
FONT_FILES = ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf"]
# Inside the runtime, which is a static program (packaging/appimage-runtime).
RUNTIME_PACKAGES = ["libsquashfs-dev", "libzstd-dev", "liblzma-dev", "liblz4-dev", "zlib1g-dev", "libfmt-dev", "libc6-dev", "libstdc++-12-dev"]


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def is_elf(path):
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def needed(path):
    return re.findall(r"NEEDED\s+(\S+)", output("objdump", "-p", str(path)))


def glibc_of(path):
    versions = re.findall(r"GLIBC_(\d+)\.(\d+)", output("objdump", "-T", str(path)))
    return max(((int(a), int(b)) for a, b in versions), default=(0, 0))


class Machine:
    """The libraries and packages of this machine."""

    def __init__(self):
        listed = output("/sbin/ldconfig", "-p")
        self._paths = dict(reversed(re.findall(r"^\s(\S+) \(libc6,x86-64.*\) => (\S+)$", listed, re.M)))

    def library(self, name):
        return pathlib.Path(self._paths[name]) if name in self._paths else None

    @staticmethod
    def package(path):
        """The package that a file came with. On a merged /usr dpkg knows it by either name."""
        resolved = str(path.resolve())
        for name in dict.fromkeys((resolved, resolved.removeprefix("/usr"), "/usr" + resolved, str(path))):
            found = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True)
            if found.returncode == 0:
                return found.stdout.split(":")[0].split(",")[0]
        sys.exit(f"{path} belongs to no package of Debian, so its licence is not known: this runs on Debian only.")


class AppDir:
    def __init__(self, root):
        self._root = root
        self._machine = Machine()
        self._shared = root / "usr/lib/sparserl/shared"
        self._spare = root / "usr/lib/sparserl/spare"
        self._sources = {}  # file inside -> package

    def copy(self, source, target):
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)  # follows links
        shutil.copymode(source, target)
        self._sources[target.relative_to(self._root)] = self._machine.package(source)

    def add_plugins(self):
        folder = pathlib.Path(output("qtpaths6", "--query", "QT_INSTALL_PLUGINS").strip())
        for name in PLUGINS:
            source = folder / name
            if not source.exists():
                sys.exit(f"Qt's plugin {source} is missing: run packaging/setup --packages.")
            for file in sorted(source.glob("*.so")) if source.is_dir() else [source]:
                self.copy(file, self._root / "usr/lib/sparserl/qt" / file.relative_to(folder))
        (self._root / "usr/bin/qt.conf").write_text("[Paths]\nPrefix = ..\nPlugins = lib/sparserl/qt\n")

    def add_libraries(self):
        """Until nothing is missing: what is inside needs what is not inside yet."""
        inside = {path.name for path in (self._root / "usr/lib").rglob("*.so*")}
        waiting = [path for path in (self._root / "usr").rglob("*") if is_elf(path)]
        glibc = (0, 0)
        while waiting:
            path = waiting.pop()
            if self._spare not in path.parents:
                glibc = max(glibc, glibc_of(path))
            for name in needed(path):
                if name in inside or MACHINE.fullmatch(name) or USERS.fullmatch(name):
                    continue
                source = self._machine.library(name)
                if not source:
                    sys.exit(f"{path} needs {name}, which this machine does not have.")
                target = self._spare / name / name if MACHINE_FIRST.fullmatch(name) else self._shared / name
                self.copy(source, target)
                inside.add(name)
                waiting.append(target)
        (self._root / "usr/lib/sparserl/glibc").write_text(f"{glibc[0]}.{glibc[1]}\n")

    def add_fonts(self):
        folder = self._root / "usr/share/sparserl/fonts"
        for name in FONT_FILES:
            self.copy(pathlib.Path("/usr/share/fonts/truetype/dejavu") / name, folder / name)
        # Without the aliases nothing says which of them a "monospace" is, and code stands in letters of all widths.
        aliases = "".join(f"  <alias><family>{alias}</family><prefer><family>{name}</family></prefer></alias>\n"
                          for alias, name in (("monospace", "DejaVu Sans Mono"), ("sans-serif", "DejaVu Sans")))
        (folder / "fonts.conf").write_text('<?xml version="1.0"?>\n<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">\n<fontconfig>\n'
                                           '  <dir prefix="relative">.</dir>\n  <cachedir prefix="xdg">fontconfig</cachedir>\n'
                                           f'{aliases}</fontconfig>\n')

    def add_licences(self):
        documents = self._root / "usr/share/doc"
        named = set()
        rows = ["file\tpackage\tversion\tsource\tversion of the source"]
        for package in sorted(set(self._sources.values()) | set(RUNTIME_PACKAGES)):
            source = pathlib.Path("/usr/share/doc") / package / "copyright"
            if not source.exists():
                sys.exit(f"{source} is missing, so the licence of {package} cannot go with the AppImage.")
            target = documents / package / "copyright"
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            named |= set(re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", source.read_text(errors="replace")))
            fields = output("dpkg-query", "-W", "-f=${Version}\t${source:Package}\t${source:Version}\n", package).splitlines()[0]
            files = [str(file) for file, owner in sorted(self._sources.items()) if owner == package] or ["(inside the runtime)"]
            rows += [f"{file}\t{package}\t{fields}" for file in files]
        common = self._root / "usr/share/common-licenses"
        common.mkdir(parents=True, exist_ok=True)
        for name in sorted(named | {"GPL-3", "LGPL-3"}):  # those of Qt Charts, QScintilla and Qt in any case
            source = pathlib.Path("/usr/share/common-licenses") / name
            if source.exists():
                shutil.copyfile(source, common / name)
        table = documents / "sparserl-workbench/libraries.tsv"
        table.parent.mkdir(parents=True, exist_ok=True)
        table.write_text("\n".join(rows) + "\n")


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    appdir = AppDir(pathlib.Path(sys.argv[1]).resolve())
    appdir.add_plugins()
    appdir.add_libraries()
    appdir.add_fonts()
    appdir.add_licences()
    return 0


if __name__ == "__main__":
    sys.exit(main())
