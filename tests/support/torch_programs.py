"""Programs with PyTorch, in processes that are forked from one that has imported it: importing it takes seconds.

Everything else, our packages included, is imported by the program itself, and it ends as any other.
"""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

SERVER = """
import json, os, runpy, sys
import torch, torch._dynamo  # The latter is imported when an optimizer is created.

for line in sys.stdin:
    script, *arguments, output = json.loads(line)
    program = os.fork()
    if program == 0:
        break
    print(program, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(program, 0)[1]), flush=True)
else:
    sys.exit()
for number in (1, 2):
    os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND), number)
sys.argv = [script, *arguments]
runpy.run_path(script, run_name="__main__")
"""


class TorchProgram(NamedTuple):
    """A program that has been started."""

    number: int
    """Of its process."""
    output: Path
    """Everything that it writes to stdout and stderr."""
    server: "TorchPrograms"

    def wait(self) -> int:
        """Wait for the end; return the exit status, or the negative number of the signal that ended it."""
        return int(self.server.answer())

    def kill(self) -> None:
        """Kill it, and wait for its end."""
        os.kill(self.number, signal.SIGKILL)
        assert self.wait() == -signal.SIGKILL


class TorchPrograms:
    """Starts one program at a time."""

    def __init__(self, server: "subprocess.Popen[str]") -> None:
        self._server = server

    def start(self, script: Path, *arguments: object, output: Path) -> TorchProgram:
        """Start a script, whose output is appended to a file."""
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps([str(script), *map(str, arguments), str(output)]) + "\n")
        self._server.stdin.flush()
        return TorchProgram(int(self.answer()), output, self)

    def answer(self) -> str:
        """Return the next line of the server."""
        assert self._server.stdout is not None
        return self._server.stdout.readline()


@contextmanager
def torch_programs() -> Iterator[TorchPrograms]:
    """Start the process that imports PyTorch; end it when the block ends, with a program that still runs."""
    command, pipe = [sys.executable, "-c", SERVER], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, start_new_session=True) as server:
        try:
            yield TorchPrograms(server)
        finally:
            os.killpg(server.pid, signal.SIGKILL)
