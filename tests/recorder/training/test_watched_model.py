"""watch() with a PyTorch model: its calls are observed, and it is otherwise unchanged."""

import copy
import gc
import io
import pickle
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from support.traced_callbacks import Events, Traced

from toposcope.recorder.callbacks import SummaryCollector
from toposcope.recorder.training.events.event_callback import EventCallback
from toposcope.recorder.training.own_loops.watched_run import WatchedRun
from toposcope.recorder.training.watch import watch


@pytest.fixture
def model() -> torch.nn.Module:
    return torch.nn.Linear(3, 2)


def train_step(run: WatchedRun, model: torch.nn.Module, inputs: torch.Tensor) -> bool:
    loss = model(inputs).square().mean()
    loss.backward()
    return run.step(loss)


def batches(number: int) -> list[torch.Tensor]:
    return [torch.full((4, 3), float(index)) for index in range(number)]


def test_step_begins_when_the_model_is_called(model: torch.nn.Module) -> None:
    """Callbacks are called before the forward pass, with its inputs."""
    callback = Traced("train_dataset_element", "net_outputs")
    with watch(callback, model, loader=batches(2)) as run:
        for inputs in run.state.train_dataloader:
            count = len(callback.trace)
            outputs = model(inputs)
            assert [entry[0] for entry in callback.trace[count:]][-1] == "on_train_step_begin"
            run.step(outputs.mean())

    elements = [params[0] for params in callback.params["on_train_step_begin"]]
    assert [element[0][0, 0].item() for element in elements] == [0.0, 1.0]
    assert int(run.state.timestamp.sample) == 8


def test_evaluation_of_the_model_is_not_a_step(model: torch.nn.Module) -> None:
    """Calls in evaluation mode or without gradients are evaluations."""
    events = Events()
    with watch(events, model, loader=batches(1)) as run:
        train_step(run, model, batches(1)[0])
        with torch.no_grad():
            model(torch.zeros(7, 3))
        model.eval()(torch.zeros(7, 3))
        run.eval({"loss": 0.5})
        model.train()
        train_step(run, model, batches(1)[0])

    assert events.names.index("eval_start") < events.names.index("epoch_checkpoint")
    assert events.names.count("batch_start") == events.names.count("batch_end") == 2
    assert int(run.state.timestamp.sample) == 8


def test_several_forward_passes_before_step_are_one_step(model: torch.nn.Module) -> None:
    """Gradients are accumulated before step()."""
    events = Events()
    with watch(events, model) as run:
        for _ in range(3):
            model(torch.zeros(4, 3)).sum().backward()
        run.step(0.5)

    assert events.names.count("batch_start") == 1


def test_batch_passed_to_step_replaces_the_observed_inputs(model: torch.nn.Module) -> None:
    """Without either, the number of samples is the loader's batch size."""
    callback = Traced("train_dataset_element")
    samples: Any = torch.zeros(10, 3)
    loader: torch.utils.data.DataLoader[Any] = torch.utils.data.DataLoader(samples, batch_size=5)
    with watch(callback, model, loader=loader) as run:
        model(torch.zeros(4, 3))
        run.step(0.5, batch=(np.zeros((2, 3)), np.zeros(2)))
        run.step(0.5)

    assert len(callback.params["on_train_step_end"][0][0]) == 2
    assert callback.params["on_train_step_end"][1] == [None]
    assert int(run.state.timestamp.sample) == 2 + 5


def test_no_reference_to_the_batch_or_the_graph_is_kept(model: torch.nn.Module) -> None:
    """Their memory is released after step()."""
    with watch([Traced(), Events()], model) as run:
        inputs = torch.zeros(4, 3)
        loss = model(inputs).mean()
        run.step(loss, outputs=loss * 2)
        batch, graph = weakref.ref(inputs), weakref.ref(loss)
        del inputs, loss
        gc.collect()
        assert batch() is None
        assert graph() is None


def test_calls_of_callbacks_are_not_observed(model: torch.nn.Module) -> None:
    """Only those of the loop begin a step."""

    class Calls(EventCallback):
        def batch_end(self, state: Any, logger: Any) -> None:
            model(torch.zeros(9, 3))

    events = Events()
    with watch([Calls(), events], model) as run:
        for inputs in batches(3):
            train_step(run, model, inputs)

    assert events.names.count("batch_start") == 3
    assert int(run.state.timestamp.sample) == 12


def test_hooks_are_removed_from_the_model(model: torch.nn.Module) -> None:
    """At the end, also if the loop fails."""

    def train(is_failing: bool) -> None:
        with watch([], model) as run:
            train_step(run, model, batches(1)[0])
            assert len(model._forward_pre_hooks) == 1
            if is_failing:
                raise ZeroDivisionError

    train(is_failing=False)
    assert not model._forward_pre_hooks
    with pytest.raises(ZeroDivisionError):
        train(is_failing=True)
    assert not model._forward_pre_hooks
    assert not model._forward_hooks


def test_watched_model_is_copied_and_pickled(model: torch.nn.Module) -> None:
    """The copy is not watched, and can be loaded where toposcope is not installed."""
    events = Events()
    with watch(events, model):
        stream = io.BytesIO()
        torch.save(model, stream)
        stream.seek(0)
        copies = (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), torch.load(stream, weights_only=False))
        for each in copies:
            assert each(torch.zeros(4, 3)).shape == (4, 2)
        assert b"toposcope.recorder" not in pickle.dumps(model)

    assert "batch_start" not in events.names


@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
@pytest.mark.parametrize("convert", [torch.jit.script, lambda model: torch.jit.trace(model, torch.zeros(4, 3))])
def test_scripted_model_is_watched(tmp_path: Path, caplog: pytest.LogCaptureFixture, convert: Any) -> None:
    """Its calls cannot be observed, which neither ends the training nor is worth a warning."""
    model: Any = convert(torch.nn.Sequential(torch.nn.Linear(3, 2)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with SummaryCollector(tmp_path).watch(model, optimizer, batches(2)) as run:
        for inputs in batches(2):
            model(inputs).sum().backward()
            optimizer.step()
            run.step(1.0)
    assert int(run.state.timestamp.batch) == 2
    assert not caplog.records


@pytest.mark.parametrize("when", ["before", "during", "in place"])
def test_compiled_model_is_watched(when: str) -> None:
    """Watching the module or its compiled form, our hooks are not compiled, and each step is counted once."""

    class Own(torch.nn.Module):  # PyTorch's built-in modules are not compiled in place.
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(3, 2)

        def forward(self, inputs: torch.Tensor) -> torch.Tensor:
            return self.layer(inputs)

    events = Events()
    model: Any = Own()
    compiled = model
    if when == "before":
        compiled = torch.compile(model, backend="eager", fullgraph=True)
    if when == "in place":
        model.compile(backend="eager", fullgraph=True)
    with watch(events, model if when == "during" else compiled, loader=batches(2)) as run:
        if when == "during":
            compiled = torch.compile(model, backend="eager", fullgraph=True)
        for _ in range(2):
            for inputs in run.state.train_dataloader:
                train_step(run, compiled, inputs)
            run.eval({"accuracy": 0.5})

    assert events.names.count("batch_start") == events.names.count("batch_end") == 4
    torch._dynamo.reset()
