"""Make every system call of the loader, the index and the notes fail once, below Python and the compiled code.

python tests/faults/inject.py FAULTY_CALLS.so [EVERY]

FAULTY_CALLS.so is the compiled tests/faults/faulty_calls.c, and must also be in LD_PRELOAD. Each occurrence of a call
in a scenario (support.fault_scenario) fails with each error; with EVERY, only every so many-th occurrence, with one of
the errors in turn. Prints how many were tried and what was lost; the exit status is 1 if anything was.
"""

import ctypes
import errno
import logging
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from support.fault_scenario import STATES, LostError, Scenario, State
from support.faulty_place import ERRORS

from toposcope.server.places.local_disk import LocalDisk

SHORT = -1
NAMES = {SHORT: "short transfer", **{number: errno.errorcode[number] for number in ERRORS}}
SHORT_CALLS = {"pread", "preadv", "read", "write"}
_MEMORY = Path("/dev/shm")
"""Where fsync() does not wait for a disk."""
PACKAGE = f"{os.sep}server{os.sep}"


class FaultyCalls:
    """The functions of the library that makes calls fail."""

    def __init__(self, path: str, below: Path) -> None:
        self._library = ctypes.CDLL(path)
        self._library.fault_counted.restype = ctypes.c_long
        self._library.fault_failed.restype = ctypes.c_long
        self._library.fault_arm.argtypes = [ctypes.c_long, ctypes.c_int, ctypes.c_int]
        self._library.fault_below(os.fsencode(below))
        self._observer: object = None

    def arm(self, number: int, error: int, *, hides_types: bool) -> None:
        """Make the call with a number, counted from 0, fail; count from now on."""
        self._library.fault_arm(number, error, hides_types)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Neither fail nor count calls in the block."""
        self._library.fault_pause(1)
        try:
            yield
        finally:
            self._library.fault_pause(0)

    def stop(self) -> None:
        """Neither fail nor count calls from now on."""
        self._library.fault_pause(1)

    @property
    def counted(self) -> int:
        """How many calls were counted."""
        return int(self._library.fault_counted())

    @property
    def has_failed(self) -> bool:
        """Whether the call was made to fail; no, if it was no transfer that could be short."""
        return bool(self._library.fault_failed())

    def observe(self, calls: list[tuple[str, str]]) -> None:
        """Add each call to a list, as its name and the place in our code that made it."""

        def add(function: bytes) -> None:
            calls.append((function.decode(), _call_site(sys._getframe(1))))

        # Kept as an attribute, as the library calls it later.
        self._observer = ctypes.CFUNCTYPE(None, ctypes.c_char_p)(add)
        self._library.fault_observe(self._observer)

    def ignore(self) -> None:
        """No longer observe calls."""
        self._library.fault_observe(None)


def _call_site(frame: FrameType | None) -> str:
    """Return the innermost line of the server on the stack."""
    while frame is not None:
        file = frame.f_code.co_filename
        if PACKAGE in file and "site-packages" not in file:
            return f"{file[file.rindex(PACKAGE) + 1 :]}:{frame.f_lineno}"
        frame = frame.f_back
    return "?"


def main(library: str, every: str = "") -> int:
    """Try all faults, or some; return the exit status."""
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory(prefix="toposcope-faults-", dir=_MEMORY if _MEMORY.is_dir() else None) as folder:
        scenario = Scenario(Path(folder))
        calls = FaultyCalls(library, scenario.live)
        scenario.paused = calls.paused
        sites: set[tuple[str, str]] = set()
        tried: Counter[str] = Counter()
        lost: list[str] = []
        occurrences = 0
        start = time.monotonic()
        modes: list[tuple[State, bool]] = [*((state, False) for state in STATES), ("cold", True)]
        for state, hides_types in modes:
            observed: list[tuple[str, str]] = []
            calls.observe(observed)
            _try(scenario, calls, -1, 0, state=state, hides_types=hides_types)
            calls.ignore()
            sites |= set(observed)
            occurrences += len(observed)
            for number, (function, site) in enumerate(observed):
                for error in _errors(function, number, int(every or 0)):
                    name = f"{function} at {site}, call {number}, {NAMES[error]}, {state}"
                    reason = _try(scenario, calls, number, error, state=state, hides_types=hides_types)
                    tried[function] += calls.has_failed
                    if reason:
                        lost.append(f"{name}: {reason}")
                        print(lost[-1], flush=True)
    by_call = ", ".join(f"{function} {count}" for function, count in tried.most_common())
    print(
        f"{len(sites)} call sites, {occurrences} occurrences, {tried.total()} faults tried in "
        f"{time.monotonic() - start:.0f} s ({by_call}): {len(lost)} lost something"
    )
    return 1 if lost else 0


def _errors(function: str, number: int, every: int) -> list[int]:
    """Return the errors that a call is made to fail with."""
    errors = [errno.ENOMEM] if function == "malloc" else [*ERRORS, *([SHORT] if function in SHORT_CALLS else [])]
    if not every:
        return errors
    return [errors[number // every % len(errors)]] if number % every == 0 else []


def _try(scenario: Scenario, calls: FaultyCalls, number: int, error: int, *, state: State, hides_types: bool) -> str:
    """Run the scenario with one fault; return what was lost, "" if nothing was."""
    calls.stop()
    scenario.prepare(state)
    place = LocalDisk(str(scenario.live / "runs"))
    calls.arm(number, error, hides_types=hides_types)
    try:
        scenario.recover(place, calls.stop)
    except LostError as reason:
        return str(reason)
    except Exception as reason:  # Whatever it is, it is a failure of ours.
        return repr(reason)
    finally:
        calls.stop()
    try:
        scenario.check(place)
    except LostError as reason:
        return f"after a restart: {reason}"
    return ""


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
