"""The step at which a training begins, and how the steps of an optimizer are known."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.line_network import Line, line_batches
from support.pytorch import torch
from support.traced_callbacks import Events, Traced

from toposcope.recorder.checkpoints import load_checkpoint, restore, save_checkpoint
from toposcope.recorder.framework import framework_of
from toposcope.recorder.training.model import Model
from toposcope.recorder.training.watch import watch

COUNTING = ["Adam", "AdamW", "NAdam", "RAdam", "Adagrad", "RMSprop", "ASGD", "Rprop"]
BATCHES = [(np.ones((4, 2), np.float32), np.ones((4, 1), np.float32))] * 10


def network() -> Any:
    """Return a small network."""
    return torch.nn.Linear(2, 1)


def sgd(parameters: Any) -> Any:
    """Return an optimizer whose state has no step."""
    return torch.optim.SGD(parameters, 0.01, momentum=0.9)


def make_steps(optimizer: Any, number: int) -> None:
    """Make steps without a watched run."""
    for _ in range(number):
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                parameter.grad = torch.ones_like(parameter)
        optimizer.step()


def steps_of(trace: Traced) -> list[int]:
    """Return cur_step_num at the end of each step."""
    return [entry[3] for entry in trace.trace if entry[0] == "on_train_step_end"]


def watched_steps(optimizer: Any, number: int, **options: Any) -> list[int]:
    """Return the steps of a watched run."""
    trace = Traced()
    with watch(trace, None, optimizer, BATCHES, **options) as run:
        for _ in range(number):
            for each in run.state.optimizers:
                make_steps(each, 1)
            run.step(1.0)
    return steps_of(trace)


@pytest.mark.parametrize("name", COUNTING)
def test_loaded_state_of_an_optimizer_contains_its_step(name: str) -> None:
    """Of every optimizer of PyTorch that counts its steps."""
    create = getattr(torch.optim, name)
    trained, fresh = create(network().parameters()), create(network().parameters())
    make_steps(trained, 40)
    assert framework_of(fresh).step_of(fresh) is None

    fresh.load_state_dict(trained.state_dict())

    assert framework_of(fresh).step_of(fresh) == 40
    assert watched_steps(fresh, 2) == [41, 42]


def test_step_is_the_largest_of_all_parameters() -> None:
    """A layer that was frozen at first has made fewer steps."""
    first, second = network(), network()
    optimizer = torch.optim.Adam(first.parameters())
    make_steps(optimizer, 30)
    optimizer.add_param_group({"params": list(second.parameters())})
    make_steps(optimizer, 10)

    assert framework_of(optimizer).step_of(optimizer) == 40


def test_step_of_several_optimizers_is_the_least() -> None:
    """The critic of a GAN makes several steps for each of the training; SGD does not count."""
    critic, generator = (torch.optim.Adam(network().parameters()) for _ in range(2))
    make_steps(critic, 200)
    make_steps(generator, 40)

    assert watched_steps([critic, generator, sgd(network().parameters())], 1) == [41]


@pytest.mark.parametrize("step", ["many", True, float("nan"), -1, None, [1, 2], object()])
def test_state_without_a_valid_step_is_no_error(step: Any) -> None:
    """Another library's optimizer may use the name for something else."""
    optimizer = sgd(network().parameters())
    optimizer.state["parameter"] = {"step": step}

    assert watched_steps(optimizer, 1) == [1]


def test_step_may_be_in_a_group() -> None:
    """Apex counts there."""
    optimizer = sgd(network().parameters())
    optimizer.param_groups[0]["step"] = 40

    assert watched_steps(optimizer, 1) == [41]


def test_optimizer_that_raises_begins_at_0(caplog: pytest.LogCaptureFixture) -> None:
    """One warning, and the training runs."""

    class Broken(defaultdict[Any, Any]):
        def values(self) -> Any:
            raise RuntimeError("no values")

    optimizer = sgd(network().parameters())
    optimizer.state = Broken(dict)

    assert watched_steps(optimizer, 1) == [1]
    assert "no values" in caplog.text


def test_given_step_precedes_all_others() -> None:
    """initial_step=0 begins again."""
    optimizer = torch.optim.Adam(network().parameters())
    make_steps(optimizer, 40)

    assert watched_steps(optimizer, 2, initial_step=0) == [1, 2]
    assert watched_steps(optimizer, 2, initial_step=7) == [8, 9]
    assert watched_steps(optimizer, 2, initial_epoch=2) == [45, 46]


def test_epochs_of_a_resumed_loop() -> None:
    """The epoch is that of the initial step, unless given, and begins with the first step of this process."""

    def epochs(**options: Any) -> list[tuple[str, int, int]]:
        events = Events()
        with watch(events, loader=range(10), **options) as run:
            for _ in range(10):
                run.step(1.0)
        return [event for event in events.trace if event[0].startswith("epoch_") or event[0] == "fit_start"]

    whole, cut = (4, 40), (4, 45)
    for (epoch, step), options in (
        (whole, {"initial_step": 40}),
        (whole, {"initial_epoch": 4}),
        (cut, {"initial_step": 45}),
        ((2, 40), {"initial_step": 40, "initial_epoch": 2}),
    ):
        assert epochs(**options) == [
            ("fit_start", epoch, step),
            ("epoch_start", epoch, step),
            ("epoch_end", epoch + 1, step + 10),
            ("epoch_checkpoint", epoch + 1, step + 10),
        ]


def test_params_at_the_beginning_of_a_resumed_training() -> None:
    """cur_step_num and initial_step are the steps made before; epoch_num is the number of remaining epochs."""
    trace = Traced("initial_step", "epoch_num")
    with watch(trace, loader=range(10), epochs=11, initial_step=40) as run:
        run.step(1.0)

    assert trace.params["on_train_begin"] == [[40, 7]]
    assert trace.trace[1][:4] == ["on_train_begin", "train", None, 40]
    assert trace.trace[2][:4] == ["on_train_epoch_begin", "train", 5, 40]


def test_second_training_in_a_process_goes_on(tmp_path: Path) -> None:
    """With an optimizer that does not count, and with a network without one."""
    optimizer = sgd(network().parameters())
    assert watched_steps(optimizer, 3) == [1, 2, 3]
    assert watched_steps(optimizer, 3) == [4, 5, 6]
    assert watched_steps(sgd(network().parameters()), 3) == [1, 2, 3]

    line, traces = Line(), (Traced(), Traced())
    Model(line).train(2, line_batches(10), callbacks=traces[0])
    Model(line).train(3, line_batches(10), callbacks=traces[1], initial_epoch=2)
    assert [steps_of(trace) for trace in traces] == [[*range(1, 21)], [*range(21, 31)]]


def test_model_counts_from_its_initial_epoch_or_step() -> None:
    """initial_step changes only the numbers of the steps; in sink mode an epoch has sink_size steps."""
    cases: list[tuple[dict[str, Any], list[int]]] = [
        ({"initial_epoch": 2}, [*range(21, 31)]),
        ({"initial_epoch": 2, "initial_step": 5}, [*range(6, 16)]),
        ({"initial_epoch": 2, "dataset_sink_mode": True, "sink_size": 4}, [12]),
    ]
    for options, expected in cases:
        trace = Traced()
        Model(Line()).train(3, line_batches(10), callbacks=trace, **options)
        assert steps_of(trace) == expected
        assert [entry[2] for entry in trace.trace if entry[0] == "on_train_epoch_end"] == [3]


@pytest.mark.parametrize("suffix", ["ckpt", "safetensors"])
def test_restored_checkpoint_goes_on(tmp_path: Path, suffix: str) -> None:
    """save_checkpoint() saves the step of the training; restore() lets the next one begin there."""
    path, saved, optimizer = tmp_path / f"saved.{suffix}", network(), sgd(network().parameters())
    with watch((), saved, optimizer) as run:
        for step in range(1, 4):
            make_steps(optimizer, 1)
            run.step(1.0)
            if step == 2:
                save_checkpoint(saved, path, optimizer=optimizer)
    checkpoint = load_checkpoint(path)
    assert checkpoint.step == 2

    restored, other = network(), sgd(network().parameters())
    restore(checkpoint, restored, other)

    assert watched_steps(other, 2) == [3, 4]
    restore(checkpoint, restored, optimizer)
    assert watched_steps(optimizer, 2) == [3, 4]
    assert watched_steps(optimizer, 2, initial_epoch=3) == [31, 32]


def test_checkpoint_of_a_network_without_optimizer_goes_on(tmp_path: Path) -> None:
    """Networks with a training step of their own are counted themselves."""
    line, path, trace = Line(), tmp_path / "line.ckpt", Traced()
    Model(line).train(1, line_batches(10))
    save_checkpoint(line, path)

    restored = Line()
    restore(load_checkpoint(path), restored)
    Model(restored).train(1, line_batches(10), callbacks=trace)

    assert np.array_equal(steps_of(trace), range(11, 21))


def test_network_restored_for_a_new_optimizer_begins_at_1(tmp_path: Path) -> None:
    """Fine-tuning is a training of its own."""
    path, saved, optimizer = tmp_path / "saved.ckpt", network(), torch.optim.Adam(network().parameters())
    with watch((), saved, optimizer) as run:
        make_steps(optimizer, 1)
        run.step(1.0)
    save_checkpoint(saved, path, optimizer=optimizer)

    restore(load_checkpoint(path), saved)

    assert watched_steps(sgd(saved.parameters()), 2) == [1, 2]


@pytest.mark.parametrize("name", ["initial_step", "initial_epoch"])
@pytest.mark.parametrize(("value", "error"), [(-1, ValueError), (1.5, TypeError), (True, TypeError)])
def test_invalid_initial_step_or_epoch(name: str, value: Any, error: type[Exception]) -> None:
    """The message names the argument."""
    with pytest.raises(error, match=name):
        watch((), **{name: value})
