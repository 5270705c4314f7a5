"""The cells of samples as replies contain them: bounded numbers, texts and conversations."""

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

MAX_TURNS = 200
_EXACT = 1 << 53
"""Larger integers are texts: JavaScript rounds their numbers."""
_SHORTEST = 200
"""Characters of a turn that are kept in any case."""


class Turn(TypedDict):
    """What one side says in a conversation."""

    role: str
    text: str


Cell = bool | int | float | str | list[Turn] | None


def cell_of(value: Any, most: int) -> tuple[Cell, bool]:
    """Return a decoded JSON value as a cell, and whether something of it is left out.

    Args:
        value: numbers that JSON lacks, and integers that JavaScript has not exactly, become texts; conversations lists
            of turns; other lists and objects JSON texts.
        most: characters of texts.
    """
    if isinstance(value, list) and (turns := turns_of(value)):
        return _cut_turns(turns, most)
    if value is None or isinstance(value, bool) or is_number(value):
        return value, False
    text = text_of(value)
    return text[:most], len(text) > most


def is_number(value: Any) -> bool:
    """Return whether a value is a number that JSON and JavaScript have."""
    if isinstance(value, bool):
        return False
    return (isinstance(value, float) and math.isfinite(value)) or (isinstance(value, int) and abs(value) <= _EXACT)


def text_of(value: Any) -> str:
    """Return a decoded JSON value as a text, as it is searched and shown."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, list) and (turns := turns_of(value)):
        return "\n".join(f"{turn['role']}: {turn['text']}" for turn in turns)
    return json_text(value)


def json_text(value: Any) -> str:
    """Return JSON; of what was read but is nested too deeply to be written, only that."""
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "(nested too deeply)"


def turns_of(value: Sequence[Any]) -> list[Turn]:
    """Return the turns of a conversation, of OpenAI's or ShareGPT's form; nothing if the value is none."""
    turns = []
    for item in value:
        if not isinstance(item, dict):
            return []
        role = item.get("role", item.get("from"))
        if not isinstance(role, str) or not {"content", "value", "tool_calls"} & set(item):
            return []
        turns.append(Turn(role=role, text=_content(item)))
    return turns


def _content(item: Mapping[str, Any]) -> str:
    """Return what is said: the text, the texts of its parts, and the calls of tools as JSON."""
    content = item.get("content", item.get("value"))
    parts = content if isinstance(content, list) else [content]
    texts = [part["text"] if _is_text_part(part) else text_of(part) for part in parts]
    if calls := item.get("tool_calls"):
        texts.append(text_of(calls))
    return "\n".join(text for text in texts if text)


def _is_text_part(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str)


def _cut_turns(turns: list[Turn], most: int) -> tuple[list[Turn], bool]:
    kept = turns[:MAX_TURNS]
    room = max(_SHORTEST, most // len(kept))
    cut = [Turn(role=turn["role"][:_SHORTEST], text=turn["text"][:room]) for turn in kept]
    return cut, cut != turns
