"""Lineage of a run and of the hyperparameter session that describes it, and its dataset pipeline."""

from collections.abc import Callable, Mapping

from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.messages.run_messages import read_messages
from toposcope.server.runs.parameters.hparams_sessions import Sessions, read_metrics, read_session
from toposcope.server.runs.run import RunView
from toposcope.server.values.dataset_graph import Stage, dataset_graph
from toposcope.server.values.lineage import (
    Lineage,
    custom_lineage,
    evaluation_lineage,
    merge,
    no_lineage,
    train_lineage,
)

_DECODERS: dict[str, Callable[[bytes], Lineage]] = {
    "train": train_lineage,
    "evaluation": evaluation_lineage,
    "custom": custom_lineage,
}
"""The readers, by tag of the plugin "lineage"."""


def lineage_of(run: RunView, sessions: Sessions, runs: Mapping[str, RunView]) -> tuple[Lineage, list[str]]:
    """Return (lineage of a run, with the newest value of each name; sentences about what is damaged)."""
    recorded, problems = _read_lineage(run)
    lineages = []
    for holder in (run, *sessions.get(run.name, ())):
        lineage, failed = _session_lineage(holder, runs)
        lineages.append(lineage)
        problems += failed
    return merge([*lineages, recorded]), problems


def _read_lineage(run: RunView) -> tuple[Lineage, list[str]]:
    """Return (the merged lineage messages of a run; sentences about those that cannot be read)."""
    lineages: list[Lineage] = []
    problems: list[str] = []
    for name, decode in _DECODERS.items():
        messages, failed = read_messages(run, Tag("lineage", name), decode)
        lineages += messages
        problems += failed
    return merge(lineages), problems


def _session_lineage(run: RunView, runs: Mapping[str, RunView]) -> tuple[Lineage, list[str]]:
    session, problems = read_session(run)
    if session is None:
        return no_lineage(), problems
    hyper_parameters = {name: hparam.value for name, hparam in session.hparams.items()}
    return no_lineage()._replace(hyper_parameters=hyper_parameters, metrics={**read_metrics(run, runs)}), problems


def read_dataset_graph(run: RunView) -> tuple[Stage | None, list[str]]:
    """Return (the last stage of a run's newest pipeline, None if it has none; sentences about what is damaged)."""
    graphs, problems = read_messages(run, Tag("dataset_graph", ""), dataset_graph, most=1)
    return (graphs[0] if graphs else None), problems
