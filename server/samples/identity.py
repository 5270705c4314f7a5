"""The identity of a sample: what makes it the same one at another step or in another run."""

from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

from toposcope.server.samples.cells import json_text

_NAMES = ("prompt", "input", "question", "instruction", "query", "messages", "conversation", "conversations", "id")
"""Columns that say of which task a sample is, the best ones first."""
_ANSWERING = ("assistant", "gpt", "model")


def keys_of(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """Return a key for each row: a digest of its task, and how many rows before it have the same task.

    The task is the prompt or the like, or of a conversation what comes before the last answer. Without such a column it
    is the number of the row.
    """
    by_case = {name.casefold(): place for place, name in reversed(list(enumerate(columns)))}
    place = next((by_case[name] for name in _NAMES if name in by_case), None)
    if place is None:
        return [str(number) for number in range(len(rows))]
    seen = Counter[str]()
    keys = []
    for row in rows:
        task = _digest(row[place])
        keys.append(f"{task}.{seen[task]}")
        seen[task] += 1
    return keys


def _digest(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[-1], dict):
        role = value[-1].get("role", value[-1].get("from"))
        value = value[:-1] if role in _ANSWERING else value
    return blake2b(json_text(value).encode(errors="surrogatepass"), digest_size=8).hexdigest()
