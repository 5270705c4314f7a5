"""The settings of a Trainer's run: its directory, and what its lineage contains."""

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from toposcope.recorder.messages.settings import plain_settings

DIRECTORY_VARIABLE = "TOPOSCOPE_LOGGING_DIR"
_FOLDER = "toposcope"


def run_directory(given: str | os.PathLike[str] | None, arguments: Any, trial: str | None) -> str:
    """Return the directory of a run, the same in all processes.

    Args:
        given: the directory that the user passed to the callback, if any. Otherwise it is a directory in that of
            TOPOSCOPE_LOGGING_DIR, named by TrainingArguments.run_name or output_dir; without this variable
            "toposcope" in output_dir.
        arguments: the TrainingArguments.
        trial: the name of the trial of a hyperparameter search, which has a directory of its own inside.
    """
    directory = os.fspath(given) if given is not None else _default_directory(arguments)
    return directory if trial is None else os.path.join(directory, trial)


def trial_name(state: Any, trainer: Any, number: int) -> str | None:
    """Return the name of a trial: the one of hp_name(), else "run-<number>"; None outside of a search.

    Args:
        state: the TrainerState.
        trainer: the Trainer; None: unknown.
        number: of the training in this process, for searches that do not number their trials.
    """
    if not state.is_hyper_param_search:
        return None
    return state.trial_name or f"run-{getattr(getattr(trainer, '_trial', None), 'number', number)}"


def lineage_of(arguments: Any, model: Any, state: Any) -> dict[str, str | int | float]:
    """Return the settings of a training by name: "training/...", "model/...", "peft/...", "trial/..."."""
    facts = plain_settings(_dict_of(arguments), "training")
    facts |= plain_settings(_dict_of(getattr(model, "config", None)), "model")
    adapters = getattr(model, "peft_config", None)
    if isinstance(adapters, Mapping):
        facts |= plain_settings({name: _dict_of(settings) for name, settings in adapters.items()}, "peft")
    facts |= plain_settings(state.trial_params or {}, "trial")
    with suppress(Exception):  # Parameters that are not materialized, or a model of the user.
        parameters = list(model.parameters())
        facts["model/parameters"] = sum(each.numel() for each in parameters)
        facts["model/trainable_parameters"] = sum(each.numel() for each in parameters if each.requires_grad)
    return facts


def _dict_of(settings: Any) -> dict[str, Any]:
    try:
        return dict(settings.to_dict())
    except Exception:  # It has no such method, or one of the user's that raises.
        return {}


def _default_directory(arguments: Any) -> str:
    output = os.path.abspath(arguments.output_dir)
    root = os.environ.get(DIRECTORY_VARIABLE)
    if not root:
        return os.path.join(output, _FOLDER)
    name = arguments.run_name
    # Transformers 4 uses output_dir as the name of a run without one.
    return os.path.join(root, name if name and name != arguments.output_dir else os.path.basename(output))
