"""%toposcope: show() as a command of IPython."""

import shlex
from typing import Any

from toposcope.server.notebook.show import show

_USAGE = "expected %toposcope --logdir DIR [--height PIXELS] [arguments of summary-server]"


def add_magic(shell: Any) -> None:
    """Add %toposcope to a shell of IPython."""
    shell.register_magic_function(toposcope, "line")


def toposcope(line: str) -> None:
    """Show the dashboard: %toposcope --logdir runs [--height 800] [arguments of summary-server].

    Raises:
        ValueError: there is no --logdir, or an argument cannot be used here.
    """
    values = {"--logdir": "", "--height": "800"}
    rest = []
    words = iter(shlex.split(line))
    for word in words:
        flag, equals, value = word.partition("=")
        if flag in values:
            values[flag] = value if equals else next(words, "")
        else:
            rest.append(word)
    if not values["--logdir"]:
        raise ValueError(f"%toposcope {line}: {_USAGE}")
    if not values["--height"].isdigit():
        raise ValueError(f"--height {values['--height']!r}: expected an integer from 100 to 10000")
    show(values["--logdir"], height=int(values["--height"]), arguments=rest)
