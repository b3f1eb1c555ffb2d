# SPDX-License-Identifier: Apache-2.0
"""`sparserl serve` as a process that scripts ask, and other commands whose JSON they read."""
import json
import signal
import subprocess
import tempfile
import urllib.request


def said(binaries, *words):
    """The lines of JSON that a command prints."""
    ran = subprocess.run([binaries / "sparserl", "--json", "--quiet", *words], stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in ran.stdout.decode().splitlines()]


class Serve:
    """A policy behind a server on the CPU. It counts what it has been asked, and so does the server."""

    def __init__(self, binaries, policy):
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen([binaries / "sparserl", "--json", "serve", "--policy", policy, "--port", "0",
                                         "--policy-device", "cpu"], stdout=subprocess.PIPE, stderr=self.errors, text=True)
        self.url = json.loads(self.process.stdout.readline())["url"]
        self.requests = self.tokens = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def choices(self, body):
        """The tokens, log-probabilities and text of each choice."""
        body = {"temperature": 1.0, "logprobs": 1, **body}
        request = urllib.request.Request(self.url + "/completions", json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            found = json.load(answer)
        self.requests += 1
        self.tokens += found["usage"]["completion_tokens"]
        return [(choice["logprobs"]["token_ids"], choice["logprobs"]["token_logprobs"], choice["text"])
                for choice in sorted(found["choices"], key=lambda choice: choice["index"])]

    def end(self):
        """What the server has written until its end."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait()
        self.errors.seek(0)
        return self.errors.read()
