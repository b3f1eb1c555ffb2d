#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ssh and rsync of the tests, first on PATH under these names: the other machine is the folder $FAKE_SSH/home.

Commands run as sshd would have them run: the words joined by blanks, given to `sh -c` in the home folder, with an
environment of their own. $FAKE_SSH/mode says what happens to connections:
  (nothing)      they hold
  permission     the key is not known there
  hostkey        the host's key is not known here
  refuse         no ssh server
  drop LOW HIGH  each breaks after so many bytes of output, wherever that is
  slow SECONDS   each takes so long to begin
  noisy          the login shell prints before anything else
  memory KIB     programs there get no more address space
Each call is a line of $FAKE_SSH/log.
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

FAKE = pathlib.Path(os.environ["FAKE_SSH"])
MESSAGES = {
    "permission": "me@host: Permission denied (publickey,password).",
    "hostkey": "Host key verification failed.",
    "refuse": "ssh: connect to host somewhere port 22: Connection refused",
}


def begin():
    with open(FAKE / "log", "a", encoding="utf-8") as log:
        log.write(json.dumps(sys.argv) + "\n")
    try:
        mode = (FAKE / "mode").read_text(encoding="utf-8").split()
    except FileNotFoundError:
        mode = []
    if mode and mode[0] in MESSAGES:
        print(MESSAGES[mode[0]], file=sys.stderr)
        sys.exit(255)
    if mode and mode[0] == "slow":
        time.sleep(float(mode[1]))
    return mode


def ssh():
    mode = begin()
    words = sys.argv[1:]
    options = []
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word == "--":
            break
        if word == "-o":
            options.append(words.pop(0))
        elif word != "-T":
            sys.exit(f"fake ssh: unknown option {word}")
    if "BatchMode=yes" not in options or any("HostKey" in option for option in options):
        sys.exit("fake ssh: would ask for a password, or would not check the host's key")
    words.pop(0)  # the host
    environment = {"HOME": str(FAKE / "home"), "PATH": f"{FAKE}/bin:/usr/bin:/bin", "USER": "other", "SHELL": "/bin/sh"}
    noise = {"noisy": "echo 'Welcome to the other machine'; ", "memory": f"ulimit -v {mode[-1]}; "}.get(mode[0], "") if mode else ""
    command = ["sh", "-c", noise + " ".join(words)]
    if mode[:1] != ["drop"]:
        sys.exit(subprocess.run(command, env=environment, cwd=FAKE / "home", check=False).returncode)
    left = random.randint(int(mode[1]), int(mode[2]))
    child = subprocess.Popen(command, env=environment, cwd=FAKE / "home", stdout=subprocess.PIPE)
    while left > 0:
        data = os.read(child.stdout.fileno(), min(65536, left))
        if not data:
            sys.exit(child.wait())
        left -= len(data)
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    child.stdout.close()
    print("client_loop: send disconnect: Broken pipe", file=sys.stderr)
    os._exit(255)


def rsync():
    begin()
    if "-s" not in sys.argv:
        sys.exit("fake rsync: paths would go through the shell")
    source, target = sys.argv[-2:]
    folder = (FAKE / "home" / target.split(":", 1)[1])
    if not folder.is_dir():
        sys.exit("fake rsync: no such folder")
    shutil.copytree(source, folder, dirs_exist_ok=True)


if __name__ == "__main__":
    {"ssh": ssh, "rsync": rsync}[pathlib.Path(sys.argv[0]).name]()
