"""SummaryLandscape: computes the loss landscapes of a training from its checkpoints."""

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

from toposcope.recorder import log
from toposcope.recorder.arguments import checked_directory, checked_integer, checked_local_directory, checked_text
from toposcope.recorder.landscapes.computation import Computation
from toposcope.recorder.landscapes.plan.landscape_plan import CHECKPOINTS, joint_plan, plan_of
from toposcope.recorder.landscapes.planes.axes_of_kind import AXES
from toposcope.recorder.landscapes.progress import Progress
from toposcope.recorder.landscapes.sweep.workers import Workers, checked_device_ids, checked_executor
from toposcope.recorder.values.arrays.foreign_values import short_repr

_JOINT_AXES = ("anchored", "pca", "three-point", "interpolate")
"""Kinds of axes that are computed from all checkpoints."""


class SummaryLandscape:
    """Computes the loss around the path that the weights of a network have taken in a training.

        SummaryCollector("runs/first", collect_specified_data={"collect_landscape": {}})    # in the training
        SummaryLandscape("runs/first").gen_landscapes_with_multi_process(callback_fn)       # after it

    For each interval of checkpoints there is a landscape `landscape_[first, last]` on the plane closest to them, with
    the path of the training at the real losses of the checkpoints; and for the last checkpoint one on a random plane,
    `landscape_[last]`. They are written into a separate event file, again after each level of measured nodes: 5 x 5,
    9 x 9, 17 x 17 and so on. The page refines its picture live; MindInsight shows the last one. Diagnostics state how
    far a landscape can be trusted.

    Losses are measured in evaluation mode, without gradients; afterwards the networks are bit for bit as before.
    Measured losses are stored immediately in `ckpt_dir/landscapes`: after an interruption, even by `kill -9`, the same
    call resumes. With the same arguments and data, any workers compute the same bits, also in another directory if mode
    is given.

    Differences from MindSpore's class: the network is never trained, and is evaluated in evaluation mode (dropout is
    off, statistics of normalisation layers are not changed); planes are the best ones in the space of the weights; the
    origin, where the model is, is always a node; two checkpoints may be equal, tensors may never have moved, a loss may
    be NaN; the loss is a mean over samples instead of batches; a function defined in the main module needs no guard
    `if __name__ == "__main__"`; device_ids=None works.
    """

    def __init__(self, summary_dir: str | os.PathLike[str]) -> None:
        """Compute landscapes of the run in a directory.

        Raises:
            TypeError: summary_dir is not a path.
            ValueError: it is blank, or an address in an object store, from which checkpoints are not read.
            NotADirectoryError: it exists and is not a directory.
            OSError: it cannot be created.
        """
        self._summary_dir = checked_local_directory("summary_dir", summary_dir)
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
        mode: str | None = None,
        progress: Callable[[Progress], object] | None = None,
    ) -> None:
        """Compute the landscapes and write them.

        Args:
            callback_fn: a function without arguments that returns (model, network, dataset, metrics): a Model, whose
                optimizer is never used, its network, batches, and a dict with a metric "Loss". The network is a
                torch.nn.Module, a TrainableNetwork or a mindspore.nn.Cell; with JAX the first two items are a function
                of parameters and a batch, and the parameters. It is called once in each process; other processes
                receive it by cloudpickle.
            collect_landscape: settings that replace those recorded by the training: landscape_size (3 to 256 nodes a
                side), num_samples, create_landscape ({"train": ..., "result": ...}: intervals, final one), and
                intervals, which select from the existing checkpoints; unit cannot be changed.
            device_ids: a worker for each, on these GPUs if there are GPUs; a single one is this process. None: this
                process, and others on the remaining processors if they are worth starting.
            output: directory to write to; None: that of the run.
            axes: of the intervals: "anchored" (the plane through the last checkpoint that is closest to the others),
                "pca" (the same for displacements minus their mean), "three-point" (through the first, a middle and the
                last checkpoint, whose losses are exact), "interpolate" (the line from the last one to the first),
                "random" (filter-normalised), "hessian" (the directions of the largest curvature), "saddle" (those of
                the largest and of the smallest curvature, which is negative at a saddle), or "mindspore" (those of the
                original, for comparison with it). Final landscapes are on random axes, or on "hessian" or "saddle" axes
                if axes is one of these.
            executor: any Executor of concurrent.futures whose workers have the same files; in place of device_ids.
            seed: of all random numbers.
            levels: the last level to measure, 2 to 8: 2 ** levels + 1 nodes a side. None: the first level with at least
                landscape_size nodes a side. Losses between measured nodes are interpolated.
            samples: for each loss; in place of num_samples.
            others: directories of other runs of the same network. There is then a single landscape, on the plane of the
                checkpoints of all runs: its losses are measured once, with the model of this call, and it is written
                into each run, with that run's path, as `joint_landscape_[first, last]`. The origin is the last
                checkpoint of this run. Axes are "anchored", "pca", "three-point" (through the last checkpoints of this
                run and of the first other run, and one more) or "interpolate" (the line between these two last ones).
            eigenvalues: how many of the largest eigenvalues of the Hessian at the last checkpoint to compute, with the
                curvature along the axes; for networks that provide Hessian-vector products.
            mode: how a torch.nn.Module computes all losses: "eager", "channels_last", "blocked", "compile" or
                "channels_last+compile", so that two computations have the same bits; others have only "eager". None:
                the one that timing finds to be the fastest, which may be another one the next time.
            progress: called with a Progress after each loss, in this thread.

        Raises:
            TypeError: an argument is of another type, or callback_fn cannot be sent to other processes.
            ValueError: an argument has a value that is not allowed, or checkpoints are damaged, too few or all equal.
            FileNotFoundError: metadata or a checkpoint is missing.
            ModelError: a worker cannot create the model.
            WorkersLostError: all workers have died.
            JournalInUseError: another process computes the same landscape.
            OSError: the landscapes cannot be written.
            Exception: any exception of callback_fn.
        """
        if not callable(callback_fn):
            raise TypeError(f"callback_fn is a function without arguments, not {short_repr(callback_fn)}.")
        if axes not in AXES:
            raise ValueError(f"axes is one of {', '.join(map(repr, AXES))}; not {short_repr(axes)}.")
        if progress is not None and not callable(progress):
            raise TypeError(f"progress is a function of a Progress or None, not {short_repr(progress)}.")
        devices, pool = checked_device_ids(device_ids), checked_executor(executor)
        if devices is not None and pool is not None:
            raise ValueError("device_ids and executor both select the workers: one of them must be None.")
        seed = checked_integer("seed", seed, 0)
        if levels is not None:
            levels = checked_integer("levels", levels, 2, 8)
        eigenvalues = checked_integer("eigenvalues", eigenvalues, 0)
        mode = None if mode is None else checked_text("mode", mode)
        directory = None if output is None else checked_directory("output", output)
        plan = plan_of(self._summary_dir, collect_landscape, directory)
        if runs := _checked_others(others, axes, directory):
            plan = joint_plan(plan, runs)
        if samples is not None:
            plan = plan._replace(num_samples=checked_integer("samples", samples, 1))
        if not plan.landscapes:
            log.warn("create_landscape enables neither 'train' nor 'result': there is no landscape to compute.")
            return
        workers = Workers(self._ckpt_dir, callback_fn, devices, pool)
        Computation(plan, workers, axes, seed, levels, eigenvalues, mode, progress).run(callback_fn())

    def clean_ckpt(self) -> None:
        """Remove the checkpoints, their metadata and measured losses; files that cannot be removed are ignored."""
        shutil.rmtree(self._ckpt_dir, ignore_errors=True)


def _checked_others(others: object, axes: str, output: str | None) -> list[str]:
    if isinstance(others, str | os.PathLike) or not isinstance(others, Sequence):
        raise TypeError(f"others is a list of directories, not {short_repr(others)}.")
    directories = [os.fspath(other) if isinstance(other, str | os.PathLike) else other for other in others]
    for directory in directories:
        if not isinstance(directory, str):
            raise TypeError(f"others is a list of directories, not one of {short_repr(directory)}.")
        if not os.path.isdir(directory):
            raise NotADirectoryError(f"others is a list of directories of runs; {directory!r} is not a directory.")
    if directories and output is not None:
        raise ValueError("output must be None with others: each landscape is written into its own run.")
    if directories and axes not in _JOINT_AXES:
        raise ValueError(f"With others, axes is one of {', '.join(map(repr, _JOINT_AXES))}; not {short_repr(axes)}.")
    return directories
