"""The console script summary-server: serves a logdir or runs a subcommand."""

import importlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, NamedTuple

from toposcope.server.questions.asking.names import NAMES, question_named

if TYPE_CHECKING:
    from toposcope.server.commands.arguments import Parser

_OWN = ("inspect", "repair", "export", "convert", "compact", "index", "plot", "image", "report", "mcp")
SUBCOMMANDS = (*_OWN, *(name for name in NAMES if name not in _OWN))
_NOT_INSTALLED = 2
_INTERRUPTED = 130
_BROKEN_PIPE = 141
"""Exit statuses that shells report for a process ended by SIGINT and SIGPIPE."""


class Subcommand(NamedTuple):
    """What a subcommand does."""

    run: Callable[[Sequence[str]], int]
    make_parser: "Callable[[], Parser]"


def subcommand(name: str) -> Subcommand:
    """Import a subcommand."""
    if name in NAMES and name not in _OWN:
        from toposcope.server.commands import asking

        question = question_named(name)
        return Subcommand(partial(asking.ask, question), partial(asking.make_parser, question))
    module = importlib.import_module(f"toposcope.server.commands.{name}")
    return Subcommand(module.run, module.make_parser)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run summary-server; return the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    with _noted_interrupts() as interrupts:
        try:
            return _run(words)
        except (Exception, KeyboardInterrupt) as error:
            # The C code of an import that a signal interrupts may raise something else.
            if not interrupts and not isinstance(error, KeyboardInterrupt):
                raise
            print("summary-server: interrupted", file=sys.stderr)
            return _INTERRUPTED


@contextmanager
def _noted_interrupts() -> Iterator[list[int]]:
    """Give a list to which SIGINT is added each time that it arrives, where it raises KeyboardInterrupt."""
    noted: list[int] = []
    before = signal.getsignal(signal.SIGINT)

    def interrupt(number: int, frame: FrameType | None) -> None:
        noted.append(number)
        signal.default_int_handler(number, frame)

    if before is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield noted
        return
    signal.signal(signal.SIGINT, interrupt)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, before)


def _run(words: list[str]) -> int:
    name = words.pop(0) if words and words[0] in SUBCOMMANDS else None
    try:
        status = _serve(words) if name is None else subcommand(name).run(words)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes standard output again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except ModuleNotFoundError as error:
        from toposcope.missing_packages import missing_packages_line

        print(f"summary-server: {missing_packages_line(error)}", file=sys.stderr)
        return _NOT_INSTALLED
    return status


def _serve(arguments: list[str]) -> int:
    from toposcope.server.commands.serve import run

    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
