"""Matches regular expressions against names in time proportional to their lengths, as RE2 does, which never backtracks.

The syntax is RE2's (https://github.com/google/re2/wiki/Syntax): that of Python without lookaround and back references.
"""

import time
from collections.abc import Iterable, Mapping

import re2

MAX_SECONDS = 3.0
"""CPU time for all names of one call."""
_NAMES_A_LOOK = 1000
"""After as many names the time is looked at."""
_OPTIONS = re2.Options()
_OPTIONS.log_errors = False


def find_in_names(pattern: str, names: Iterable[str]) -> Mapping[str, str]:
    """Return what a pattern matches, by name: its first capture group, or the whole match if that took no part.

    Names that do not match are not included.

    Raises:
        ValueError: the pattern is not a valid regular expression, or takes longer than 3 s of CPU time.
    """
    search = _compiled(pattern).search
    end = time.thread_time() + MAX_SECONDS
    matches = {}
    for number, name in enumerate(names):
        if number % _NAMES_A_LOOK == 0 and time.thread_time() > end:
            raise ValueError(f"the pattern takes longer than {MAX_SECONDS:g} s for these names: use a simpler one")
        if match := search(_encodable(name)):
            first = match[1] if match.re.groups else None
            matches[name] = match[0] if first is None else first
    return matches


def _compiled(pattern: str) -> "re2._Regexp":
    try:
        return re2.compile(_encodable(pattern), _OPTIONS)
    except re2.error as error:
        reason = error.args[0].decode("utf-8", "replace")
        raise ValueError(f"the pattern is not a valid regular expression: {reason}") from None


def _encodable(text: str) -> str:
    """Return a text whose lone surrogates, which names of files may contain, are question marks."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
