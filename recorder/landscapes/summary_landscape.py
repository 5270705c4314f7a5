"""SummaryLandscape: computes the loss landscapes of a training from the checkpoints that it has left."""

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.arguments import checked_directory, checked_integer
from toposcope.recorder.landscapes.computation import Computation
from toposcope.recorder.landscapes.plan.landscape_plan import CHECKPOINTS, joint_plan, plan_of
from toposcope.recorder.landscapes.planes.axes_of_kind import AXES
from toposcope.recorder.landscapes.progress import Progress
from toposcope.recorder.landscapes.sweep.workers import Workers, checked_device_ids, checked_executor
from toposcope.recorder.values.foreign import shown

_JOINT_AXES = ("anchored", "pca", "three-point", "interpolate")
"""Made of all checkpoints."""


class SummaryLandscape:
    """Draws what surrounds the way that the weights of a network have taken, as landscapes of the loss.

        SummaryCollector("runs/first", collect_specified_data={"collect_landscape": {}})    # in the training
        SummaryLandscape("runs/first").gen_landscapes_with_multi_process(callback_fn)       # after it

    Of each interval of checkpoints there is a landscape `landscape_[first, last]` on the plane that lies closest to
    them, with the path of the training drawn at the real losses of the checkpoints; and of the last checkpoint one on
    a random plane, `landscape_[last]`. They are written into an event file of their own, each anew after every level of
    measured nodes: 5 x 5, 9 x 9, 17 x 17 and so on; the page refines live, MindInsight shows the last one. Beside them
    stands how far they can be trusted.

    Losses are measured in evaluation mode, without gradients; the networks are as they were afterwards, bit for bit.
    What was measured is kept in `ckpt_dir/landscapes` at once: a call that was interrupted, even by `kill -9`, goes on
    where it was when it is repeated. With the same arguments and data, any workers give the same bits.

    Differences from MindSpore's class: the network is never trained, and evaluated as such (dropout off, statistics of
    normalisation layers not touched); planes are the best ones in the space of the weights; the origin, where the model
    is, always is a node; two checkpoints may be equal, tensors may never have moved, a loss may be NaN; the loss is a
    mean over samples rather than over batches; a function that the main module defines need not be guarded by
    `if __name__ == "__main__"`; device_ids=None works.
    """

    def __init__(self, summary_dir: str | os.PathLike[str]) -> None:
        """Take the directory of a run.

        Raises:
            TypeError: summary_dir is no path.
            ValueError: it is blank.
            NotADirectoryError: it exists and is no directory.
            OSError: it cannot be created.
        """
        self._summary_dir = checked_directory("summary_dir", summary_dir)
        self._ckpt_dir = os.path.join(self._summary_dir, CHECKPOINTS)

    def gen_landscapes_with_multi_process(
        self,
        callback_fn: Callable[[], Any],
        collect_landscape: Mapping[str, Any] | None = None,
        device_ids: Sequence[int] | None = None,
        output: str | os.PathLike[str] | None = None,
        *,
        axes: str = "anchored",
        executor: Executor | None = None,
        seed: int = 0,
        levels: int | None = None,
        samples: int | None = None,
        others: Sequence[str | os.PathLike[str]] = (),
        eigenvalues: int = 0,
        progress: Callable[[Progress], object] | None = None,
    ) -> None:
        """Compute the landscapes and write them.

        Args:
            callback_fn: a function without arguments that returns (model, network, dataset, metrics): a Model without
                optimizer (one that has it is not trained either), its network, batches, and a dict with a metric
                "Loss". The network is a torch.nn.Module, a TrainableNetwork, a mindspore.nn.Cell; with JAX the first
                two are a function of parameters and a batch, and the parameters. It runs once in each process; other
                processes get it by cloudpickle.
            collect_landscape: what is to be otherwise than the training has noted: landscape_size (3 to 256 nodes a
                side), num_samples, create_landscape ({"train": ..., "result": ...}: intervals, final one), and
                intervals, which choose among the checkpoints there are; unit can only be what it was.
            device_ids: a worker for each, on these GPUs where there are GPUs; a single one is this process. None: this
                process, and others on the remaining processors once it is known that they pay.
            output: directory to write to; None: that of the run.
            axes: of the intervals: "anchored" (the plane through the last checkpoint that lies closest to the others),
                "pca" (the same of displacements less their mean), "three-point" (through the first, a middle and the
                last checkpoint, whose losses it has exactly), "interpolate" (the line from the last one to the first),
                "random" (filter-normalised), "hessian" (the directions of the largest curvature), "saddle" (of the
                largest and the smallest one, which is negative where the loss falls off), or "mindspore" (those of the
                original, for comparison with it). Final landscapes are on random axes, or on "hessian" or "saddle"
                where that is asked for.
            executor: any Executor of concurrent.futures, whose workers see the same files; in place of device_ids.
            seed: of what is random.
            levels: the last level to be measured, 2 to 8: 2 ** levels + 1 nodes a side. None: the first one with at
                least landscape_size nodes a side. What lies between measured nodes is interpolated.
            samples: behind each loss; in place of num_samples.
            others: directories of other runs of the same network. Then there is only one landscape, on the plane of the
                checkpoints of all: its losses are measured once, with the model of this call, and it is written into
                each of the runs, with its own path, as `joint_landscape_[first, last]`. The origin is the last
                checkpoint of this run. Axes are "anchored", "pca", "three-point" (through the ends of this run and of
                the first other one) or "interpolate" (the line between these two ends).
            eigenvalues: how many of the largest eigenvalues of the Hessian at the last checkpoint to compute, with the
                curvature along the axes; for networks that can tell products with the Hessian.
            progress: called with a Progress after each loss, in this thread.

        Raises:
            TypeError: an argument is of another type, or callback_fn cannot be sent to other processes.
            ValueError: an argument has a value that is not allowed, or checkpoints are damaged, too few or all equal.
            FileNotFoundError: metadata or a checkpoint is missing.
            ModelError: a worker cannot make the model.
            WorkersLostError: all workers have died.
            JournalInUseError: another process computes the same landscape.
            OSError: the landscapes cannot be written.
            Exception: what callback_fn raises.
        """
        if not callable(callback_fn):
            raise TypeError(f"callback_fn is a function without arguments, not {shown(callback_fn)}.")
        if axes not in AXES:
            raise ValueError(f"axes is one of {', '.join(map(repr, AXES))}; not {shown(axes)}.")
        if progress is not None and not callable(progress):
            raise TypeError(f"progress is a function of a Progress or None, not {shown(progress)}.")
        devices, pool = checked_device_ids(device_ids), checked_executor(executor)
        if devices is not None and pool is not None:
            raise ValueError("device_ids and executor both say who measures: one of them is None.")
        seed = checked_integer("seed", seed, 0)
        if levels is not None:
            levels = checked_integer("levels", levels, 2, 8)
        eigenvalues = checked_integer("eigenvalues", eigenvalues, 0)
        directory = None if output is None else checked_directory("output", output)
        plan = plan_of(self._summary_dir, collect_landscape, directory)
        if runs := _checked_others(others, axes, directory):
            plan = joint_plan(plan, runs)
        if samples is not None:
            plan = plan._replace(num_samples=checked_integer("samples", samples, 1))
        if not plan.landscapes:
            log.warn("create_landscape wants neither 'train' nor 'result': there is no landscape to compute.")
            return
        workers = Workers(self._ckpt_dir, callback_fn, devices, pool)
        Computation(plan, workers, axes, seed, levels, eigenvalues, progress).run(callback_fn())

    def clean_ckpt(self) -> None:
        """Remove the checkpoints, their metadata, and what was measured; as far as that is possible."""
        shutil.rmtree(self._ckpt_dir, ignore_errors=True)


def _checked_others(others: object, axes: str, output: str | None) -> list[str]:
    if isinstance(others, str | os.PathLike) or not isinstance(others, Sequence):
        raise TypeError(f"others is a list of directories, not {shown(others)}.")
    directories = [os.fspath(other) if isinstance(other, str | os.PathLike) else other for other in others]
    for directory in directories:
        if not isinstance(directory, str):
            raise TypeError(f"others is a list of directories, not one of {shown(directory)}.")
        if not os.path.isdir(directory):
            raise NotADirectoryError(f"others are directories of runs; {directory!r} is none.")
    if directories and output is not None:
        raise ValueError("output is None with others: each landscape is written into its own run.")
    if directories and axes not in _JOINT_AXES:
        raise ValueError(f"With others axes is one of {', '.join(map(repr, _JOINT_AXES))}; not {shown(axes)}.")
    return directories
