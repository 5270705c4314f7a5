"""TensorBoard's hyperparameters of a run: its session (one trial), and the run and experiment that this belongs to."""

import os
from collections.abc import Mapping, Sequence

from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.messages.run_messages import read_messages
from toposcope.server.runs.run import RunView
from toposcope.server.values.hparams import (
    EXPERIMENT,
    SESSION_END,
    SESSION_START,
    Experiment,
    MetricInfo,
    Session,
    experiment,
    session_end,
    session_start,
)

Sessions = Mapping[str, Sequence[RunView]]
"""The session that describes each run: the only one below it. Several are trials, runs of their own."""


def read_session(run: RunView) -> tuple[Session | None, list[str]]:
    """Return (the session in a run, None if it has none; sentences about what is damaged)."""
    starts, problems = read_messages(run, Tag("hparams", SESSION_START), session_start, most=1)
    ends, more_problems = read_messages(run, Tag("hparams", SESSION_END), session_end, most=1)
    problems += more_problems
    if not starts:
        return None, problems
    if not ends:
        return starts[0], problems
    status, end_time = ends[0]
    return starts[0]._replace(status=status, end_time=end_time), problems


def read_experiment(run: RunView) -> tuple[Experiment | None, list[str]]:
    """Return (the experiment in a run, None if it has none; sentences about what is damaged)."""
    experiments, problems = read_messages(run, Tag("hparams", EXPERIMENT), experiment, most=1)
    return (experiments[0] if experiments else None), problems


def parent_of(run: RunView, runs: Mapping[str, RunView]) -> str | None:
    """Return the name of the run that a directory contains a session of; None if the directory is a separate run.

    The add_hparams of torch and tensorboardX writes a session to a new directory below the run's, which contains an
    experiment, the session and the metrics that the experiment lists, and nothing else. A directory with a session and
    other curves, as written by Keras or Lightning, is a run; if the directory above contains hyperparameters too, it is
    an experiment of such runs.
    """
    above = runs.get(os.path.dirname(run.name) or ".")
    if run.name == "." or above is None or "hparams" in above.plugins or run.plugins.keys() - {"hparams", "scalar"}:
        return None
    if "hparams" not in run.plugins or not {EXPERIMENT, SESSION_START} <= set(run.tags_of("hparams")):
        return None
    parent, _ = read_experiment(run)
    listed = {metric.tag for metric in parent.metrics} if parent else set()
    return above.name if listed.issuperset(run.tags_of("scalar")) else None


def parents_of(runs: Mapping[str, RunView]) -> dict[str, str]:
    """Return the run that each session in a directory of its own belongs to, by the name of the session."""
    return {name: parent for name, run in runs.items() if (parent := parent_of(run, runs))}


def by_parent(runs: Mapping[str, RunView], parents: Mapping[str, str]) -> dict[str, list[RunView]]:
    """Return the sessions below each run, oldest first; `parents` is the run that each belongs to, by name."""
    sessions: dict[str, list[RunView]] = {}
    for run in sorted(map(runs.__getitem__, parents), key=lambda run: (run.started or 0.0, run.name)):
        sessions.setdefault(parents[run.name], []).append(run)
    return sessions


def only_sessions(runs: Mapping[str, RunView], parents: Mapping[str, str]) -> Sessions:
    """Return the session of each run that has exactly one; the arguments are those of by_parent()."""
    return {name: sessions for name, sessions in by_parent(runs, parents).items() if len(sessions) == 1}


def read_metrics(run: RunView, runs: Mapping[str, RunView]) -> dict[str, float]:
    """Return the last value of each metric of a session, by tag, which is prefixed with the metric's group if any.

    The metrics are those of the nearest experiment: in the session's directory or one above.
    """
    metrics = {}
    for metric in _nearest_metrics(run, runs):
        holder = runs.get(os.path.normpath(os.path.join(run.name, metric.group)))
        ranks = holder.ranks_of(Tag("scalar", metric.tag)) if holder else []
        if holder and ranks:
            name = f"{metric.group}/{metric.tag}" if metric.group else metric.tag
            metrics[name] = float(holder.points(metric.tag, ranks[0]).value[-1])
    return metrics


def _nearest_metrics(run: RunView, runs: Mapping[str, RunView]) -> list[MetricInfo]:
    name = run.name
    while True:
        nearest = read_experiment(runs[name])[0] if name in runs else None
        if nearest or name == ".":
            return nearest.metrics if nearest else []
        name = os.path.dirname(name) or "."
