"""Summary operators in forward passes of real networks."""

import contextvars
import logging
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.operator_network import SAMPLES, Net
from support.pytorch import torch
from support.written_events import ReadEvents

from toposcope.recorder import SummaryRecord, summary
from toposcope.recorder.summary import OperatorValues, collecting, paused


@contextmanager
def in_thread() -> Iterator[ThreadPoolExecutor]:
    """Yield an executor with one thread, whose context is empty."""
    with ThreadPoolExecutor(1) as thread:
        yield thread


def tags(values: OperatorValues) -> list[str]:
    """Take the values and return their tags."""
    return [value.tag for value in values.take()]


def test_values_of_a_forward_pass_are_kept_in_order() -> None:
    with collecting(OperatorValues()) as values:
        Net()(SAMPLES)

        kept = values.take()
        assert [value[:2] for value in kept] == [
            ("scalar", "mean"),
            ("tensor", "weight"),
            ("histogram", "hidden"),
            ("image", "samples"),
        ]
        assert values.take() == []


def test_operators_return_none() -> None:
    with collecting(OperatorValues()):
        for operator in (summary.scalar, summary.tensor, summary.image, summary.histogram):
            returned: object = operator("a", SAMPLES)
            assert returned is None


def test_newest_value_of_a_plugin_and_tag_is_kept() -> None:
    with collecting(OperatorValues()) as values:
        for number in (1.0, 2.0):
            summary.scalar("a", number)
        summary.tensor("a", SAMPLES)

        (_, _, newest), (plugin, _, _) = values.take()
        assert newest == 2.0
        assert plugin == "tensor"


def test_values_are_detached_copies() -> None:
    """An in-place activation and a step of the optimizer do not change kept values."""
    network = Net()
    weight = network.layer.weight.detach().clone()
    hidden = network.layer(SAMPLES).detach()
    with collecting(OperatorValues()) as values:
        network(SAMPLES).sum().backward()
        torch.optim.SGD(network.parameters(), lr=1.0).step()
        kept: dict[str, Any] = {value.tag: value.value for value in values.take()}

    assert torch.equal(kept["weight"], weight)
    assert torch.equal(kept["hidden"], hidden)
    assert not any(tensor.requires_grad for tensor in kept.values())


def test_operators_do_not_change_the_gradient() -> None:
    network = Net()
    network(SAMPLES).sum().backward()
    assert network.layer.weight.grad is not None
    expected = network.layer.weight.grad.clone()
    network.zero_grad()
    with collecting(OperatorValues()):
        network(SAMPLES).sum().backward()

    assert torch.equal(network.layer.weight.grad, expected)


def test_arrays_and_lists_are_copied() -> None:
    array, inner = np.zeros(2), [2.0]
    with collecting(OperatorValues()) as values:
        summary.tensor("array", array)
        summary.tensor("numbers", [1.0, inner])
        summary.scalar("number", 3)
        array += 1
        inner[0] = 9.0
        kept: dict[str, Any] = {value.tag: value.value for value in values.take()}

    assert kept["array"].tolist() == [0, 0]
    assert kept["numbers"] == [1.0, [2.0]]
    assert kept["number"] == 3


def test_kept_values_are_recorded(tmp_path: Path, read_events: ReadEvents) -> None:
    network = Net()
    with SummaryRecord(tmp_path) as recorder, collecting(OperatorValues()) as values:
        network(SAMPLES)
        kept = values.take()
        for plugin, tag, value in kept:
            recorder.add_value(plugin, tag, value)
        recorder.record(1)

    _, event = read_events(recorder.log_dir)
    assert {value.tag: value.WhichOneof("value") for value in event.summary.value} == {
        "mean": "scalar_value",
        "weight": "tensor",
        "hidden": "histogram",
        "samples": "image",
    }
    weight = next(value.tensor for value in event.summary.value if value.tag == "weight")
    assert weight.float_data == network.layer.weight.flatten().tolist()


def test_nothing_is_kept_in_eval_mode_or_between_steps() -> None:
    with collecting(OperatorValues()) as values:
        values.mode = "eval"
        Net()(SAMPLES)
        values.mode = "train"
        values.is_active = False
        Net()(SAMPLES)
        values.is_active = True
        values.plugins = ("scalar",)
        Net()(SAMPLES)

        assert tags(values) == ["mean"]


def test_nothing_is_kept_while_paused() -> None:
    with collecting(OperatorValues()) as values:
        with paused():
            Net()(SAMPLES)
            with in_thread() as thread:
                thread.submit(Net(), SAMPLES).result()
        assert values.take() == []

        Net()(SAMPLES)
        assert len(values.take()) == 4


def test_without_a_collector_operators_do_nothing() -> None:
    values = OperatorValues()
    Net()(SAMPLES)
    with collecting(values):
        pass
    Net()(SAMPLES)

    assert values.take() == []


@pytest.mark.parametrize("operator", [summary.scalar, summary.tensor, summary.image, summary.histogram])
@pytest.mark.parametrize("name", ["", 1, None, b"a"])
def test_names_must_be_non_empty_strings(operator: Callable[[Any, object], None], name: object) -> None:
    """The name is checked even if no recorder collects values."""
    with pytest.raises(TypeError, match="name must be a non-empty str"):
        operator(name, 1.0)


def test_value_that_cannot_be_copied_is_logged_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Uncopyable:
        def clone(self) -> object:
            raise MemoryError("no memory on the device")

    with collecting(OperatorValues()) as values:
        for _ in range(2):
            summary.tensor("lost", Uncopyable())
        summary.scalar("a", 1.0)
        assert tags(values) == ["a"]

    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [
        (logging.WARNING, "summary.tensor('lost'): skipped, the value cannot be copied: no memory on the device")
    ]


def test_innermost_collector_receives_the_values() -> None:
    outer, inner = OperatorValues(), OperatorValues()
    with collecting(outer):
        summary.scalar("before", 1)
        with collecting(inner):
            summary.scalar("within", 2)
        summary.scalar("after", 3)

        assert tags(inner) == []  # Dropped by close().
        assert tags(outer) == ["before", "after"]


def test_inactive_inner_collector_passes_nothing_to_the_outer_one() -> None:
    outer, inner = OperatorValues(), OperatorValues()
    with collecting(outer), collecting(inner):
        inner.is_active = False
        summary.scalar("a", 1)

        assert tags(inner) + tags(outer) == []


def test_collectors_can_be_closed_in_any_order() -> None:
    first, second, third = OperatorValues(), OperatorValues(), OperatorValues()
    for values in (first, second, third):
        values.open()
    second.close()
    summary.scalar("third", 1)
    assert tags(third) == ["third"]
    third.close()
    summary.scalar("first", 1)
    assert tags(first) == ["first"]
    first.close()
    first.close()
    summary.scalar("none", 1)
    assert tags(first) + tags(second) + tags(third) == []


def test_collector_can_be_opened_again() -> None:
    values = OperatorValues()
    for _ in range(2):
        values.open()
        summary.scalar("a", 1)
        assert tags(values) == ["a"]
        values.close()


def test_open_collector_cannot_be_opened() -> None:
    with collecting(OperatorValues()) as values, pytest.raises(ValueError, match="collected already"):
        values.open()


def test_collector_can_be_closed_in_another_context() -> None:
    outer, inner = OperatorValues(), OperatorValues()
    with collecting(outer):
        inner.open()
        with in_thread() as thread:
            thread.submit(inner.close).result()
        summary.scalar("a", 1)

        assert tags(outer) == ["a"]


def test_trainings_in_two_threads_are_independent() -> None:
    """Both concurrently collect a thousand values of the same tag."""
    barrier = threading.Barrier(2)

    def train(number: int) -> set[object]:
        collected = set()
        with collecting(OperatorValues()) as values:
            barrier.wait(10)
            for _ in range(1000):
                summary.scalar("loss", number)
                collected |= {value.value for value in values.take()}
            barrier.wait(10)
        return collected

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(train, [1, 2], timeout=30)) == [{1}, {2}]


def test_thread_without_a_collector_uses_the_innermost_one() -> None:
    """Replicas of DataParallel and hooks of autograd, which run in separate threads, are recorded this way."""
    outer, inner = OperatorValues(), OperatorValues()
    with in_thread() as thread, collecting(outer):
        thread.submit(Net(), SAMPLES).result()
        assert len(tags(outer)) == 4
        with collecting(inner):
            thread.submit(Net(), SAMPLES).result()
            assert (len(tags(outer)), len(tags(inner))) == (0, 4)


def test_thread_without_a_collector_uses_none_of_two_independent_ones() -> None:
    first, second = OperatorValues(), OperatorValues()
    with in_thread() as thread, collecting(first):
        context = contextvars.Context()
        context.run(second.open)
        thread.submit(Net(), SAMPLES).result()
        assert tags(first) + tags(second) == []
        context.run(Net(), SAMPLES)
        assert (len(tags(first)), len(tags(second))) == (0, 4)
        context.run(second.close)


def test_call_without_a_collector_makes_at_most_five_calls() -> None:
    """So that it takes a third of a microsecond; a clock would depend on the machine."""
    called: list[str] = []
    sys.setprofile(lambda frame, event, _: called.append(frame.f_code.co_name) if event == "call" else None)
    try:
        summary.scalar("a", 1.0)
    finally:
        sys.setprofile(None)
    assert called[0] == "scalar"
    assert len(called) <= 5


def test_operators_do_not_import_a_framework() -> None:
    script = """
        import sys
        from toposcope.recorder import summary
        with summary.collecting(summary.OperatorValues()) as values:
            summary.scalar("a", 1.0)
            assert len(values.take()) == 1
        assert "torch" not in sys.modules and "mindspore" not in sys.modules
    """
    subprocess.run([sys.executable, "-W", "error", "-c", textwrap.dedent(script)], check=True, timeout=60)
