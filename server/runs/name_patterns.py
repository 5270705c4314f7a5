"""What a regular expression finds in the names of runs, in a time that no expression can exceed.

Python's expressions may backtrack for years, and they cannot be stopped: they are matched in a process of their own,
which is ended when it takes too long.
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
_REMEMBERED_SECONDS = 60.0
# The limit on CPU time holds, too, when the server is killed meanwhile.
_SCRIPT = """
import json, re, resource, sys
resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
pattern, names = json.load(sys.stdin)
try:
    search = re.compile(pattern).search
    found = {name: [match[0], *match.groups()[:1]] for name in names if (match := search(name))}
    print(json.dumps([found, None]))
except (re.error, OverflowError, RecursionError) as error:
    print(json.dumps([{}, str(error)]))
"""
_one_at_a_time = threading.Lock()


class _Found(NamedTuple):
    names: Mapping[str, str]
    problem: str | None


def find_in_names(pattern: str, names: list[str]) -> Mapping[str, str]:
    """Return what a pattern finds in names: its first group, or all of the match where it has none; by name.

    A name in which it finds nothing is left out.

    Raises:
        ValueError: the pattern is no regular expression, or takes longer than 3 s.
    """
    with _one_at_a_time:
        found = _find(pattern, tuple(names), int(time.monotonic() / _REMEMBERED_SECONDS))
    if found.problem:
        raise ValueError(found.problem)
    return found.names


@lru_cache(32)  # A page asks again whenever a run grows.
def _find(pattern: str, names: tuple[str, ...], _: int) -> _Found:
    command = [sys.executable, "-I", "-S", "-W", "ignore", "-c", _SCRIPT]
    try:
        result = subprocess.run(
            command, input=json.dumps([pattern, names]), capture_output=True, text=True, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired:
        return _Found({}, f"the pattern takes longer than {_SECONDS:g} s on {len(names)} names: expected a simpler one")
    if result.returncode:
        return _Found({}, f"the pattern cannot be matched: {result.stderr.strip()[-200:]}")
    found, problem = json.loads(result.stdout)
    if problem:
        return _Found({}, f"the pattern is no regular expression: {problem}")
    return _Found({name: next(part for part in parts[::-1] if part is not None) for name, parts in found.items()}, None)
