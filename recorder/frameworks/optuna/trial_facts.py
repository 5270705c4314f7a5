"""The facts of a trial of Optuna as lineage: its parameters, its objective values, and the study that it belongs to."""

from collections.abc import Sequence
from typing import Any

from toposcope.recorder.messages.settings import plain_settings


def facts_of_trial(study: Any, trial: Any) -> dict[str, str | int | float]:
    """Return the settings and facts of a trial by name.

    "params/<name>" are the suggested values, None as a text, "distributions/<name>" what they were drawn from;
    "user_attrs/..." the attributes that the user has set, "trial/..." and "study/..." all else.
    """
    parameters = {name: "None" if value is None else value for name, value in trial.params.items()}
    distributions = {name: _text_of(each) for name, each in trial.distributions.items()}
    return {
        **plain_settings(parameters, "params"),
        **plain_settings(distributions, "distributions"),
        **plain_settings(trial.user_attrs, "user_attrs"),
        **plain_settings(_trial(trial), "trial"),
        **plain_settings(_study(study), "study"),
    }


def objective_values(study: Any, trial: Any) -> dict[str, float]:
    """Return the values of the objective: by the metric names of the study, else "value", or "value/0" and so on."""
    values: Sequence[float] = getattr(trial, "values", None) or ()
    names = getattr(study, "metric_names", None)
    if not names:
        names = ["value"] if len(values) == 1 else [f"value/{i}" for i in range(len(values))]
    return dict(zip(names, map(float, values), strict=False))


def _trial(trial: Any) -> dict[str, Any]:
    state, started = getattr(trial, "state", None), trial.datetime_start
    duration = getattr(trial, "duration", None)
    return {
        "number": trial.number,
        "state": None if state is None else state.name,
        "datetime_start": None if started is None else started.isoformat(),
        "seconds": None if duration is None else duration.total_seconds(),
    }


def _study(study: Any) -> dict[str, Any]:
    return {
        "name": study.study_name,
        "directions": ", ".join(each.name.lower() for each in study.directions),
        "sampler": type(study.sampler).__name__,
        "pruner": type(study.pruner).__name__,
    }


def _text_of(distribution: Any) -> str:
    """Return "0.001 .. 0.1, log", "1 .. 8, step 2" or "adam | sgd"."""
    if (choices := getattr(distribution, "choices", None)) is not None:
        return " | ".join(map(str, choices))
    low, high, step = (getattr(distribution, name, None) for name in ("low", "high", "step"))
    if low is None or high is None:
        return str(distribution)
    scale = ", log" if getattr(distribution, "log", False) else ""
    return f"{low} .. {high}{scale}{'' if step in (None, 1) else f', step {step}'}"
