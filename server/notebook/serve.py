"""The process that serves the dashboards of a notebook: summary-server, which ends with the kernel."""

import os
import signal
import sys
import threading

from toposcope.server import cli


def main(arguments: list[str]) -> None:
    """Run summary-server until standard input, which the kernel keeps open, is closed."""
    threading.Thread(target=_end_with_input, name="toposcope-kernel", daemon=True).start()
    sys.exit(cli.main(arguments))


def _end_with_input() -> None:
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
