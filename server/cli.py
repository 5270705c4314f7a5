"""The console script summary-server: serves a logdir or runs a subcommand."""

import importlib
import os
import sys
from collections.abc import Callable, Sequence

_SUBCOMMANDS = (
    *("inspect", "repair", "export", "convert", "compact", "index"),
    *("runs", "tags", "get", "plot", "show", "compare", "best", "console", "text", "image", "diagnose", "check"),
    *("report", "mcp"),
)
_NOT_INSTALLED = 2
_INTERRUPTED = 130
_BROKEN_PIPE = 141
"""Exit statuses that shells report for a process ended by SIGINT and SIGPIPE."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run summary-server; return the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    name = words.pop(0) if words and words[0] in _SUBCOMMANDS else "serve"
    # Imported on demand: the other subcommands do not need the web server.
    try:
        run: Callable[[list[str]], int] = importlib.import_module(f"toposcope.server.commands.{name}").run
        status = run(words)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes standard output again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except ModuleNotFoundError as error:
        from toposcope.missing_packages import missing_packages_line

        print(f"summary-server: {missing_packages_line(error)}", file=sys.stderr)
        return _NOT_INSTALLED
    except KeyboardInterrupt:
        print("summary-server: interrupted", file=sys.stderr)
        return _INTERRUPTED
    return status


if __name__ == "__main__":
    sys.exit(main())
