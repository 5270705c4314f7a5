"""Matches regular expressions against the names of runs, with a time limit.

A Python regular expression may backtrack for years and cannot be interrupted. So it is matched in a separate process,
which is killed if it takes too long. One runs at a time and few others wait for it, so that most requests are answered
while patterns are matched.
"""

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from typing import NamedTuple

CPU_SECONDS = 3
"""An integer."""
WALL_SECONDS = 30.0
"""On a busy machine a process gets little of the processor."""
_CACHE_SECONDS = 60.0
_MOST_CACHED = 32
_MOST_WAITING = 3
_SCRIPT = """
import json, os, re, resource, sys
os.nice(10)
seconds = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
pattern, names = json.load(sys.stdin)
try:
    search = re.compile(pattern).search
    matches = {name: [match[0], *match.groups()[:1]] for name in names if (match := search(name))}
    print(json.dumps([matches, None]))
except (re.error, OverflowError, RecursionError) as error:
    print(json.dumps([{}, str(error)]))
"""
_one_at_a_time = threading.Lock()
_places = threading.BoundedSemaphore(1 + _MOST_WAITING)


class PatternsBusyError(RuntimeError):
    """The pattern cannot be matched at present."""


class _Result(NamedTuple):
    matches: Mapping[str, str]
    problem: str | None
    is_slow: bool = False
    """Whether it took too long."""


class _Results:
    """The last results, each for a minute: the page repeats its request whenever a run grows. Thread-safe."""

    def __init__(self) -> None:
        self._results: dict[tuple[str, tuple[str, ...]], tuple[float, _Result]] = {}
        self._lock = threading.Lock()

    def find(self, pattern: str, names: tuple[str, ...]) -> _Result | None:
        """Return the result for some names; also that of other names if the pattern was too slow for them."""
        with self._lock:
            now = time.monotonic()
            fresh = {key: kept for key, kept in self._results.items() if now - kept[0] < _CACHE_SECONDS}
            self._results = fresh
            if (pattern, names) in fresh:
                return fresh[pattern, names][1]
            return next(
                (result for (other, _), (_, result) in fresh.items() if other == pattern and result.is_slow), None
            )

    def add(self, pattern: str, names: tuple[str, ...], result: _Result) -> None:
        """Add a result."""
        with self._lock:
            self._results.pop((pattern, names), None)
            while len(self._results) >= _MOST_CACHED:
                del self._results[next(iter(self._results))]
            self._results[pattern, names] = (time.monotonic(), result)


_results = _Results()


def find_in_names(pattern: str, names: list[str]) -> Mapping[str, str]:
    """Return what a pattern matches, by name: its first capture group, or the whole match if it has none.

    Names that do not match are not included.

    Raises:
        ValueError: the pattern is not a valid regular expression, or takes longer than 3 s of CPU time.
        PatternsBusyError: several others are being matched, or the machine is too busy.
    """
    result = _results.find(pattern, tuple(names)) or _match(pattern, tuple(names))
    if result.problem:
        raise ValueError(result.problem)
    return result.matches


def _match(pattern: str, names: tuple[str, ...]) -> _Result:
    if not _places.acquire(blocking=False):
        raise PatternsBusyError("other regular expressions are being matched: try again soon")
    try:
        with _one_at_a_time:
            result = _results.find(pattern, names)
            if result is None:
                result = _find(pattern, names)
                _results.add(pattern, names, result)
            return result
    finally:
        _places.release()


def _find(pattern: str, names: tuple[str, ...]) -> _Result:
    command = [sys.executable, "-I", "-S", "-W", "ignore", "-c", _SCRIPT, str(CPU_SECONDS)]
    try:
        process = subprocess.run(
            command, input=json.dumps([pattern, names]), capture_output=True, text=True, timeout=WALL_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise PatternsBusyError("the machine is too busy to match the regular expression: try again soon") from None
    if process.returncode == -signal.SIGXCPU:
        reason = f"the pattern takes longer than {CPU_SECONDS} s for {len(names)} names: use a simpler one"
        return _Result({}, reason, is_slow=True)
    if process.returncode:
        return _Result({}, f"the pattern cannot be matched: {process.stderr.strip()[-200:]}")
    matches, problem = json.loads(process.stdout)
    if problem:
        return _Result({}, f"the pattern is not a valid regular expression: {problem}")
    return _Result(
        {name: next(part for part in parts[::-1] if part is not None) for name, parts in matches.items()}, None
    )
