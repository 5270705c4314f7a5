"""Plain settings: the configuration of a run as custom lineage, flat and without secrets."""

from collections.abc import Iterator, Mapping
from typing import Any

from toposcope.recorder.messages.settings import plain_value
from toposcope.recorder.secrets.secret_names import names_secret

_MAX_TEXT = 4000


def plain_settings(settings: Mapping[Any, Any], prefix: str = "") -> dict[str, str | int | float]:
    """Return settings by name, the names of nested mappings joined by ".".

    Lists and arrays are JSON, None and objects their str(), numbers of NumPy and of tensors those of Python. Settings
    whose names indicate secrets are left out, and secrets in texts are replaced by "***".
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
    plain = plain_value(value, _MAX_TEXT)
    return str(value) if plain is None else plain
