"""Ends a process that has received a signal, also if something hangs."""

import os
import threading

_SECONDS = 3.5
"""After the signal."""


def end_soon() -> None:
    """End the process some seconds later, unless it has ended by then: a thread that waits for a disk cannot be ended.

    What is written is replaced as a whole, so that nothing is damaged.
    """
    deadline = threading.Timer(_SECONDS, os._exit, [0])
    deadline.daemon = True
    deadline.start()
