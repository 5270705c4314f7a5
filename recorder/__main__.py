"""python -m toposcope.recorder run: a program in which SummaryWriter is ours, without a change of its code.

The program replaces this process, as Python starts it: its arguments, exit status and tracebacks are Python's own. A
folder on PYTHONPATH reaches the processes that it starts.
"""

import os
import shutil
import sys
from collections.abc import Sequence

from toposcope.recorder import startup

_USAGE = """\
usage: python -m toposcope.recorder run SCRIPT [ARGUMENT ...]
       python -m toposcope.recorder run -m MODULE [ARGUMENT ...]
       python -m toposcope.recorder run COMMAND [ARGUMENT ...]
       python -m toposcope.recorder sync [DIR]
"""
_HELP = f"""{_USAGE}
Run a Python script, a module, or a command written in Python such as torchrun. In its process, and in the Python
processes that it starts, SummaryWriter of torch.utils.tensorboard and tensorboardX is Toposcope's.
Options of Python are those of this process: python -X dev -m toposcope.recorder run SCRIPT

sync uploads what recorders to object stores have left in the spool DIR, because they were killed or the store was gone.
"""
_WRONG_USAGE = 2


def main(arguments: Sequence[str]) -> int:
    """Run the program, which ends this process; return the exit status of anything else."""
    match arguments:
        case ["-h" | "--help"] | ["run", "-h" | "--help"]:
            print(_HELP, end="")
            return 0
        case ["sync", *rest]:
            from toposcope.recorder.stores import sync

            return sync.main(rest)
        case ["run", "-m", _, *_]:
            command = _python(arguments[1:])
        case ["run", str(program), *_] if not program.startswith("-"):
            found = None if os.path.exists(program) else _command(program)
            command = [found, *arguments[2:]] if found else _python(arguments[1:])
        case _:
            return _fail(_USAGE)
    flags = sys.flags
    if flags.ignore_environment or flags.no_site:
        return _fail("toposcope.recorder run: PYTHONPATH and the module site are needed: not -E, -I or -S of Python\n")
    sys.stdout.flush()
    os.execve(command[0], command, {**os.environ, "PYTHONPATH": _python_path()})


def _fail(text: str) -> int:
    sys.stderr.write(text)
    return _WRONG_USAGE


def _python(arguments: Sequence[str]) -> list[str]:
    """Return the command of Python with these arguments and with the options of this process."""
    options = sys.orig_argv[1 : len(sys.orig_argv) - len(sys.argv) + 1]
    module = options.pop()  # Of "-m toposcope.recorder", "-mtoposcope.recorder" or "-um toposcope.recorder".
    flags = module.removesuffix("toposcope.recorder") or options.pop()
    if (others := flags.removesuffix("m")) != "-":
        options.append(others)
    return [sys.executable, *options, *arguments]


def _command(name: str) -> str | None:
    """Return the path of a command, one beside this Python before those of PATH."""
    folders = [os.path.dirname(sys.executable), os.environ.get("PATH", os.defpath)]
    return shutil.which(name, path=os.pathsep.join(folders))


def _python_path() -> str:
    """Return PYTHONPATH with the folder of our sitecustomize as its first entry."""
    folder = os.path.dirname(os.path.abspath(startup.__file__))
    others = os.environ.get("PYTHONPATH", "")
    entries = [entry for entry in others.split(os.pathsep) if entry != folder] if others else []
    return os.pathsep.join([folder, *entries])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
