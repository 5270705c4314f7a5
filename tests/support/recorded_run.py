"""The only run of a directory, read with the server: its scalars, histograms and tags."""

from pathlib import Path
from typing import Any

from support.written_events import read_events
from toposcope import server


def run_in(directory: Path) -> Any:
    """Return the only run of a directory."""
    (run,) = server.open(directory).runs.values()
    return run


def text_of(directory: Path, tag: str) -> str:
    """Return the only text of a tag."""
    (text,) = run_in(directory).text(tag)
    (first,) = text.texts
    return str(first)


def scalars_of(directory: Path, tag: str) -> dict[int, float]:
    """Return the values of a scalar by step."""
    points = run_in(directory).scalars(tag)
    return dict(zip(points.step.tolist(), points.value.tolist(), strict=True))


def tags_of(directory: Path, plugin: str) -> list[str]:
    """Return the tags of a plugin in alphabetical order, those of the machine left out."""
    tags = run_in(directory).tags(plugin)
    return sorted(tag for tag in tags if not tag.startswith("machine/"))


def texts_of(directory: Path, tag: str) -> dict[int, list[str]]:
    """Return the texts of a tag by step, those of all attempts."""
    texts = run_in(directory).text(tag, attempt="all")
    return {step: each.texts for step, each in zip(texts.step.tolist(), texts, strict=True)}


def graphs_in(directory: Path) -> dict[str, set[str]]:
    """Return the operations of the recorded graphs by the names of the graphs."""
    events = [event for path in sorted(directory.glob("*.out.events.summary.*")) for event in read_events(path)]
    graphs = [event.graph_def for event in events if event.HasField("graph_def")]
    return {graph.name: {node.op_type for node in graph.node} for graph in graphs}


def points_of(directory: Path, tag: str) -> list[tuple[int, float]]:
    """Return the steps and values of a scalar in the order of recording."""
    points = run_in(directory).scalars(tag, attempt="all")
    return list(zip(points.step.tolist(), points.value.tolist(), strict=True))
