"""What the records of a .wandb file say: history, configuration, system metrics, output and the end of the run."""

import json
import time
from collections.abc import Iterable, Sequence
from typing import Any

from toposcope.proto import summary_pb2, wandb_pb2
from toposcope.server.formats.event_writer import EventWriter
from toposcope.server.formats.format import State
from toposcope.server.formats.nested import flat, leaves
from toposcope.server.formats.wandb.media import write_media
from toposcope.server.places.place import Place

_QUIET_SECONDS = 60.0
"""A third of the time after which a run that writes nothing counts as lost; it measures its machine every 15 s."""
_DEEPEST = 32
_DEFINITIONS = "wandb/metrics"
"""The hyperparameter in which our recorder keeps what define_metric() said, and in which the page finds x axes."""
_LONGEST_LINE = 10_000
_MAX_AXES = 1000


class Records:
    """Translates records.

    Args:
        folder: contains the media of the run.
        place: where it lies.
        state: of the translation.
        output: takes the events.
    """

    def __init__(self, folder: str, place: Place, state: State, output: EventWriter) -> None:
        self._folder = folder
        self._place = place
        self._output = output
        self._state = state
        self._tags: dict[str, object] = dict.fromkeys(state.get("tags", ()))
        """Those with a history."""
        self._config: dict[str, Any] = state.setdefault("config", {})
        self._summary: dict[str, float] = state.setdefault("summary", {})
        """The numbers that may have no history."""
        self._axes: dict[str, dict[str, str]] = state.setdefault("axes", {})
        """The definitions of metrics that have an x axis, by name or pattern."""
        self._has_new_config = False

    def add(self, record: wandb_pb2.Record, kind: str) -> None:
        """Translate a record of a kind, the name of its field."""
        match kind:
            case "history":
                self._add_history(record.history)
            case "summary":
                self._add_summary(record.summary.update)
            case "config":
                self._update_config(record.config)
            case "stats":
                self._add_stats(record.stats)
            case "metric":
                self._add_metric(record.metric)
            case "output_raw":
                self._add_output(record.output_raw)
            case "run":
                self._add_run(record.run)
            case "exit":
                self._add_exit(record.exit.exit_code)

    def finish(self) -> None:
        """Write what was collected of all records, and keep what is needed for the next ones."""
        if self._has_new_config:
            axes = {_DEFINITIONS: json.dumps(self._axes)} if self._axes else {}
            self._output.parameters(self._state.get("wall", 0.0), flat(self._config) | axes)
        self._state["tags"] = list(self._tags)

    def _add_run(self, run: wandb_pb2.Run) -> None:
        wall_time = _seconds(run.start_time) or time.time()
        self._state.setdefault("wall", wall_time)
        start = summary_pb2.RecordingStart(host=run.host, heartbeat_seconds=_QUIET_SECONDS)
        self._output.start(wall_time, start)
        facts = {
            "wandb_project": run.project,
            "wandb_name": run.display_name,
            "wandb_id": run.run_id,
            "wandb_group": run.run_group,
            "wandb_job_type": run.job_type,
            "wandb_tags": ", ".join(run.tags),
            "host": run.host,
            "git_commit": run.git.commit,
            "git_remote": run.git.remote_url,
        }
        self._output.environment(wall_time, {name: value for name, value in facts.items() if value})
        if run.notes:
            self._output.text(0, wall_time, "notes", run.notes)
        self._update_config(run.config)

    def _update_config(self, config: wandb_pb2.Config) -> None:
        for item in config.update:
            _put(self._config, _path_of(item), _parsed(item.value_json))
        for item in config.remove:
            self._config.pop(_path_of(item)[0], None)
        self._config.pop("_wandb", None)
        self._has_new_config = bool(self._config or self._axes)

    def _add_history(self, history: wandb_pb2.History) -> None:
        row = _row_of(history.item)
        step = row.pop("_step", None)
        step = step if isinstance(step, int) else history.step.num
        wall_time = row.pop("_timestamp", None)
        wall_time = float(wall_time) if isinstance(wall_time, int | float) else self._state.get("wall", 0.0)
        row.pop("_runtime", None)
        self._state["step"], self._state["wall"] = step, wall_time
        scalars: list[tuple[str, float]] = []
        for name, value in leaves(row) if dict in map(type, row.values()) else row.items():
            if isinstance(value, int | float):
                scalars.append((name, value if isinstance(value, float) else _number(value)))
            elif isinstance(value, str):
                self._output.text(step, wall_time, name, value)
            elif isinstance(value, dict):
                write_media(self._output, step, wall_time, name, value, self._folder, self._place)
        scalars.sort()  # Each row has another order.
        self._tags.update(scalars)
        self._output.scalars(step, wall_time, scalars)

    def _add_summary(self, items: Iterable[wandb_pb2.Item]) -> None:
        # It follows each row of the history, and most of its items repeat that.
        known = self._tags
        row = _row_of(
            [
                item
                for item in items
                if len(path := item.nested_key) != 1 or path[0] not in known or "{" in item.value_json
            ]
        )
        for name, value in leaves(row):
            if isinstance(value, int | float) and not name.startswith("_") and name not in self._tags:
                self._summary[name] = _number(value)

    def _add_stats(self, stats: wandb_pb2.Stats) -> None:
        values = [(f"machine/{item.key}", _parsed(item.value_json)) for item in stats.item]
        numbers = [(name, _number(value)) for name, value in values if isinstance(value, int | float)]
        self._output.scalars(self._state.get("step", 0), _seconds(stats.timestamp), numbers)

    def _add_metric(self, metric: wandb_pb2.Metric) -> None:
        name = metric.name or metric.glob_name
        if name and metric.step_metric and len(self._axes) < _MAX_AXES:
            self._axes[_tag_of(name)] = {"step_metric": _tag_of(metric.step_metric)}
            self._has_new_config = True

    def _add_output(self, output: wandb_pb2.OutputRaw) -> None:
        """Write the lines that are complete; one may be in several records."""
        stream = f"output {output.output_type}"
        *lines, rest = (self._state.get(stream, "") + output.line).split("\n")
        if len(rest) > _LONGEST_LINE:
            lines, rest = [*lines, rest], ""
        self._state[stream] = rest
        if lines:
            shown = [line.rpartition("\r")[2] if not line.endswith("\r") else line[:-1] for line in lines]
            self._output.console(_seconds(output.timestamp), shown, is_error=output.output_type == 0)

    def _add_exit(self, code: int) -> None:
        """Write the numbers of the summary that have no history, and the end mark."""
        wall_time = self._state.get("wall", 0.0)
        left = [(name, value) for name, value in self._summary.items() if name not in self._tags]
        self._output.scalars(self._state.get("step", 0), wall_time, left)
        self._summary.clear()
        self._output.end(wall_time, "failed" if code else "finished", f"exit code {code}" if code else "")


def _row_of(items: Sequence[wandb_pb2.Item]) -> dict[str, Any]:
    """Return the values of items; those with several keys are in nested objects."""
    row: dict[str, Any] = {}
    for item, value in zip(items, _values_of(items), strict=True):
        nested = item.nested_key
        if len(nested) > 1:
            _put(row, _path_of(item), value)
        else:
            row[nested[0] if nested else item.key] = value
    return row


def _path_of(item: wandb_pb2.Item) -> Sequence[str]:
    return item.nested_key[:_DEEPEST] or (item.key,)


def _put(row: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for name in path[:-1]:
        inner = row.get(name)
        if not isinstance(inner, dict):
            inner = row[name] = {}
        row = inner
    row[path[-1]] = value


def _tag_of(name: str) -> str:
    """Return the tag of a metric: nested names are joined by dots in definitions, where other dots are escaped."""
    return ".".join(part.replace(".", "/") for part in name.split("\\."))


def _values_of(items: Sequence[wandb_pb2.Item]) -> list[Any]:
    """Return the values of items: parsed together, which takes a third of the time, if each of them is JSON."""
    texts = [item.value_json for item in items]
    try:
        values: list[Any] = json.loads(f"[{','.join(texts)}]")
    except (ValueError, RecursionError):
        values = []
    return values if len(values) == len(items) else [_parsed(text) for text in texts]


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _number(value: float) -> float:
    try:
        return float(value)
    except OverflowError:  # An integer beyond the range of doubles.
        return float("inf") if value > 0 else float("-inf")


def _seconds(timestamp: wandb_pb2.Timestamp) -> float:
    return timestamp.seconds + timestamp.nanos / 1e9
