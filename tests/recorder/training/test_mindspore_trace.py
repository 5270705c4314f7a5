"""The hooks, counters and cb_params keys of a Model equal a trace recorded from MindSpore 2.10."""

import json
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest
from support.line_network import Line, line_batches
from support.pytorch import torch

from toposcope.recorder.training.events.callback import Callback
from toposcope.recorder.training.events.run_context import RunContext
from toposcope.recorder.training.model import Model

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "traces" / "mindspore.json").read_text())
HOOKS = [name for name in dir(Callback) if name.startswith("on_")]


class Traced(Callback):
    """Records each hook with the counters and keys of the golden trace."""

    def __init__(self) -> None:
        self.trace: list[Any] = []

    def __enter__(self) -> "Traced":
        self.trace.append(["__enter__"])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.trace.append(["__exit__", str(kind.__name__ if kind else None)])


def traced(hook: str) -> Any:
    def method(self: Traced, run_context: RunContext) -> None:
        params = run_context.original_args()
        counters = [params.mode, params.get("cur_epoch_num"), params.cur_step_num, params.batch_num]
        self.trace.append([hook, *counters, sorted(params)])

    return method


for hook in HOOKS:
    setattr(Traced, hook, traced(hook))


def line_model() -> Model:
    return Model(Line(), metrics={"mse"})


def torch_model() -> Model:
    network = torch.nn.Linear(4, 4)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
    return Model(network, torch.nn.MSELoss(), optimizer, metrics={"mse"})


def torch_batches(number: int) -> list[Any]:
    return [(torch.zeros(2, 4), torch.ones(2, 4)) for _ in range(number)]


@pytest.mark.parametrize(("model", "batches"), [(line_model, line_batches), (torch_model, torch_batches)])
class TestHooksAreThoseOfMindSpore:
    """For each kind of run."""

    def test_in_train(self, model: Any, batches: Any) -> None:
        callback = Traced()
        model().train(2, batches(2), callbacks=callback)
        assert callback.trace == GOLDEN["train"]

    def test_in_fit(self, model: Any, batches: Any) -> None:
        callback = Traced()
        model().fit(2, batches(2), batches(1), callbacks=[callback])
        assert callback.trace == GOLDEN["fit"]

    def test_in_eval(self, model: Any, batches: Any) -> None:
        callback = Traced()
        model().eval(batches(2), callbacks=callback)
        assert callback.trace == GOLDEN["eval"]
