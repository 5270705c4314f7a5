"""Landscape checkpoints: the weights of the network along a training, from which its loss landscape is computed."""

import contextlib
import json
import os
import shutil
import time
from bisect import bisect_right
from collections.abc import Mapping
from glob import glob
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.checkpoints import save_checkpoint
from toposcope.recorder.checkpoints.checkpoint import Checkpoint, library_of
from toposcope.recorder.checkpoints.files.atomic_file import atomic_file
from toposcope.recorder.checkpoints.state.sharded_tensors import has_sharded_tensors
from toposcope.recorder.collecting.job import Job
from toposcope.recorder.landscapes.plan.settings import LandscapeSettings

_FOLDER, _METADATA, _GRAM, _CONVERTED = "ckpt_dir", "train_metadata.json", "gram.npz", "converted"
_LANDSCAPES = "landscapes"
_SPREAD = 20
_NEVER = 1 << 62


class LandscapeCheckpoints:
    """Saves the network at the points of the intervals, as `ckpt_dir/<network>_<point>_<unit>.safetensors`.

    The folder is in the summary_dir. MindSpore's networks, networks whose state safetensors cannot store, and all
    networks if the package safetensors is not installed are saved as `.ckpt` files of save_checkpoint().

    A point is a step or an epoch, depending on the unit. Without the user's intervals there is one interval: twenty
    points evenly spread over a training of known length. In a training of unknown length every step or epoch is a point
    at first, and whenever there would be twenty, every second one is dropped. The last weights are always saved.

    `train_metadata.json` in the folder is updated with each checkpoint. It has MindSpore's keys, and lists the existing
    checkpoints with paths relative to the folder. The files of an earlier training are removed at the first checkpoint.
    A checkpoint that cannot be written, on a full disk for example, is logged and skipped; the next one is attempted.
    `gram.npz` contains the inner products of the displacements, from which CheckpointSet computes the axes of a
    landscape without reading the checkpoints; it is omitted if computing it would take longer than saving them.
    """

    def __init__(self, job: Job, settings: LandscapeSettings, length: int | None) -> None:
        """Plan the checkpoints.

        Args:
            job: the training whose network is saved.
            settings: the user's settings.
            length: steps or epochs of the training; None: unknown.
        """
        # Imported only if landscapes are collected.
        from toposcope.recorder.landscapes.weights.incremental_gram import IncrementalGram

        self._job, self._settings = job, settings
        self.length = length
        """Steps or epochs of the training; it may change before the first call of save_if_due()."""
        self._folder = os.path.join(job.plan.summary_dir, _FOLDER)
        self._points = sorted({point for interval in settings.intervals or () for point in interval})
        self._stride = 1
        self._files: dict[int, str] = {}
        """Names of the files by point."""
        self._extension: str | None = None
        self._surplus: list[str] = []
        """Names of files to remove after the metadata no longer list them."""
        self._is_failing = False
        self._gram = IncrementalGram(os.path.join(self._folder, _GRAM))
        self._has_started = False
        self.next = self._points[0] if settings.intervals else 0
        """Nothing is saved at smaller numbers."""

    def save_if_due(self, number: int) -> None:
        """Save the network if the finished step or epoch *number*, which is at least next, is a point."""
        if not self._has_started:
            self._begin(number)
        if self._settings.intervals is not None:
            is_due = number in self._points
            self.next = next(iter(self._points[bisect_right(self._points, number) :]), _NEVER)
        elif self.length is not None:
            # In sink mode numbers may skip a point.
            is_due = bool(self._points) and self._points[0] <= number
            self._points = self._points[bisect_right(self._points, number) :]
            self.next = self._points[0] if self._points else _NEVER
        else:
            is_due = number % self._stride == 0
            self.next = number + self._stride - number % self._stride
        if is_due and not self._try_to_save(number) and not self._has_plan:
            self._stride *= 2  # Retry less often than at every step.
            self.next = number + self._stride - number % self._stride

    def end(self, step: int, epoch: int) -> None:
        """Save the last weights at the end of the training, unless the user specified the points."""
        number = step if self._settings.unit == "step" else epoch
        if self._settings.intervals is None and number > 0 and number not in self._files:
            self._try_to_save(number)

    @property
    def _has_plan(self) -> bool:
        """Whether the points are known in advance."""
        return self._settings.intervals is not None or self.length is not None

    def _begin(self, first: int) -> None:
        self._has_started = True
        self._remove_earlier()
        if self._settings.intervals is None and self.length is not None:
            count = min(_SPREAD, self.length)
            steps = range(count) if count > 1 else ()
            self._points = sorted({first + round(i * (self.length - 1) / (count - 1)) for i in steps} | {first})

    def _try_to_save(self, number: int) -> bool:
        """Save the network; return whether this succeeded. The first of several consecutive failures is logged."""
        try:
            self._save(number)
        except OSError as error:
            if not self._is_failing:
                log.warn(
                    "%s: the landscape checkpoint of %s %d is skipped, the next one will be attempted: %s",
                    *(self._job.plan.summary_dir, self._settings.unit, number, error),
                )
            self._is_failing = True
            return False
        self._is_failing = False
        return True

    def _save(self, number: int) -> None:
        network = self._job.params.get("network")
        state = self._job.framework.network_state(network)
        if has_sharded_tensors(state):
            # All processes would have to gather the shards, and a failure of one would block the others.
            raise TypeError("the tensors of the network are sharded, so that no process has the whole network")
        name = self._job.framework.class_name(network) or "network"
        os.makedirs(self._folder, exist_ok=True)
        began = time.perf_counter()
        self._files[number] = self._saved(network, state, f"{name}_{number}_{self._settings.unit}")
        seconds = time.perf_counter() - began
        if self._extension == ".safetensors":
            self._job.guard.attempt(
                "the Gram matrix of landscape checkpoints",
                self._gram.add,
                number,
                os.path.join(self._folder, self._files[number]),
                self._job.framework.parameters(network, None).keys(),
                seconds,
            )
        if not self._has_plan and len(self._files) >= _SPREAD:
            self._thin_out()
        self._write_metadata()
        while self._surplus:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(self._folder, self._surplus.pop()))

    def _saved(self, network: Any, state: Mapping[str, Any], name: str) -> str:
        """Save the network and return the name of the file, with the extension of its format."""
        if self._extension is None:
            is_of_mindspore = library_of(Checkpoint(dict(state), None, {})) == "mindspore"
            self._extension = ".ckpt" if is_of_mindspore else ".safetensors"
        try:
            save_checkpoint(network, os.path.join(self._folder, name + self._extension))
        except (ImportError, ValueError):  # safetensors is not installed, or cannot store an extra state.
            if self._extension == ".ckpt":
                raise
            self._extension = ".ckpt"
            save_checkpoint(network, os.path.join(self._folder, name + self._extension))
        return name + self._extension

    def _thin_out(self) -> None:
        """Double the stride and drop the checkpoints between its multiples."""
        self._stride *= 2
        dropped = [number for number in self._files if number % self._stride]
        self._surplus += [self._files.pop(number) for number in dropped]
        self._gram.drop(dropped)

    def _write_metadata(self) -> None:
        settings, batch_num = self._settings, self._job.params.get("batch_num")
        groups = settings.intervals or (tuple(sorted(self._files)),)
        reached = [[point for point in group if point in self._files] for group in groups]
        metadata = {
            "epoch_group": {str(i): points for i, points in enumerate(reached) if points},
            "model_params_file_map": {str(number): name for number, name in sorted(self._files.items())},
            "step_per_epoch": batch_num if isinstance(batch_num, int) and batch_num > 0 else 1,
            "unit": settings.unit,
            "num_samples": settings.num_samples,
            "landscape_size": settings.landscape_size,
            "create_landscape": dict(settings.create_landscape),
        }
        with atomic_file(os.path.join(self._folder, _METADATA)) as part, open(part, "w", encoding="utf-8") as file:
            json.dump(metadata, file)

    def _remove_earlier(self) -> None:
        """Remove the checkpoints that the metadata of an earlier training list, and the results computed from them."""
        path = os.path.join(self._folder, _METADATA)
        try:
            with open(path, encoding="utf-8") as file:
                files: dict[str, Any] = json.load(file)["model_params_file_map"]
            names = [os.path.basename(path) for path in files.values()]
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return
        converted = glob(os.path.join(_CONVERTED, "*.safetensors"), root_dir=self._folder)
        parts = glob(".*.part", root_dir=self._folder)  # Left by a killed process.
        for name in (*names, *converted, *parts, _GRAM, _METADATA):
            # Only names in this folder: it may have been moved, and files outside of it must not be removed.
            path = os.path.join(self._folder, name)
            if os.path.isfile(path):
                os.unlink(path)
        shutil.rmtree(os.path.join(self._folder, _LANDSCAPES), ignore_errors=True)
