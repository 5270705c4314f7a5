"""The console script summary-landscape: computes loss landscapes from the checkpoints of a training."""

import argparse
import ast
import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from toposcope.executors import FORMS, workers_on
from toposcope.missing_packages import missing_packages_line
from toposcope.recorder.landscapes.planes.axes_of_kind import AXES
from toposcope.recorder.landscapes.progress import Progress
from toposcope.recorder.landscapes.stored_checkpoints import default_folder, fetch_checkpoints
from toposcope.recorder.landscapes.summary_landscape import SummaryLandscape
from toposcope.recorder.stores.spool import is_remote

_FAILED, _INTERRUPTED = 1, 130
_COLUMNS = 80


def main(arguments: Sequence[str] | None = None) -> int:
    """Run summary-landscape; return the exit status."""
    parser = make_parser()
    options = parser.parse_args(arguments)
    try:
        callback_fn = _function(options.model)
        collect_landscape = _collect_landscape(options)
        if options.on is not None and options.devices is not None:
            raise ValueError("--on and --devices both select the workers: expected one of them")
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        parser.error(str(error))
    line = _ProgressLine(sys.stderr)
    try:
        summary_dir, output = _directories(options)
        with _executor(options.on) as executor:
            SummaryLandscape(summary_dir).gen_landscapes_with_multi_process(
                callback_fn,
                collect_landscape,
                options.devices,
                output,
                axes=options.axes,
                executor=executor,
                seed=options.seed,
                levels=options.levels,
                others=options.others,
                eigenvalues=options.eigenvalues,
                mode=options.mode,
                progress=line.show,
            )
    except KeyboardInterrupt:
        line.end()
        print("summary-landscape: interrupted; run the same command again to resume", file=sys.stderr)
        return _INTERRUPTED
    except ModuleNotFoundError as error:
        line.end()
        print(f"summary-landscape: {missing_packages_line(error, 'landscape')}", file=sys.stderr)
        return _FAILED
    except (OSError, TypeError, ValueError, RuntimeError) as error:
        line.end()
        print(f"summary-landscape: {error}", file=sys.stderr)
        return _FAILED
    line.end()
    return 0


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(
        "summary-landscape",
        description="Compute the loss landscapes of a training from the checkpoints in SUMMARY_DIR/ckpt_dir. "
        "After an interruption, the same command resumes.",
    )
    parser.add_argument(
        "summary_dir", metavar="SUMMARY_DIR", help="directory of the run, or its address in an object store"
    )
    parser.add_argument(
        "--model",
        required=True,
        metavar="MODULE:FUNCTION",
        help="a function without arguments that returns (model, network, dataset, metrics)",
    )
    parser.add_argument("--axes", choices=AXES, default="anchored", help="axes of the intervals (default: %(default)s)")
    parser.add_argument("--size", type=int, metavar="N", help="nodes a side, 3 to 256 (default: as in the training)")
    parser.add_argument("--samples", type=int, metavar="N", help="samples for each loss (default: as in the training)")
    parser.add_argument("--intervals", metavar="LISTS", help="steps or epochs of each interval: [[1, 2, 3], [4, 5, 6]]")
    parser.add_argument("--only", choices=("train", "result"), help="only intervals, or only the final landscape")
    parser.add_argument("--levels", type=int, metavar="K", help="measure up to 2**K + 1 nodes a side")
    parser.add_argument("--devices", type=_devices, metavar="I,J", help="one worker for each, on these GPUs if any")
    parser.add_argument("--on", metavar="WORKERS", help=f"{FORMS}; they need the same files (default: this machine)")
    parser.add_argument(
        "--checkpoints",
        type=Path,
        metavar="DIR",
        help="where to keep the checkpoints of an address, for all workers (default: in the user's cache)",
    )
    parser.add_argument("--eigenvalues", type=int, default=0, metavar="K", help="of the Hessian at the last checkpoint")
    parser.add_argument("--mode", metavar="MODE", help="eager, channels_last, blocked, compile (default: the fastest)")
    parser.add_argument("--seed", type=int, default=0, help="seed of random directions (default: %(default)s)")
    parser.add_argument(
        "--others", nargs="+", default=(), metavar="DIR", help="other runs of the network, to show on the same plane"
    )
    parser.add_argument("--output", metavar="DIR", help="where to write (default: SUMMARY_DIR)")
    return parser


@contextmanager
def _executor(on: str | None) -> Iterator[Executor | None]:
    """Provide the executor of the workers that a text names; None for those of this machine that are worth starting."""
    if on is None:
        yield None
        return
    with workers_on(on) as workers:
        yield workers.executor


def _directories(options: argparse.Namespace) -> tuple[str, str | None]:
    """Return the directory with the checkpoints, and where to write; fetch checkpoints from an object store."""
    if not is_remote(options.summary_dir):
        return options.summary_dir, options.output
    folder = options.checkpoints or default_folder(options.summary_dir)
    fetch_checkpoints(options.summary_dir, folder)
    return str(folder), options.output or options.summary_dir


def _devices(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def _function(name: str) -> Callable[[], Any]:
    module, colon, path = name.partition(":")
    if not colon or not module or not path:
        raise ValueError(f"--model is MODULE:FUNCTION, not {name!r}")
    sys.path.insert(0, "")  # As python -m does.
    function: Any = importlib.import_module(module)
    for part in path.split("."):
        function = getattr(function, part)
    if not callable(function):
        raise TypeError(f"--model names a function; {name!r} is a {type(function).__name__}")
    callback_fn: Callable[[], Any] = function
    return callback_fn


def _collect_landscape(options: argparse.Namespace) -> dict[str, Any] | None:
    collect_landscape: dict[str, Any] = {}
    if options.size is not None:
        collect_landscape["landscape_size"] = options.size
    if options.samples is not None:
        collect_landscape["num_samples"] = options.samples
    if options.only is not None:
        collect_landscape["create_landscape"] = {"train": options.only == "train", "result": options.only == "result"}
    if options.intervals is not None:
        try:
            collect_landscape["intervals"] = ast.literal_eval(options.intervals)
        except (ValueError, SyntaxError):
            raise ValueError(f"--intervals is a list of lists of integers, not {options.intervals!r}") from None
    return collect_landscape or None


class _ProgressLine:
    """The progress: one line of a terminal that is overwritten, elsewhere one line for each level."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()
        self._last_step: tuple[str, int] | None = None
        self._is_open = False

    def show(self, progress: Progress) -> None:
        """Show the progress."""
        step = progress.tag, progress.level
        if self._is_terminal:
            if self._last_step is not None and self._last_step[0] != progress.tag:
                self.end()
            self._stream.write(f"\r{_text(progress):{_COLUMNS}}"[: _COLUMNS + 1])
            self._is_open = True
        elif step != self._last_step:
            self._stream.write(f"{_text(progress)}\n")
        self._last_step = step
        self._stream.flush()

    def end(self) -> None:
        """End the line of the terminal."""
        if self._is_open:
            self._stream.write("\n")
        self._is_open = False


def _text(progress: Progress) -> str:
    side, last = 2**progress.level + 1, 2**progress.levels + 1
    text = f"{progress.tag}  {side} x {side} of {last} x {last}  {progress.done}/{progress.total} losses"
    if progress.holes:
        text += f", {progress.holes} could not be measured"
    return f"{text}, {_duration(progress.seconds_left)} left"


def _duration(seconds: float) -> str:
    minutes, whole = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {whole:02} s" if minutes else f"{whole} s"


if __name__ == "__main__":
    sys.exit(main())
