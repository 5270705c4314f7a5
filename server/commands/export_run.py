"""Exports a run into the directory of an export, plugin by plugin."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import orjson
from google.protobuf.message import DecodeError

from toposcope.proto.wire import text_bytes
from toposcope.server.commands.export_folder import Entry, ExportFolder, LeftOut
from toposcope.server.graphs.entry_views import node_view
from toposcope.server.graphs.run_graphs import PLUGINS as GRAPH_PLUGINS
from toposcope.server.graphs.run_graphs import Place, list_graphs, load_graph
from toposcope.server.landscapes.landscape import read_landscape
from toposcope.server.reading.scan import KINDS
from toposcope.server.reading.series.series import Payloads
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.messages.payload import read_payload
from toposcope.server.runs.parameters.hparams_sessions import Sessions, read_experiment, read_session
from toposcope.server.runs.parameters.run_lineage import lineage_of, read_dataset_graph
from toposcope.server.runs.run import RunView
from toposcope.server.runs.selection.chosen_series import Choice, payloads, points, ranks
from toposcope.server.tables.scalar_csv import scalar_csv
from toposcope.server.text.json_values import json_value
from toposcope.server.text.safe_name import safe_name
from toposcope.server.values.histogram import read_histogram
from toposcope.server.values.image import media_type, read_images
from toposcope.server.values.tensor import read_tensor
from toposcope.server.values.text import read_text

SERIES_PLUGINS = ("scalar", "image", "tensor", "histogram", "text", "landscape")
"""Plugins whose tags are chosen by the user."""
RUN_PLUGINS = ("graph", "lineage", "dataset_graph", "hparams")
PLUGINS = (*SERIES_PLUGINS, *RUN_PLUGINS)
_EXTENSIONS = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "image/bmp": ".bmp",
}


class Selection(NamedTuple):
    """The parts of each run to export."""

    plugins: tuple[str, ...] = PLUGINS
    tags: frozenset[str] = frozenset()
    """Empty: all tags, and the plugins without tags."""
    choice: Choice = Choice()


class _Series(NamedTuple):
    """A series to export."""

    run: RunView
    tag: Tag
    rank: int
    payloads: Payloads


class _Value(NamedTuple):
    """One point of a series, with its payload."""

    entry: Entry
    stem: str
    payload: bytes
    kind: str
    dialect: str


def export_run(
    run: RunView, runs: Mapping[str, RunView], sessions: Sessions, selection: Selection, folder: ExportFolder
) -> None:
    """Export the selected parts of a run; damaged values are left out and recorded in `folder.damaged`.

    Raises:
        OSError: a file cannot be written.
    """
    if "scalar" in selection.plugins:
        _export_scalars(run, selection, folder)
    if "histogram" in selection.plugins:
        _export_histograms(run, selection, folder)
    for plugin, write in _WRITERS.items():
        if plugin in selection.plugins:
            _export_values(run, plugin, write, selection, folder)
    if not selection.tags:
        _export_rest(run, runs, sessions, selection, folder)


def _tags(run: RunView, plugin: str, selection: Selection) -> list[Tag]:
    """Return the selected tags of a plugin, of all attempts and ranks."""
    tags = {tag: None for file in run.files for tag in file.series if tag.plugin == plugin}
    return [tag for tag in tags if not selection.tags or tag.name in selection.tags]


def _export_scalars(run: RunView, selection: Selection, folder: ExportFolder) -> None:
    choice = selection.choice
    series = [
        (run.name, tag.name, rank, points(run, tag.name, rank, choice))
        for tag in _tags(run, "scalar", selection)
        for rank in ranks(run, tag, choice)
    ]
    if not series:
        return
    total = sum(each.total for *_, each in series)
    with folder.create(Entry("", run.name, "scalar", points=total), "scalar", ".csv") as file:
        file.writelines(scalar_csv(series))


def _series(run: RunView, plugin: str, selection: Selection) -> Iterator[_Series]:
    for tag in _tags(run, plugin, selection):
        for rank in ranks(run, tag, selection.choice):
            yield _Series(run, tag, rank, payloads(run, tag, rank, selection.choice))


def _values(series: _Series, folder: ExportFolder, write: Callable[[_Value], None]) -> None:
    """Call `write` with each point; damaged points are recorded in `folder.damaged`."""
    run, tag, rank, payloads = series
    for row in range(payloads.total):
        step = int(payloads.step[row])
        entry = Entry(tag.plugin, run.name, tag.plugin, tag.name, rank, step, float(payloads.wall_time[row]))
        kind, dialect = KINDS[payloads.kind[row]], run.files[int(payloads.file[row])].version.dialect
        try:
            payload = read_payload(run, payloads, row)
            write(_Value(entry, f"{safe_name(tag.name)}_{step}", payload, kind, dialect))
        except (DecodeError, ValueError) as error:
            folder.damaged.append(LeftOut(run.name, tag.plugin, tag.name, step, str(error)))


def _export_values(
    run: RunView, plugin: str, write: Callable[[ExportFolder, _Value], None], selection: Selection, folder: ExportFolder
) -> None:
    for series in _series(run, plugin, selection):
        _values(series, folder, partial(write, folder))


def _write_images(folder: ExportFolder, value: _Value) -> None:
    for index, image in enumerate(read_images(value.payload, value.kind)):
        stem = f"{value.stem}_{index}" if index else value.stem
        extension = _EXTENSIONS.get(media_type(image.encoded), ".bin")
        with folder.create(value.entry._replace(picture=index), stem, extension) as file:
            file.write(image.encoded)


def _write_tensor(folder: ExportFolder, value: _Value) -> None:
    tensor = read_tensor(value.payload, value.dialect)
    if tensor.values is None:
        raise ValueError(f"a tensor of {tensor.dtype} has no numbers")
    entry = value.entry._replace(note="bfloat16, as float32" if tensor.dtype == "bfloat16" else None)
    with folder.create(entry, value.stem, ".npy") as file:
        np.save(file, tensor.values, allow_pickle=False)


def _write_text(folder: ExportFolder, value: _Value) -> None:
    dims, texts = read_text(value.payload, value.kind)
    if len(texts) == 1:
        with folder.create(value.entry, value.stem, ".md") as file:
            file.write(text_bytes(texts[0]))
    else:
        with folder.create(value.entry, value.stem, ".json") as file:
            file.write(_json({"dims": dims, "texts": texts}))


def _write_landscape(folder: ExportFolder, value: _Value) -> None:
    landscape = read_landscape(value.payload)
    with folder.create(value.entry, value.stem, ".json") as file:
        file.write(_json({**landscape._asdict(), "kind": landscape.kind}))


_WRITERS = {"image": _write_images, "tensor": _write_tensor, "text": _write_text, "landscape": _write_landscape}


def _export_histograms(run: RunView, selection: Selection, folder: ExportFolder) -> None:
    """Write a file for each series, in the form of /api/histograms."""
    for series in _series(run, "histogram", selection):
        tag, rank = series.tag.name, series.rank
        entry = Entry("histogram", run.name, "histogram", tag, rank, points=series.payloads.total)
        facts = {"run": run.name, "tag": tag, "rank": rank}
        with folder.create(entry, safe_name(tag), ".json") as file, _List(file, facts, "histograms") as listed:
            _values(series, folder, partial(_add_histogram, listed))


class _List:
    """A JSON object whose last member is a list that is written item by item within a `with` block."""

    def __init__(self, file: BinaryIO, facts: dict[str, Any], name: str) -> None:
        self._file = file
        self._before = _json(facts).removesuffix(b"}\n") + b',\n"%s": [\n' % name.encode()

    def add(self, item: Any) -> None:
        """Write an item."""
        self._file.write(self._before + orjson.dumps(json_value(item)))
        self._before = b",\n"

    def __enter__(self) -> "_List":
        self._file.write(self._before)
        self._before = b""
        return self

    def __exit__(self, *_: object) -> None:
        self._file.write(b"\n]}\n")


def _add_histogram(listed: _List, value: _Value) -> None:
    histogram = read_histogram(value.payload, value.kind, value.dialect)
    content = {"step": value.entry.step, "wall_time": value.entry.wall_time, **histogram._asdict()}
    content["count"] = content.pop("total_count")
    content["buckets"] = list(zip(*(column.tolist() for column in histogram.buckets), strict=True))
    listed.add(content)


def _export_rest(
    run: RunView, runs: Mapping[str, RunView], sessions: Sessions, selection: Selection, folder: ExportFolder
) -> None:
    """Export the plugins without user-chosen tags."""
    if "graph" in selection.plugins:
        for place in list_graphs(run):
            _export_graph(run, place, folder)
    if "lineage" in selection.plugins:
        lineage, problems = lineage_of(run, sessions, runs)
        _export_document(run, "lineage", lineage if any(lineage) else None, problems, folder)
    if "dataset_graph" in selection.plugins:
        _export_document(run, "dataset_graph", *read_dataset_graph(run), folder)
    if "hparams" in selection.plugins:
        session, problems = read_session(run)
        experiment, failed = read_experiment(run)
        content = {"session": session, "experiment": experiment} if session or experiment else None
        _export_document(run, "hparams", content, problems + failed, folder)
    if selection.plugins == PLUGINS:
        _record_unsupported(run, folder)


def _export_graph(run: RunView, place: Place, folder: ExportFolder) -> None:
    entry = Entry("graph", run.name, place.tag.plugin, place.tag.name, place.rank, place.step, place.wall_time)
    try:
        graph = load_graph(run, place)
    except ValueError as error:
        folder.damaged.append(LeftOut(run.name, place.tag.plugin, place.tag.name, place.step, str(error)))
        return
    facts = {"source": graph.source, "name": graph.name, "left_out": graph.left_out}
    stem = f"{safe_name(place.tag.name or 'graph')}_{place.step}"
    with folder.create(entry, stem, ".json") as file, _List(file, facts, "nodes") as listed:
        for node in range(len(graph.ops)):
            listed.add(node_view(graph, node))


def _export_document(run: RunView, plugin: str, content: Any, problems: list[str], folder: ExportFolder) -> None:
    """Write the only file of a plugin, unless the content is None."""
    folder.damaged += [LeftOut(run.name, plugin, "", None, problem) for problem in problems]
    if content is not None:
        with folder.create(Entry("", run.name, plugin), plugin, ".json") as file:
            file.write(_json(content))


def _record_unsupported(run: RunView, folder: ExportFolder) -> None:
    for tag in {tag: None for file in run.files for tag in file.series}:
        if tag.plugin not in (*PLUGINS, *GRAPH_PLUGINS, "metadata"):
            folder.left_out.append(LeftOut(run.name, tag.plugin, tag.name, None, "the plugin cannot be exported"))


def _json(content: Any) -> bytes:
    return orjson.dumps(json_value(content)) + b"\n"
