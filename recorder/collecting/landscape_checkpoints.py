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
from toposcope.recorder.checkpoints.atomic_file import atomic_file
from toposcope.recorder.checkpoints.checkpoint import Checkpoint, library_of
from toposcope.recorder.checkpoints.sharded_tensors import has_sharded_tensors
from toposcope.recorder.collecting.job import Job
from toposcope.recorder.landscapes.plan.settings import LandscapeSettings

_FOLDER, _METADATA, _GRAM, _CONVERTED = "ckpt_dir", "train_metadata.json", "gram.npz", "converted"
_LANDSCAPES = "landscapes"
_SPREAD = 20
_NEVER = 1 << 62


class LandscapeCheckpoints:
    """Saves the network at the points of the intervals, as `ckpt_dir/<network>_<point>_<unit>.safetensors`.

    The folder is in the summary_dir. MindSpore's networks, those with a state that such a file cannot hold, and all
    where the package safetensors is not installed, become files of save_checkpoint() that end with `.ckpt`.

    A point is a step or an epoch, as the unit says. Without intervals of the user there is one: twenty points evenly
    spread from the first to the last of a training whose length is known. Of another one every step or epoch is a
    point at first; whenever there would be twenty, every second is dropped. The last one is saved in any case.

    `train_metadata.json` beside the checkpoints names those that exist, after each of them, in MindSpore's words, with
    paths relative to the folder; what an earlier training has left in the directory is removed at the first. A file
    that cannot be written, as on a full disk, is told of and left out, and the next one is tried.
    `gram.npz` holds the inner products of their displacements, from which CheckpointSet has the axes of a landscape
    without reading the checkpoints again; it is left out where it would take longer than saving them.
    """

    def __init__(self, job: Job, settings: LandscapeSettings, length: int | None) -> None:
        """Plan the checkpoints.

        Args:
            job: whose network is saved.
            settings: what the user wants.
            length: steps or epochs of the training, None when unknown.
        """
        # Those who collect no landscapes do not import them.
        from toposcope.recorder.landscapes.weights.incremental_gram import IncrementalGram

        self._job, self._settings, self._length = job, settings, length
        self._folder = os.path.join(job.plan.summary_dir, _FOLDER)
        self._points = sorted({point for interval in settings.intervals or () for point in interval})
        self._stride = 1
        self._files: dict[int, str] = {}
        """Names of the files by point."""
        self._ending: str | None = None
        self._surplus: list[str] = []
        """Names of files that are to be removed when the metadata do not name them any more."""
        self._is_failing = False
        self._gram = IncrementalGram(os.path.join(self._folder, _GRAM))
        self._has_begun = False
        self.next = self._points[0] if settings.intervals else 0
        """Nothing is to be saved at smaller numbers."""

    def reach(self, number: int) -> None:
        """Save the network if *number*, the step or epoch that is over, is a point; it is next or larger."""
        if not self._has_begun:
            self._begin(number)
        if self._settings.intervals is not None:
            is_due = number in self._points
            self.next = next(iter(self._points[bisect_right(self._points, number) :]), _NEVER)
        elif self._length is not None:
            # Where data is sunk a point is passed rather than met.
            is_due = bool(self._points) and self._points[0] <= number
            self._points = self._points[bisect_right(self._points, number) :]
            self.next = self._points[0] if self._points else _NEVER
        else:
            is_due = number % self._stride == 0
            self.next = number + self._stride - number % self._stride
        if is_due and not self._try_to_save(number) and not self._has_plan:
            self._stride *= 2  # Not at every step anew.
            self.next = number + self._stride - number % self._stride

    def end(self, step: int, epoch: int) -> None:
        """Save the last weights of a training that ends now, where the points were not the user's."""
        number = step if self._settings.unit == "step" else epoch
        if self._settings.intervals is None and number > 0 and number not in self._files:
            self._try_to_save(number)

    @property
    def _has_plan(self) -> bool:
        """Whether the points are known in advance."""
        return self._settings.intervals is not None or self._length is not None

    def _begin(self, first: int) -> None:
        self._has_begun = True
        self._remove_earlier()
        if self._settings.intervals is None and self._length is not None:
            wanted = min(_SPREAD, self._length)
            steps = range(wanted) if wanted > 1 else ()
            self._points = sorted({first + round(i * (self._length - 1) / (wanted - 1)) for i in steps} | {first})

    def _try_to_save(self, number: int) -> bool:
        """Save the network, and say whether that has worked; the first of several failures is told."""
        try:
            self._save(number)
        except OSError as error:
            if not self._is_failing:
                log.warn(
                    "%s: landscape checkpoints: that of %s %d is left out, the next one is tried: %s",
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
            # All processes would have to gather them, and a failure of one would leave the others waiting.
            raise TypeError("processes share its tensors, and one of them does not have the whole network")
        name = self._job.framework.class_name(network) or "network"
        os.makedirs(self._folder, exist_ok=True)
        began = time.perf_counter()
        self._files[number] = self._saved(network, state, f"{name}_{number}_{self._settings.unit}")
        seconds = time.perf_counter() - began
        if self._ending == ".safetensors":
            self._job.switches.attempt(
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
        """Save the network and return the name of the file, with the ending that suits it."""
        if self._ending is None:
            is_mindspores = library_of(Checkpoint(dict(state), None, {})) == "mindspore"
            self._ending = ".ckpt" if is_mindspores else ".safetensors"
        try:
            save_checkpoint(network, os.path.join(self._folder, name + self._ending))
        except (ImportError, ValueError):  # No such package; an extra state that such a file cannot hold.
            if self._ending == ".ckpt":
                raise
            self._ending = ".ckpt"
            save_checkpoint(network, os.path.join(self._folder, name + self._ending))
        return name + self._ending

    def _thin_out(self) -> None:
        """Double the stride, and forget the files that it passes over."""
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
        """Remove the checkpoints of an earlier training, which its metadata name, and what was computed of them."""
        path = os.path.join(self._folder, _METADATA)
        try:
            with open(path, encoding="utf-8") as file:
                files: dict[str, Any] = json.load(file)["model_params_file_map"]
            names = [os.path.basename(named) for named in files.values()]
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return
        converted = glob(os.path.join(_CONVERTED, "*.safetensors"), root_dir=self._folder)
        parts = glob(".*.part", root_dir=self._folder)  # Of a process that was killed.
        for name in (*names, *converted, *parts, _GRAM, _METADATA):
            # By their names here: the directory may have been moved, and nothing outside of it is ours.
            earlier = os.path.join(self._folder, name)
            if os.path.isfile(earlier):
                os.unlink(earlier)
        shutil.rmtree(os.path.join(self._folder, _LANDSCAPES), ignore_errors=True)
