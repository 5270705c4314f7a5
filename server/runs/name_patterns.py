"""Matches regular expressions against the names of runs, with a time limit.

A Python regular expression may backtrack for years and cannot be interrupted. So it is matched in a separate process,
which is killed if it takes too long.
"""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

_SECONDS = 3.0
_CACHE_SECONDS = 60.0
# The limit on CPU time is needed if the server is killed meanwhile.
_SCRIPT = """
import json, re, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
pattern, names = json.load(sys.stdin)
try:
    search = re.compile(pattern).search
    matches = {name: [match[0], *match.groups()[:1]] for name in names if (match := search(name))}
    print(json.dumps([matches, None]))
except (re.error, OverflowError, RecursionError) as error:
    print(json.dumps([{}, str(error)]))
"""
_one_at_a_time = threading.Lock()


class _Result(NamedTuple):
    matches: Mapping[str, str]
    problem: str | None


def find_in_names(pattern: str, names: list[str]) -> Mapping[str, str]:
    """Return what a pattern matches, by name: its first capture group, or the whole match if it has none.

    Names that do not match are not included.

    Raises:
        ValueError: the pattern is not a valid regular expression, or takes longer than 3 s.
    """
    with _one_at_a_time:
        result = _find(pattern, tuple(names), int(time.monotonic() / _CACHE_SECONDS))
    if result.problem:
        raise ValueError(result.problem)
    return result.matches


@lru_cache(32)  # The page repeats the request whenever a run grows.
def _find(pattern: str, names: tuple[str, ...], _: int) -> _Result:
    command = [sys.executable, "-I", "-S", "-W", "ignore", "-c", _SCRIPT]
    try:
        process = subprocess.run(
            command, input=json.dumps([pattern, names]), capture_output=True, text=True, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired:
        return _Result({}, f"the pattern takes longer than {_SECONDS:g} s for {len(names)} names: use a simpler one")
    if process.returncode:
        return _Result({}, f"the pattern cannot be matched: {process.stderr.strip()[-200:]}")
    matches, problem = json.loads(process.stdout)
    if problem:
        return _Result({}, f"the pattern is not a valid regular expression: {problem}")
    return _Result(
        {name: next(part for part in parts[::-1] if part is not None) for name, parts in matches.items()}, None
    )
