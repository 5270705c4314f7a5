"""Config: the configuration of a run, with access by item and by attribute, recorded as custom lineage."""

import copy
import dataclasses
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from toposcope.recorder.values.arrays.foreign_values import short_repr
from toposcope.recorder.wandb.errors import UsageError
from toposcope.recorder.wandb.reports import REPORTS, guarded

OnChange = Callable[[dict[str, Any]], None]


class Config(Mapping[str, Any]):
    """Settings by name. The run records each change.

    Unlike W&B's, a setting that is changed without allow_val_change=True takes the new value, with a warning: the run
    then shows what the script uses.
    """

    def __init__(self, on_change: OnChange | None = None) -> None:
        """Create an empty configuration; on_change receives the changed settings."""
        self.__dict__["_items"] = {}
        self.__dict__["_on_change"] = on_change

    def __getitem__(self, name: str) -> Any:
        """Return a setting; KeyError if there is none."""
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self._items)

    def __len__(self) -> int:
        """Return the number of settings."""
        return len(self._items)

    def __contains__(self, name: object) -> bool:
        """Return whether there is a setting of that name."""
        return name in self._items

    def __getattr__(self, name: str) -> Any:
        """Return a setting; AttributeError if there is none."""
        try:
            return self.__dict__["_items"][name]
        except KeyError:
            raise AttributeError(f"The configuration of the run has no setting {name!r}.") from None

    def __setitem__(self, name: str, value: Any) -> None:
        """Set a setting."""
        self.update({name: value})

    def __setattr__(self, name: str, value: Any) -> None:
        """Set a setting."""
        self.update({name: value})

    def __repr__(self) -> str:
        """Return the settings as a dict."""
        return repr(self._items)

    def as_dict(self) -> dict[str, Any]:
        """Return a copy of the settings."""
        return dict(self._items)

    @guarded
    def update(self, settings: Any, allow_val_change: bool | None = None) -> None:
        """Set settings: a mapping, an argparse.Namespace, a dataclass, or another object with attributes."""
        self._set(settings_in(settings), bool(allow_val_change))

    @guarded
    def setdefaults(self, settings: Any) -> None:
        """Set those settings that are not set."""
        self._set({name: value for name, value in settings_in(settings).items() if name not in self._items}, True)

    def persist(self) -> None:
        """Do nothing: each change is recorded at once."""

    def _set(self, settings: dict[str, Any], allow_val_change: bool) -> None:
        for name, value in settings.items():
            if not allow_val_change and name in self._items and not _are_equal(self._items[name], value):
                REPORTS.differs(f"config.{name} changes: W&B refuses that without allow_val_change=True.")
        self._items.update(settings)
        if self._on_change is not None and settings:
            self._on_change(settings)


def settings_in(settings: Any) -> dict[str, Any]:
    """Return the settings in a mapping, a Namespace, a dataclass, an object with attributes or a YAML file.

    Raises:
        UsageError: settings is none of these.
    """
    if settings is None:
        return {}
    if isinstance(settings, str | Path):
        return _settings_in_file(Path(settings))
    if hasattr(settings, "flag_values_dict"):  # Of absl.
        return dict(settings.flag_values_dict())
    if isinstance(settings, Mapping) or hasattr(settings, "keys"):
        return {str(name): copy.copy(settings[name]) for name in list(settings.keys())}
    if dataclasses.is_dataclass(settings) and not isinstance(settings, type):
        return dataclasses.asdict(settings)
    if hasattr(settings, "__dict__"):
        return {name: value for name, value in vars(settings).items() if not name.startswith("_")}
    raise UsageError(f"A configuration must be a mapping or an object with attributes, not {short_repr(settings)}.")


def _settings_in_file(path: Path) -> dict[str, Any]:
    """Return the settings of a YAML file, in which each is a value or {"value": ..., "desc": ...}."""
    try:
        import yaml  # type: ignore[import-untyped, unused-ignore]
    except ImportError:
        raise UsageError(f"The configuration {path} is not read: PyYAML is not installed.") from None
    content = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    if not isinstance(content, Mapping):
        raise UsageError(f"{path} contains {short_repr(content)}, not settings by name.")
    entries = {str(name): value for name, value in content.items() if name != "wandb_version"}
    return {name: entry["value"] if _is_entry(entry) else entry for name, entry in entries.items()}


def _is_entry(entry: object) -> bool:
    return isinstance(entry, Mapping) and "value" in entry


def _are_equal(first: Any, second: Any) -> bool:
    try:
        return bool(first == second)
    except Exception:  # Arrays, for example.
        return first is second
