"""Programs with PyTorch, in processes that are forked from one that has imported it: importing it takes seconds.

Everything else, our packages included, is imported by the program itself, and it ends as any other. A program may have
several ranks: processes with the variables that torchrun sets, but for the address where they meet.
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

TESTS = Path(__file__).parents[1]
"""Programs may import support, and what a test module defines."""
SERVER = """
import json, os, runpy, signal, sys
import torch, torch._dynamo  # The latter is imported when an optimizer is created.

sys.path.append(sys.argv[1])
for line in sys.stdin:
    script, *arguments, ranks, output = json.loads(line)
    program = os.fork()
    if program == 0:
        break
    print(program, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(program, 0)[1]), flush=True)
else:
    sys.exit()
if ranks:
    os.environ |= {"WORLD_SIZE": str(ranks), "LOCAL_WORLD_SIZE": str(ranks)}
    processes = []
    for rank in range(ranks):
        processes.append(os.fork())
        if not processes[-1]:
            os.environ |= {"RANK": str(rank), "LOCAL_RANK": str(rank)}
            output += f".{rank}"  # Lines of processes that share a file may be torn.
            signal.alarm(120)  # A rank whose peer has ended may wait for it.
            break
    else:
        os._exit(max(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) % 256 for process in processes))
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

    def start(self, script: Path, *arguments: object, output: Path, ranks: int = 0) -> TorchProgram:
        """Start a script, whose output is appended to a file; with ranks, in so many processes with a file each."""
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps([str(script), *map(str, arguments), ranks, str(output)]) + "\n")
        self._server.stdin.flush()
        return TorchProgram(int(self.answer()), output, self)

    def run(self, program: str, *arguments: object, folder: Path, ranks: int = 0) -> str:
        """Run a program to its end, which must be successful; return its output, that of rank 0 first."""
        script, output = folder / "program.py", folder / "program.txt"
        script.write_text(program, encoding="utf-8")
        status = self.start(script, *arguments, output=output, ranks=ranks).wait()
        outputs = [output.with_name(f"{output.name}.{rank}") for rank in range(ranks)] or [output]
        printed = "".join(path.read_text(encoding="utf-8") for path in outputs if path.exists())
        assert status == 0, printed
        return printed

    def answer(self) -> str:
        """Return the next line of the server."""
        assert self._server.stdout is not None
        return self._server.stdout.readline()


@contextmanager
def torch_programs() -> Iterator[TorchPrograms]:
    """Start the process that imports PyTorch; end it when the block ends, with a program that still runs."""
    command, pipe = [sys.executable, "-c", SERVER, str(TESTS)], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, start_new_session=True) as server:
        try:
            yield TorchPrograms(server)
        finally:
            os.killpg(server.pid, signal.SIGKILL)
