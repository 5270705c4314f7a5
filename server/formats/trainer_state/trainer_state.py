"""Reads `trainer_state.json`: in the folder of a training and in its checkpoints, of which the newest contains all."""

import json
import os
import re
from typing import Any

from toposcope.server.formats.event_writer import EventWriter
from toposcope.server.formats.format import Candidate, Output, Source, Stamp, StartOver, State, file_stamp
from toposcope.server.formats.tables.columns import step_of
from toposcope.server.formats.tables.lines import flatten
from toposcope.server.places.place import Place

_LARGEST_FILE = 256 << 20
_CHECKPOINT = re.compile(r"^checkpoint-\d+$")
_PARAMETERS = ("max_steps", "num_train_epochs", "train_batch_size", "logging_steps", "eval_steps", "save_steps")


class TrainerState:
    """The format of the Trainer of Transformers."""

    name = "transformers"
    names = re.compile(r"^trainer_state\.json$")

    def examine(self, candidate: Candidate) -> Source | str:
        """Return the source that a file belongs to: the training, not the checkpoint; otherwise why it is none."""
        head = candidate.head().lstrip()
        if not head.startswith(b"{") or b'"log_history"' not in head:
            return "it is no JSON object with a 'log_history' near its beginning"
        directory, run = candidate.directory, candidate.run
        if _CHECKPOINT.match(os.path.basename(directory)):
            directory, run = os.path.dirname(directory), os.path.dirname(run) or "."
        why = "its name is 'trainer_state.json' and it has a 'log_history'"
        key = os.path.join(directory, candidate.name)
        return Source(self.name, candidate.path, run, why, key, candidate.status.modified)

    def stamp(self, source: Source, place: Place) -> Stamp:
        """Return the stamp of the file."""
        return [*file_stamp(source.path, place), source.path]

    def read(self, source: Source, place: Place, state: State, output: Output) -> bool:
        """Translate the entries that are new: a file is written again as a whole, with more of them."""
        file = place.open(source.path)
        try:
            if file.status.size > _LARGEST_FILE:
                raise ValueError(f"{file.status.size} bytes exceed the limit of {_LARGEST_FILE}")
            content = _parsed(file.read(0, file.status.size))
        finally:
            file.close()
        entries = [entry for entry in content["log_history"] if isinstance(entry, dict)]
        known: int = state.get("entries", 0)
        if known and (len(entries) < known or entries[known - 1] != state["last"]):
            raise StartOver
        writer, wall_time = output.run(), file.status.modified
        parameters = {name: content[name] for name in _PARAMETERS if name in content}
        if parameters != state.get("parameters"):
            writer.parameters(wall_time, parameters)
            state["parameters"] = parameters
        for entry in entries[known:]:
            _write(entry, wall_time, writer)
        if entries:
            state["entries"], state["last"] = len(entries), entries[-1]
        return False


def _parsed(content: bytes) -> dict[str, Any]:
    try:
        parsed = json.loads(content)
    except (ValueError, RecursionError):
        raise ValueError("it is no complete JSON") from None
    if not isinstance(parsed, dict) or not isinstance(parsed.get("log_history"), list):
        raise ValueError("it has no list 'log_history'")
    return parsed


def _write(entry: dict[str, Any], wall_time: float, writer: EventWriter) -> None:
    row: dict[str, Any] = {}
    flatten(entry, row)
    step = step_of(row.pop("step", None))
    if step is not None:
        writer.scalars(step, wall_time, [(name, value) for name, value in row.items() if isinstance(value, float)])
        for name, value in row.items():
            if isinstance(value, str):
                writer.text(step, wall_time, name, value)


TRAINER_STATE = TrainerState()
