"""Memory, descriptors and CPU time of a process, read from /proc."""

from __future__ import annotations

import re
import time
from pathlib import Path

_TICK_MS = 10
IDLE_SECONDS = 10.0


def memory(process: int | str) -> tuple[int, int]:
    """Return the current and the maximum resident bytes of a process, given its id or "self"."""
    status = Path(f"/proc/{process}/status").read_text()
    current, peak = (int(re.findall(rf"{name}:\s+(\d+) kB", status)[0]) << 10 for name in ("VmRSS", "VmHWM"))
    return current, peak


def count_descriptors(process: int) -> int:
    """Return the number of open descriptors of a process."""
    return len(list(Path(f"/proc/{process}/fd").iterdir()))


def idle_ms(process: int) -> int:
    """Return the milliseconds of CPU time that an idle process uses in ten seconds."""
    before = cpu_ms(process)
    time.sleep(IDLE_SECONDS)
    return cpu_ms(process) - before


def cpu_ms(process: int | str) -> int:
    """Return the CPU time of all threads of a process so far, in milliseconds, with a resolution of 10."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return _TICK_MS * (int(fields[11]) + int(fields[12]))
