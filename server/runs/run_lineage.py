"""Lineage of a run, with that of the hyperparameter sessions that stand in directories of their own below it."""

from collections.abc import Mapping

from toposcope.server.runs.run import RunView
from toposcope.server.values.hparams import parent_of, read_metrics, read_session
from toposcope.server.values.lineage import Lineage, merge, no_lineage, read_lineage

Sessions = Mapping[str, list[RunView]]
"""Name of a run to the runs that are its sessions, oldest first."""


def sessions_by_parent(runs: Mapping[str, RunView]) -> Sessions:
    """Return the hyperparameter sessions that torch and tensorboardX put into directories of their own."""
    sessions: dict[str, list[RunView]] = {}
    for run in sorted(runs.values(), key=lambda run: run.started or 0.0):
        if parent := parent_of(run, runs):
            sessions.setdefault(parent, []).append(run)
    return sessions


def lineage_of(run: RunView, sessions: Sessions, runs: Mapping[str, RunView]) -> tuple[Lineage, list[str]]:
    """Return (what a run was trained with, the newest value of each name; sentences about what is damaged)."""
    recorded, problems = read_lineage(run)
    lineages = []
    for holder in (run, *sessions.get(run.name, ())):
        lineage, failed = _session_lineage(holder, runs)
        lineages.append(lineage)
        problems += failed
    return merge([*lineages, recorded]), problems


def _session_lineage(run: RunView, runs: Mapping[str, RunView]) -> tuple[Lineage, list[str]]:
    session, problems = read_session(run)
    if session is None:
        return no_lineage(), problems
    hyper_parameters = {name: hparam.value for name, hparam in session.hparams.items()}
    return no_lineage()._replace(hyper_parameters=hyper_parameters, metrics={**read_metrics(run, runs)}), problems
