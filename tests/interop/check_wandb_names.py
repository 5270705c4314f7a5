"""The public names of W&B's package exist in ours: a script may import and use them."""

from typing import Any

import wandb as theirs

from toposcope.recorder import wandb as ours

LEFT_OUT = {"wandb", "annotations", "proto"}
"""Names that are in W&B's package by accident: itself, the feature of Python, and its protobuf messages."""
PROGRAMS = {"mpmain"}
"""Modules that scripts do not import."""


def public(thing: Any) -> set[str]:
    """Return the public names of a module or class."""
    return {name for name in dir(thing) if not name.startswith("_")}


def test_names_of_the_package() -> None:
    """Those that are inert here included."""
    missing = {name for name in public(theirs) - LEFT_OUT if not hasattr(ours, name)}
    assert not missing


def test_names_of_plots() -> None:
    """The functions; the classes behind them are not used by scripts."""
    functions = {name for name in public(theirs.plot) if callable(getattr(theirs.plot, name)) and name[0].islower()}
    assert not functions - public(ours.plot)


def test_names_of_submodules() -> None:
    """All integrations can be imported."""
    import importlib
    import pkgutil

    import wandb.integration

    for module in pkgutil.iter_modules(wandb.integration.__path__):
        importlib.import_module(f"toposcope.recorder.wandb.integration.{module.name}")
    for module in pkgutil.iter_modules(theirs.__path__):
        if not module.name.startswith("_") and module.name not in PROGRAMS:
            importlib.import_module(f"toposcope.recorder.wandb.{module.name}")
