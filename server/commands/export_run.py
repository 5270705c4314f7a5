"""Writes what a run holds into the folder of an export, plugin by plugin."""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import orjson
from google.protobuf.message import DecodeError

from toposcope.proto.wire import text_bytes
from toposcope.server.commands.export_folder import Entry, ExportFolder, LeftOut, safe_name
from toposcope.server.graphs.entry_views import node_view
from toposcope.server.graphs.run_graphs import PLUGINS as GRAPH_PLUGINS
from toposcope.server.graphs.run_graphs import Place, list_graphs, load_graph
from toposcope.server.json_values import in_json, number_text
from toposcope.server.landscapes.landscape import landscape
from toposcope.server.reading.scan import KINDS
from toposcope.server.reading.series import Payloads, Points
from toposcope.server.reading.tag_table import Tag
from toposcope.server.runs.chosen_series import Choice, payloads, points, ranks
from toposcope.server.runs.hparams_sessions import read_experiment, read_session
from toposcope.server.runs.payload import read_payload
from toposcope.server.runs.run import RunView
from toposcope.server.runs.run_lineage import Sessions, lineage_of, read_dataset_graph
from toposcope.server.values.histogram import read_histogram
from toposcope.server.values.image import media_type, read_images
from toposcope.server.values.tensor import read_tensor
from toposcope.server.values.text import read_text

SERIES_PLUGINS = ("scalar", "image", "tensor", "histogram", "text", "landscape")
"""Those that have tags of the user's choice."""
RUN_PLUGINS = ("graph", "lineage", "dataset_graph", "hparams")
PLUGINS = (*SERIES_PLUGINS, *RUN_PLUGINS)
_CSV_COLUMNS = ("run", "tag", "rank", "step", "wall_time", "value")
_CSV_CHUNK = 10_000
_EXTENSIONS = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "image/bmp": ".bmp",
}


class Wanted(NamedTuple):
    """What of each run is exported."""

    plugins: tuple[str, ...] = PLUGINS
    tags: frozenset[str] = frozenset()
    """None of them: all, and what belongs to no tag too."""
    choice: Choice = Choice()


class _Series(NamedTuple):
    """One series that is exported."""

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
    run: RunView, runs: Mapping[str, RunView], sessions: Sessions, wanted: Wanted, folder: ExportFolder
) -> None:
    """Write what is wanted of a run; what is damaged is left out, and the folder notes why.

    Raises:
        OSError: a file cannot be written.
    """
    if "scalar" in wanted.plugins:
        _export_scalars(run, wanted, folder)
    if "histogram" in wanted.plugins:
        _export_histograms(run, wanted, folder)
    for plugin, write in _WRITERS.items():
        if plugin in wanted.plugins:
            _export_values(run, plugin, write, wanted, folder)
    if not wanted.tags:
        _export_rest(run, runs, sessions, wanted, folder)


def _tags(run: RunView, plugin: str, wanted: Wanted) -> list[Tag]:
    """Return the tags of a plugin that are wanted, those of a later attempt or another rank only included."""
    found = {tag: None for file in run.files for tag in file.series if tag.plugin == plugin}
    return [tag for tag in found if not wanted.tags or tag.name in wanted.tags]


def _export_scalars(run: RunView, wanted: Wanted, folder: ExportFolder) -> None:
    choice = wanted.choice
    series = [
        (tag.name, rank, points(run, tag.name, rank, choice))
        for tag in _tags(run, "scalar", wanted)
        for rank in ranks(run, tag, choice)
    ]
    if not series:
        return
    total = sum(each.total for _, _, each in series)
    with folder.create(Entry("", run.name, "scalar", points=total), "scalar", ".csv") as file:
        file.write(_csv([_CSV_COLUMNS]))
        for tag, rank, each in series:
            for chunk in _csv_chunks(run.name, tag, rank, each):
                file.write(chunk)


def _csv_chunks(run: str, tag: str, rank: int, series: Points) -> Iterator[bytes]:
    for start in range(0, series.total, _CSV_CHUNK):
        columns = [column.tolist() for column in series.take(slice(start, start + _CSV_CHUNK))]
        yield _csv(
            (run, tag, rank, step, number_text(wall_time), number_text(value))
            for step, wall_time, value in zip(*columns, strict=True)
        )


def _csv(rows: Iterable[tuple[Any, ...]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return text_bytes(text.getvalue())


def _series(run: RunView, plugin: str, wanted: Wanted) -> Iterator[_Series]:
    for tag in _tags(run, plugin, wanted):
        for rank in ranks(run, tag, wanted.choice):
            yield _Series(run, tag, rank, payloads(run, tag, rank, wanted.choice))


def _values(series: _Series, folder: ExportFolder, write: Callable[[_Value], None]) -> None:
    """Hand on one point after the other; what is damaged is noted as left out."""
    run, tag, rank, places = series
    for row in range(places.total):
        step = int(places.step[row])
        entry = Entry(tag.plugin, run.name, tag.plugin, tag.name, rank, step, float(places.wall_time[row]))
        kind, dialect = KINDS[places.kind[row]], run.files[int(places.file[row])].version.dialect
        try:
            payload = read_payload(run, places, row)
            write(_Value(entry, f"{safe_name(tag.name)}_{step}", payload, kind, dialect))
        except (DecodeError, ValueError) as error:
            folder.damaged.append(LeftOut(run.name, tag.plugin, tag.name, step, str(error)))


def _export_values(
    run: RunView, plugin: str, write: Callable[[ExportFolder, _Value], None], wanted: Wanted, folder: ExportFolder
) -> None:
    for series in _series(run, plugin, wanted):
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
        raise ValueError(f"a tensor of {tensor.dtype} holds no numbers")
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
    found = landscape(value.payload)
    with folder.create(value.entry, value.stem, ".json") as file:
        file.write(_json({**found._asdict(), "kind": found.kind}))


_WRITERS = {"image": _write_images, "tensor": _write_tensor, "text": _write_text, "landscape": _write_landscape}


def _export_histograms(run: RunView, wanted: Wanted, folder: ExportFolder) -> None:
    """Write one file a series, as /api/histograms has them."""
    for series in _series(run, "histogram", wanted):
        tag, rank = series.tag.name, series.rank
        entry = Entry("histogram", run.name, "histogram", tag, rank, points=series.payloads.total)
        facts = {"run": run.name, "tag": tag, "rank": rank}
        with folder.create(entry, safe_name(tag), ".json") as file, _List(file, facts, "histograms") as listed:
            _values(series, folder, partial(_add_histogram, listed))


class _List:
    """An object in JSON whose last member is a list that is written item by item, as `with` encloses it."""

    def __init__(self, file: BinaryIO, facts: dict[str, Any], name: str) -> None:
        self._file = file
        self._before = _json(facts).removesuffix(b"}\n") + b',\n"%s": [\n' % name.encode()

    def add(self, item: Any) -> None:
        """Write one more item."""
        self._file.write(self._before + orjson.dumps(in_json(item)))
        self._before = b",\n"

    def __enter__(self) -> "_List":
        self._file.write(self._before)
        self._before = b""
        return self

    def __exit__(self, *_: object) -> None:
        self._file.write(b"\n]}\n")


def _add_histogram(listed: _List, value: _Value) -> None:
    found = read_histogram(value.payload, value.kind, value.dialect)
    content = {"step": value.entry.step, "wall_time": value.entry.wall_time, **found._asdict()}
    content["count"] = content.pop("total_count")
    content["buckets"] = list(zip(*(column.tolist() for column in found.buckets), strict=True))
    listed.add(content)


def _export_rest(
    run: RunView, runs: Mapping[str, RunView], sessions: Sessions, wanted: Wanted, folder: ExportFolder
) -> None:
    """Write what belongs to no tag."""
    if "graph" in wanted.plugins:
        for place in list_graphs(run):
            _export_graph(run, place, folder)
    if "lineage" in wanted.plugins:
        lineage, problems = lineage_of(run, sessions, runs)
        _export_document(run, "lineage", lineage if any(lineage) else None, problems, folder)
    if "dataset_graph" in wanted.plugins:
        _export_document(run, "dataset_graph", *read_dataset_graph(run), folder)
    if "hparams" in wanted.plugins:
        session, problems = read_session(run)
        experiment, failed = read_experiment(run)
        content = {"session": session, "experiment": experiment} if session or experiment else None
        _export_document(run, "hparams", content, problems + failed, folder)
    if wanted.plugins == PLUGINS:
        _note_others(run, folder)


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
    """Write the one file that a run has of a plugin, unless there is nothing to tell."""
    folder.damaged += [LeftOut(run.name, plugin, "", None, problem) for problem in problems]
    if content is not None:
        with folder.create(Entry("", run.name, plugin), plugin, ".json") as file:
            file.write(_json(content))


def _note_others(run: RunView, folder: ExportFolder) -> None:
    for tag in {tag: None for file in run.files for tag in file.series}:
        if tag.plugin not in (*PLUGINS, *GRAPH_PLUGINS, "metadata"):
            folder.left_out.append(LeftOut(run.name, tag.plugin, tag.name, None, "there is no form to export it in"))


def _json(content: Any) -> bytes:
    return orjson.dumps(in_json(content)) + b"\n"
