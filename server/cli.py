"""The console script summary-server: serves a logdir, or runs a subcommand."""

import importlib
import os
import sys
from collections.abc import Callable, Sequence

_SUBCOMMANDS = ("inspect", "repair", "export")
_INTERRUPTED = 130
_READER_GONE = 141
"""As a shell reports a process that a signal, SIGINT or SIGPIPE, ended."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run summary-server; return the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    name = words.pop(0) if words and words[0] in _SUBCOMMANDS else "serve"
    # Each imports what it needs: to inspect takes no web server.
    run: Callable[[list[str]], int] = importlib.import_module(f"toposcope.server.commands.{name}").run
    try:
        status = run(words)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes standard output once more when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _READER_GONE
    except KeyboardInterrupt:
        print("summary-server: interrupted", file=sys.stderr)
        return _INTERRUPTED
    return status


if __name__ == "__main__":
    sys.exit(main())
