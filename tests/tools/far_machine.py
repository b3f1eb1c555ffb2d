# SPDX-License-Identifier: Apache-2.0
"""Another machine for tests, on this one: an ssh server of its own on loopback, with its own keys, home folder and shell, and
a network in between that can be cut, stopped, slowed down or refused."""
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import threading
import time


def server_program():
    """The ssh server, or a sentence that says why there is none."""
    found = os.environ.get("SPARSERL_SSHD") or shutil.which("sshd", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if not found or not os.access(found, os.X_OK):
        return None, "there is no sshd: install openssh-server (packaging/setup --checks)"
    if os.geteuid() == 0:
        try:
            pwd.getpwnam("sshd")
        except KeyError:
            return None, "sshd run by root needs the user sshd: install openssh-server (packaging/setup --checks)"
        pathlib.Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
    if not shutil.which("ssh") or not shutil.which("ssh-keygen"):
        return None, "there is no ssh: install openssh-client"
    return found, ""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Network:
    """Carries connections from one port to another, and everything that can happen to them."""

    def __init__(self, to):
        self.to, self.port = to, 0  # at first any port that is free
        self.rate = self.limit = None  # bytes a second; bytes until everything is cut once
        self.stalled = False
        self.pairs, self.listener, self.lock = [], None, threading.Lock()
        self.allow()

    def allow(self):
        if self.listener is None:
            self.listener = socket.socket()
            self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.listener.bind(("127.0.0.1", self.port))
            self.port = self.listener.getsockname()[1]
            self.listener.listen(64)
            threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def refuse(self):
        """Nobody listens there any more; what is open is cut."""
        listener, self.listener = self.listener, None
        if listener:
            listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        self.cut()

    def cut(self):
        with self.lock:
            pairs, self.pairs = self.pairs, []
        for pair in pairs:
            for end in pair:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                end.close()
        return len(pairs)

    def accept(self, listener):
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self.to))
            except OSError:
                near.close()
                continue
            with self.lock:
                self.pairs.append((near, far))
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self.carry, args=(source, target), daemon=True).start()

    def carry(self, source, target):
        try:
            while True:
                data = source.recv(4096 if self.rate else 65536)
                if not data:
                    break
                while self.stalled:
                    time.sleep(0.05)
                if self.rate:
                    time.sleep(len(data) / self.rate)
                if self.limit is not None:
                    self.limit -= len(data)
                    if self.limit < 0:
                        target.sendall(data[:self.limit])  # what goes before the cut arrives
                        self.limit = None
                        self.cut()
                        return
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


LOGIN = """#!/bin/bash
# What sshd runs instead of what was asked: a user of another machine.
home={home!r} shell=/bin/sh environment=() noise=
[ -e {settings!r} ] && . {settings!r}
cd "$home" || exit 1
[ -n "$noise" ] && printf '%s' "$noise"
exec env -i "HOME=$home" "PATH={bin}:{system}" USER=far "SHELL=$shell" OMP_NUM_THREADS=1 LC_ALL=C.UTF-8 "TMPDIR=$home/tmp" \
    "${{environment[@]}}" $shell -c "$SSH_ORIGINAL_COMMAND"
"""


def system_path(folder):
    """Where programs of the system are, without rsync: a situation that wants it there puts it there."""
    usual = ("/usr/bin", "/bin")
    if not shutil.which("rsync", path=":".join(usual)):
        return ":".join(usual)
    system = folder / "system"
    system.mkdir(parents=True)
    for program in {entry.name: entry for place in reversed(usual) for entry in os.scandir(place)}.values():
        if program.name != "rsync":
            (system / program.name).symlink_to(program.path)
    return str(system)


class Machine:
    """Ssh's name for it is "far"."""

    def __init__(self, folder, bin_folder, home="home"):
        self.folder, self.home = folder, folder / home
        self.path, self.bin = folder / "path", folder / "bin"
        for made in (self.home / "tmp", self.path, self.bin):
            made.mkdir(parents=True)
        self.settings = folder / "settings"
        (self.bin / "sparserl").symlink_to(bin_folder / "sparserl")
        for key in ("host", "other", "user"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key], check=True)
        shutil.copy(folder / "user.pub", folder / "authorized")
        login = folder / "login"
        login.write_text(LOGIN.format(home=str(self.home), settings=str(self.settings), bin=self.bin, system=system_path(folder)))
        login.chmod(0o755)
        self.port = free_port()
        self.server = None
        self.start()
        self.network = Network(self.port)
        ssh = self.path / "ssh"
        ssh.write_text(f"#!/bin/sh\nexec {shutil.which('ssh')} -F {folder}/ssh_config \"$@\"\n")
        ssh.chmod(0o755)
        (folder / "ssh_config").write_text(
            f"Host far\n  HostName 127.0.0.1\n  Port {self.network.port}\n  User {pwd.getpwuid(os.geteuid()).pw_name}\n"
            f"  IdentityFile {folder}/user\n  IdentitiesOnly yes\n  GlobalKnownHostsFile /dev/null\n"
            f"  UserKnownHostsFile {folder}/known_hosts\n  StrictHostKeyChecking yes\n")
        self.know("host")

    def know(self, key):
        """Which host key is known here; none: nothing is known."""
        text = f"[127.0.0.1]:{self.network.port} " + (self.folder / f"{key}.pub").read_text() if key else ""
        (self.folder / "known_hosts").write_text(text)

    def start(self, key="host"):
        program, why = server_program()
        assert program, why
        (self.folder / "sshd_config").write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {self.folder}/{key}\nPidFile none\nStrictModes no\nUsePAM no\n"
            f"AuthorizedKeysFile {self.folder}/authorized\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"
            f"PermitRootLogin yes\nMaxStartups 100\nForceCommand {self.folder}/login\n")
        self.server = subprocess.Popen([os.path.abspath(program), "-D", "-f", self.folder / "sshd_config", "-E", self.folder / "sshd.log"],
                                       stdin=subprocess.DEVNULL, start_new_session=True)
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                assert self.server.poll() is None, (self.folder / "sshd.log").read_text()
                time.sleep(0.05)

    def connections(self):
        """Processes of the server, one for each connection (two, with a separate one for the user)."""
        return descendants(self.server.pid, "sshd")

    def stop(self):
        """As a power cut would: the server and its connections."""
        for pid in [*self.connections(), self.server.pid]:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.server.wait()

    def say(self, text):
        """Shell words that the far user's login begins with: umask, ulimit, `shell=`, `environment=()`, `noise=`."""
        self.settings.write_text(text)

    def without(self, program):
        (self.bin / program).unlink(missing_ok=True)


def descendants(pid, name):
    found, begun = [], [pid]
    while begun:
        at = begun.pop()
        try:
            text = pathlib.Path(f"/proc/{at}/task/{at}/children").read_text()
        except OSError:
            continue
        for child in map(int, text.split()):
            begun.append(child)
            try:
                if pathlib.Path(f"/proc/{child}/comm").read_text().startswith(name):
                    found.append(child)
            except OSError:
                pass
    return found
