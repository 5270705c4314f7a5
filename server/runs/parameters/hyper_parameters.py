"""The hyperparameters and the environment of a run as flat tables: one value a name."""

from collections.abc import Iterable
from typing import NamedTuple, cast

import orjson

from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.messages.run_messages import read_messages
from toposcope.server.runs.parameters.hparams_sessions import read_session
from toposcope.server.runs.run import RunView
from toposcope.server.text.json_values import json_value
from toposcope.server.values.lineage import (
    Lineage,
    Plain,
    custom_lineage,
    merge,
    no_lineage,
    train_lineage,
)

ENVIRONMENT = "environment/"
"""Prefix of the names of custom lineage that describe the environment."""
CUSTOM = "custom/"
LONGEST_TEXT = 1000
"""Characters of a value; longer ones are truncated and end with an ellipsis."""

_LARGEST_EXACT = 2**53
_SECTIONS = {Tag("lineage", "train"): train_lineage, Tag("lineage", "custom"): custom_lineage}

Value = bool | int | float | str
"""Non-finite numbers are the strings "NaN", "Infinity" and "-Infinity"; lists and objects are JSON strings."""


class RunSettings(NamedTuple):
    """What was recorded about how a run was trained."""

    hyper_parameters: dict[str, Value]
    shown: dict[str, Value | None]
    """For readers of JSON: integers that doubles do not hold are texts; None was recorded as null."""
    environment: dict[str, Value]
    """The values, by name without "environment/"."""
    problems: list[str]
    """Sentences about what is damaged."""


def read_settings(run: RunView, sessions: Iterable[RunView]) -> RunSettings:
    """Return the hyperparameters of a run and of the sessions below it, and its environment.

    Hyperparameters are those of TensorBoard's sessions and of the lineage, which takes precedence, and the custom
    lineage. A name of the custom lineage that is in use for another value is prefixed with "custom/".
    """
    named: dict[str, Plain] = {}
    recorded, problems = _lineage(run)
    for holder in (run, *sessions):
        session, failed = read_session(holder) if "hparams" in holder.plugins else (None, [])
        problems += failed
        named |= {name: hparam.value for name, hparam in session.hparams.items()} if session else {}
    named |= recorded.hyper_parameters
    environment: dict[str, Plain] = {}
    # Names that are not in use first, so that no prefixed name replaces them.
    for name, value in sorted(recorded.custom.items(), key=lambda item: (item[0] in named, item[0])):
        if name.startswith(ENVIRONMENT) and name != ENVIRONMENT:
            environment[name.removeprefix(ENVIRONMENT)] = value
            continue
        while name in named and value != named[name]:
            name = CUSTOM + name
        named[name] = value
    flat = _flat(named)
    shown = {name: _exact(flat.get(name)) for name in named}
    return RunSettings(flat, shown, _flat(environment), problems)


def _lineage(run: RunView) -> tuple[Lineage, list[str]]:
    """Return the lineage of a run without its evaluations."""
    merged, problems = no_lineage(), list[str]()
    for tag, decode in _SECTIONS.items():
        if any(tag in file.series for file in run.files):
            lineages, failed = read_messages(run, tag, decode)
            merged = merge([merged, *lineages])
            problems += failed
    return merged, problems


def _flat(named: dict[str, Plain]) -> dict[str, Value]:
    return {name: _value(value) for name, value in named.items() if value is not None}


def _exact(value: Value | None) -> Value | None:
    return str(value) if isinstance(value, int) and abs(value) > _LARGEST_EXACT else value


def _value(value: Plain) -> Value:
    if isinstance(value, (list, dict)):
        value = orjson.dumps(json_value(value)).decode()
    elif not isinstance(value, (bool, str)):
        value = json_value(value)
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        value = value[: LONGEST_TEXT - 1] + "…"
    return cast(Value, value)
