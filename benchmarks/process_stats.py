"""What /proc tells of a process: memory, descriptors, CPU time."""

from __future__ import annotations

import re
import time
from pathlib import Path

_TICK_MS = 10
IDLE_SECONDS = 10.0


def memory(process: int | str) -> tuple[int, int]:
    """Return the resident bytes of a process, given its id or "self": now, and the most so far."""
    status = Path(f"/proc/{process}/status").read_text()
    now, most = (int(re.findall(rf"{name}:\s+(\d+) kB", status)[0]) << 10 for name in ("VmRSS", "VmHWM"))
    return now, most


def count_descriptors(process: int) -> int:
    """Return how many descriptors a process holds."""
    return len(list(Path(f"/proc/{process}/fd").iterdir()))


def idle_ms(process: int) -> int:
    """Return the milliseconds of CPU time that a process takes in ten seconds, while nothing is asked of it."""
    before = cpu_ms(process)
    time.sleep(IDLE_SECONDS)
    return cpu_ms(process) - before


def cpu_ms(process: int | str) -> int:
    """Return the milliseconds of CPU time that all threads of a process took so far, within 10."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return _TICK_MS * (int(fields[11]) + int(fields[12]))
