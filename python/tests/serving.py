"""A server that the command has started, for tests."""

import contextlib
import json
import signal
import subprocess
import urllib.error
import urllib.request

from conftest import COMMAND

# Seconds that an answer may take on a busy machine.
LIMIT = 300


class Server:
    """A running `clmatch serve`."""

    def __init__(self, *words):
        command = [COMMAND, "serve", "--port", "0", "--quiet", *map(str, words)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()
        assert self.url.startswith("http://"), self.process.communicate(timeout=LIMIT)
        self.url = self.url.rstrip("/")

    def ask(self, method, path, body=None):
        """The status and the body of an answer."""
        request = urllib.request.Request(self.url + path, data=body, method=method)
        try:
            with urllib.request.urlopen(request, timeout=LIMIT) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def json(self, method, path, body=None):
        """The status and the JSON of an answer."""
        status, text = self.ask(method, path, body)
        return status, json.loads(text)

    def memory(self):
        """The most memory that the server has held so far, in bytes."""
        with open(f"/proc/{self.process.pid}/status") as file:
            line = next(line for line in file if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024

    def end(self):
        """Ends the server as Ctrl-C does; its exit code and what it said."""
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=LIMIT)
        return self.process.returncode, said


@contextlib.contextmanager
def serving(*words):
    """A server that ends with the block, in order."""
    server = Server(*words)
    try:
        yield server
        assert server.end() == (0, "")
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.process.communicate()
