"""How often the threads of a process take turns."""

import sys

_SECONDS = 0.001
"""How long a thread may keep those waiting that answer light requests or send to workers; Python has 0.005."""


def switch_quickly() -> None:
    """Let threads that compute give way more often."""
    sys.setswitchinterval(_SECONDS)
