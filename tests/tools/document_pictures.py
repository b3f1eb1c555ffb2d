#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Pictures of today's window for the documents: document_pictures.py --bin build/release/bin [--project DIR]

Runs a short form of the quickstart's job in a copy of it (--project keeps that copy, and takes up one that is there), lets the
window write pictures of its pages off screen, and puts those that documents show (PICTURES) into docs/. Look at them before you commit.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SIZES = ["sft.steps=500", "rl.iterations=40"]
PICTURES = {"matrices": "matrices.png", "training": "training.png", "kernels": "kernels.png", "evaluation": "evaluation.png"}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--project", type=pathlib.Path)
    parser.add_argument("--size", default="1280x800")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pictures-") as scratch:
        scratch = pathlib.Path(scratch)
        project = options.project or scratch / "quickstart"
        environment = dict(os.environ, HOME=str(scratch), XDG_RUNTIME_DIR=str(scratch), SPARSERL_TRUST="all", QT_QPA_PLATFORM="offscreen",
                           LC_ALL="C.UTF-8")
        if not project.exists():
            shutil.copytree(ROOT / "projects/quickstart", project, ignore=shutil.ignore_patterns("runs", "cache", "exports", "project.sqlite*"))
        sizes = [word for size in SIZES for word in ("--set", size)]
        subprocess.run([options.bin / "sparserl", "job", project, *sizes], env=environment, check=True)
        window = [options.bin / "sparserl-workbench", project, "--theme", "light", "--size", options.size, "--settings",
                  scratch / "settings.ini", "--screenshot", scratch / "pages"]
        subprocess.run(window, env=environment, check=True)
        for page, file in PICTURES.items():
            shutil.copyfile(scratch / "pages" / f"{page}.png", ROOT / "docs" / file)
            print(ROOT / "docs" / file)


if __name__ == "__main__":
    main()
