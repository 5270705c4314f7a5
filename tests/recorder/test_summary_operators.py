"""Summary operators in forward passes of real networks."""

import contextvars
import logging
import subprocess
import sys
import textwrap
import threading
import timeit
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
import torch
from support.operator_network import SAMPLES, Net

from toposcope.recorder import SummaryRecord, summary
from toposcope.recorder.summary import OperatorValues, collecting, paused


@contextmanager
def in_thread() -> Iterator[ThreadPoolExecutor]:
    """Give one thread, whose context is empty."""
    with ThreadPoolExecutor(1) as thread:
        yield thread


def tags(values: OperatorValues) -> list[str]:
    """Return the tags of the values that are taken."""
    return [value.tag for value in values.take()]


def test_values_of_a_forward_pass_are_kept_in_the_order_of_the_calls() -> None:
    with collecting(OperatorValues()) as values:
        Net()(SAMPLES)

        taken = values.take()
        assert [value[:2] for value in taken] == [
            ("scalar", "mean"),
            ("tensor", "weight"),
            ("histogram", "hidden"),
            ("image", "samples"),
        ]
        assert values.take() == []


def test_operators_return_none() -> None:
    with collecting(OperatorValues()):
        for operator in (summary.scalar, summary.tensor, summary.image, summary.histogram):
            assert operator("a", SAMPLES) is None


def test_newest_value_of_a_plugin_and_tag_is_kept() -> None:
    with collecting(OperatorValues()) as values:
        for number in (1.0, 2.0):
            summary.scalar("a", number)
        summary.tensor("a", SAMPLES)

        (_, _, newest), (plugin, _, _) = values.take()
        assert newest == 2.0
        assert plugin == "tensor"


def test_values_are_detached_and_stay_as_they_were_at_the_call() -> None:
    """Neither the activation in place nor the optimizer's step changes what was kept."""
    network = Net()
    weight = network.layer.weight.detach().clone()
    hidden = network.layer(SAMPLES).detach()
    with collecting(OperatorValues()) as values:
        network(SAMPLES).sum().backward()
        torch.optim.SGD(network.parameters(), lr=1.0).step()
        kept = {value.tag: value.value for value in values.take()}

    assert torch.equal(kept["weight"], weight)
    assert torch.equal(kept["hidden"], hidden)
    assert not any(tensor.requires_grad for tensor in kept.values())


def test_operators_do_not_change_the_gradient() -> None:
    network = Net()
    network(SAMPLES).sum().backward()
    expected = network.layer.weight.grad.clone()
    network.zero_grad()
    with collecting(OperatorValues()):
        network(SAMPLES).sum().backward()

    assert torch.equal(network.layer.weight.grad, expected)


def test_arrays_numbers_and_lists_are_kept_as_they_were() -> None:
    array, numbers = np.zeros(2), [1.0, [2.0]]
    with collecting(OperatorValues()) as values:
        summary.tensor("array", array)
        summary.tensor("numbers", numbers)
        summary.scalar("number", 3)
        array += 1
        numbers[1][0] = 9.0
        kept = {value.tag: value.value for value in values.take()}

    assert kept["array"].tolist() == [0, 0]
    assert kept["numbers"] == [1.0, [2.0]]
    assert kept["number"] == 3


def test_values_are_recorded_as_they_were(tmp_path: Path, read_events: Callable) -> None:
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


def test_nothing_is_kept_in_eval_mode_and_between_steps() -> None:
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
def test_a_name_that_is_no_text_is_refused(operator: Callable, name: object) -> None:
    """Also where nobody collects."""
    with pytest.raises(TypeError, match="name must be a non-empty str"):
        operator(name, 1.0)


def test_a_value_that_cannot_be_kept_is_logged_once_and_the_forward_pass_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Lost:
        def clone(self) -> object:
            raise MemoryError("no memory on the device")

    with collecting(OperatorValues()) as values:
        for _ in range(2):
            summary.tensor("lost", Lost())
        summary.scalar("a", 1.0)
        assert tags(values) == ["a"]

    assert [(record.levelno, record.getMessage()) for record in caplog.records] == [
        (logging.WARNING, "summary.tensor('lost'): skipped, the value cannot be copied: no memory on the device")
    ]


def test_nested_collectors_are_told_apart() -> None:
    outer, inner = OperatorValues(), OperatorValues()
    with collecting(outer):
        summary.scalar("before", 1)
        with collecting(inner):
            summary.scalar("within", 2)
        summary.scalar("after", 3)

        assert tags(inner) == []  # Closed: they were dropped.
        assert tags(outer) == ["before", "after"]


def test_an_inner_collector_that_wants_nothing_leaves_nothing_to_the_outer_one() -> None:
    outer, inner = OperatorValues(), OperatorValues()
    with collecting(outer), collecting(inner):
        inner.is_active = False
        summary.scalar("a", 1)

        assert tags(inner) + tags(outer) == []


def test_collectors_close_in_any_order() -> None:
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


def test_a_collector_opens_again_after_it_was_closed() -> None:
    values = OperatorValues()
    for _ in range(2):
        values.open()
        summary.scalar("a", 1)
        assert tags(values) == ["a"]
        values.close()


def test_a_collector_opens_once() -> None:
    with collecting(OperatorValues()) as values, pytest.raises(ValueError, match="collected already"):
        values.open()


def test_a_collector_may_be_closed_in_another_context() -> None:
    outer, inner = OperatorValues(), OperatorValues()
    with collecting(outer):
        inner.open()
        with in_thread() as thread:
            thread.submit(inner.close).result()
        summary.scalar("a", 1)

        assert tags(outer) == ["a"]


def test_trainings_in_two_threads_are_told_apart() -> None:
    """Both collect at the same time, each a thousand values of the same tag."""
    meeting = threading.Barrier(2)

    def train(number: int) -> set[float]:
        seen = set()
        with collecting(OperatorValues()) as values:
            meeting.wait(10)
            for _ in range(1000):
                summary.scalar("loss", number)
                seen |= {value.value for value in values.take()}
            meeting.wait(10)
        return seen

    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(train, [1, 2], timeout=30)) == [{1}, {2}]


def test_a_thread_without_a_collector_gives_to_the_innermost_one() -> None:
    """So replicas of DataParallel and hooks of autograd are recorded, which run in threads of their own."""
    outer, inner = OperatorValues(), OperatorValues()
    with in_thread() as thread, collecting(outer):
        thread.submit(Net(), SAMPLES).result()
        assert len(tags(outer)) == 4
        with collecting(inner):
            thread.submit(Net(), SAMPLES).result()
            assert (len(tags(outer)), len(tags(inner))) == (0, 4)


def test_a_thread_without_a_collector_gives_to_none_of_two_side_by_side() -> None:
    mine, other = OperatorValues(), OperatorValues()
    with in_thread() as thread, collecting(mine):
        context = contextvars.Context()
        context.run(other.open)
        thread.submit(Net(), SAMPLES).result()
        assert tags(mine) + tags(other) == []
        context.run(Net(), SAMPLES)
        assert (len(tags(mine)), len(tags(other))) == (0, 4)
        context.run(other.close)


def test_a_call_costs_less_than_a_microsecond_where_nobody_collects() -> None:
    """It takes 0.3; the limit leaves room for a busy machine."""
    calls = 20_000
    seconds = min(timeit.repeat(lambda: summary.scalar("a", 1.0), number=calls, repeat=20)) / calls
    assert seconds < 1e-6


def test_operators_import_no_framework() -> None:
    script = """
        import sys
        from toposcope.recorder import summary
        with summary.collecting(summary.OperatorValues()) as values:
            summary.scalar("a", 1.0)
            assert len(values.take()) == 1
        assert "torch" not in sys.modules and "mindspore" not in sys.modules
    """
    subprocess.run([sys.executable, "-W", "error", "-c", textwrap.dedent(script)], check=True, timeout=60)
