"""Plain settings: the configuration of a run as custom lineage, flat and without secrets."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from toposcope.recorder.secret_names import names_secret
from toposcope.recorder.secrets import hide_secrets
from toposcope.recorder.values.scalar import scalar_from

_MAX_TEXT = 4000
_INT64 = range(-(2**63), 2**63)


def plain_settings(settings: Mapping[Any, Any], prefix: str = "") -> dict[str, str | int | float]:
    """Return settings by name, the names of nested mappings joined by ".".

    Lists are JSON; None and objects are their str(). Settings whose names indicate secrets are left out, and secrets in
    texts are replaced by "***".
    """
    return dict(_items(settings, prefix))


def _items(settings: Mapping[Any, Any], prefix: str) -> Iterator[tuple[str, str | int | float]]:
    for key, value in settings.items():
        name = f"{prefix}{key}"
        if not name or names_secret(str(key)):
            continue
        if isinstance(value, Mapping) and value:
            yield from _items(value, f"{name}.")
        else:
            yield name, _plain(value)


def _plain(value: Any) -> str | int | float:
    if isinstance(value, bool | float) or (isinstance(value, int) and value in _INT64):
        return value
    if not isinstance(value, str | int | list | tuple | Mapping) and hasattr(value, "shape"):
        try:
            return scalar_from(value).value
        except (TypeError, ValueError):
            value = np.asarray(value).tolist()
    text = value if isinstance(value, str) else _text(value)
    return hide_secrets(text[:_MAX_TEXT])


def _text(value: Any) -> str:
    if isinstance(value, list | tuple | set | dict):
        return json.dumps(list(value) if isinstance(value, set) else value, default=str)
    return str(value)
