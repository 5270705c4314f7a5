"""Readable names of hyperparameter sessions whose directories are named by the time, as add_hparams() does."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from toposcope.server.values.hparams import Hparam

_TIME = re.compile(r"\d{9,10}(\.\d+)?")
_MAX_CHARACTERS = 60

Hparams = Mapping[str, Hparam]


def is_named_by_time(run: str) -> bool:
    """Return whether the directory of a run is named by the seconds since 1970."""
    return _TIME.fullmatch(run.rpartition("/")[2]) is not None


def session_names(sessions: Sequence[Hparams]) -> list[str]:
    """Return a name for each session of one run, in order: its hyperparameters, and a number if another has the same.

    Those that differ among the sessions are first; values are omitted from about 60 characters on.
    """
    different = _different(sessions)
    names: list[str] = []
    counts = Counter[str]()
    for hparams in sessions:
        ordered = sorted(hparams, key=lambda name: (name not in different, name))
        name = _joined([f"{each}={_text(hparams[each])}" for each in ordered])
        counts[name] += 1
        names.append(name if counts[name] == 1 else f"{name} ({counts[name]})")
    return names


def _different(sessions: Sequence[Hparams]) -> set[str]:
    names = {name for hparams in sessions for name in hparams}
    return {name for name in names if len({repr(hparams.get(name)) for hparams in sessions}) > 1}


def _joined(parts: Sequence[str]) -> str:
    text = ""
    for number, part in enumerate(parts):
        longer = f"{text}, {part}" if number else part
        if number and len(longer) > _MAX_CHARACTERS:
            return f"{text}, …"
        text = longer
    return text if len(text) <= _MAX_CHARACTERS else text[: _MAX_CHARACTERS - 1] + "…"


def _text(hparam: Hparam) -> str:
    """Return a value as text; of a path only its last part, as names of runs are paths."""
    value = hparam.value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e16:
        return str(int(value))
    return str(value).rstrip("/").rpartition("/")[2]
