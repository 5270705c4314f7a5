"""The processes that a process has started, where any of them may end meanwhile."""

import psutil


def is_running(process: psutil.Process) -> bool:
    """Return whether a process runs; one that ended and was not waited for does not."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def running_children(pid: int, command: str = "") -> list[psutil.Process]:
    """Return the running children of a process whose command line contains a text."""
    return [child for child in psutil.Process(pid).children() if is_running(child) and command in _command_line(child)]


def _command_line(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.NoSuchProcess:  # Or a zombie.
        return ""
