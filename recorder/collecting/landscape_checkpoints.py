"""Landscape checkpoints: the weights of the network along a training, from which its loss landscape is computed."""

import json
import os
from bisect import bisect_right
from typing import Any

from toposcope.recorder.checkpoints import save_checkpoint
from toposcope.recorder.checkpoints.gathering import holds_shards
from toposcope.recorder.collecting.job import Job
from toposcope.recorder.collecting.landscape_settings import LandscapeSettings

_FOLDER, _METADATA = "ckpt_dir", "train_metadata.json"
_SPREAD = 20
_NEVER = 1 << 62


class LandscapeCheckpoints:
    """Saves the network at the points of the intervals, into `<summary_dir>/ckpt_dir/<network>_<point>_<unit>.ckpt`.

    A point is a step or an epoch, as the unit says. Without intervals of the user there is one: twenty points evenly
    spread from the first to the last of a training whose length is known. Of another one every step or epoch is a
    point at first; whenever there would be twenty, every second is dropped. The last one is saved in any case.

    `train_metadata.json` beside the checkpoints names those that exist, after each of them, in MindSpore's words; what
    an earlier training has left in the directory is removed at the first.
    """

    def __init__(self, job: Job, settings: LandscapeSettings, length: int | None) -> None:
        """Plan the checkpoints.

        Args:
            job: whose network is saved.
            settings: what the user wants.
            length: steps or epochs of the training, None when unknown.
        """
        self._job, self._settings, self._length = job, settings, length
        self._folder = os.path.join(job.plan.summary_dir, _FOLDER)
        self._points = sorted({point for interval in settings.intervals or () for point in interval})
        self._stride = 1
        self._files: dict[int, str] = {}
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
        if is_due:
            self._save(number)

    def end(self, step: int, epoch: int) -> None:
        """Save the last weights of a training that ends now, where the points were not the user's."""
        number = step if self._settings.unit == "step" else epoch
        if self._settings.intervals is None and number > 0 and number not in self._files:
            self._save(number)

    def _begin(self, first: int) -> None:
        self._has_begun = True
        self._remove_earlier()
        if self._settings.intervals is None and self._length is not None:
            wanted = min(_SPREAD, self._length)
            steps = range(wanted) if wanted > 1 else ()
            self._points = sorted({first + round(i * (self._length - 1) / (wanted - 1)) for i in steps} | {first})

    def _save(self, number: int) -> None:
        network = self._job.params.get("network")
        if holds_shards(self._job.framework.network_state(network)):
            # All processes would have to gather them, and a failure of one would leave the others waiting.
            raise TypeError("processes share its tensors, and one of them does not have the whole network")
        name = self._job.framework.class_name(network) or "network"
        path = os.path.join(self._folder, f"{name}_{number}_{self._settings.unit}.ckpt")
        os.makedirs(self._folder, exist_ok=True)
        save_checkpoint(network, path)
        self._files[number] = path
        if self._settings.intervals is None and self._length is None and len(self._files) >= _SPREAD:
            self._thin_out()
        self._write_metadata()

    def _thin_out(self) -> None:
        self._stride *= 2
        for number in [number for number in self._files if number % self._stride]:
            os.unlink(self._files.pop(number))

    def _write_metadata(self) -> None:
        settings, batch_num = self._settings, self._job.params.get("batch_num")
        groups = settings.intervals or (tuple(sorted(self._files)),)
        reached = [[point for point in group if point in self._files] for group in groups]
        metadata = {
            "epoch_group": {str(i): points for i, points in enumerate(reached) if points},
            "model_params_file_map": {str(number): path for number, path in sorted(self._files.items())},
            "step_per_epoch": batch_num if isinstance(batch_num, int) and batch_num > 0 else 1,
            "unit": settings.unit,
            "num_samples": settings.num_samples,
            "landscape_size": settings.landscape_size,
            "create_landscape": dict(settings.create_landscape),
        }
        path = os.path.join(self._folder, _METADATA)
        with open(f"{path}.part", "w", encoding="utf-8") as file:
            json.dump(metadata, file)
        os.replace(f"{path}.part", path)

    def _remove_earlier(self) -> None:
        """Remove the checkpoints that the metadata of an earlier training name, and the metadata."""
        path = os.path.join(self._folder, _METADATA)
        try:
            with open(path, encoding="utf-8") as file:
                files: dict[str, Any] = json.load(file)["model_params_file_map"]
            names = [os.path.basename(named) for named in files.values()]
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return
        for name in (*names, _METADATA):
            # By their names here: the directory may have been moved, and nothing outside of it is ours.
            earlier = os.path.join(self._folder, name)
            if os.path.isfile(earlier):
                os.unlink(earlier)
