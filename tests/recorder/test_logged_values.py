"""log(): values of every kind under nested names, of a recorder and of a watched run."""

import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.pytorch import torch

from toposcope import server
from toposcope.recorder import Histogram, Image, Node, SummaryRecord, Tensor, Text, graph
from toposcope.recorder.callbacks.summary_collector import SummaryCollector
from toposcope.recorder.loggers import InMemoryLogger, SummaryLogger
from toposcope.recorder.record.logged_values import logged_values
from toposcope.recorder.training.watch import watch
from toposcope.recorder.values.arrays.deferred_scalar import DeferredScalar

NOTHING_ELSE: dict[str, Any] = {"collect_specified_data": {}, "keep_default_action": False}


class Unreadable:
    """Fails when it is read."""

    shape = ()

    def item(self) -> float:
        raise RuntimeError("lost the device")


def run_in(directory: Path) -> Any:
    (run,) = server.open(directory).runs.values()
    return run


def points(directory: Path, tag: str) -> list[tuple[int, float]]:
    """Return the steps and values of a scalar, [] if it was not recorded."""
    run = run_in(directory)
    if tag not in run.tags("scalar"):
        return []
    series = run.scalars(tag)
    return [(int(step), float(value)) for step, value in zip(series.step, series.value, strict=True)]


def test_values_of_every_kind_are_recorded_at_the_step(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path) as recorder:
        assert recorder.log(
            {
                "loss": 0.5,
                "count": np.int64(3),
                "layers": {"fc1": {"norm": torch.tensor([2.0])}, "weights": Histogram(torch.randn(30))},
                "input": Image(np.zeros((4, 5, 3), np.uint8), "HWC"),
                "note": Text("**good**"),
                "logits": Tensor([[1.0, 2.0]]),
                "net": graph([Node("relu", "ReLU")]),
            },
            7,
        )

    run = run_in(tmp_path)
    assert points(tmp_path, "loss") == [(7, 0.5)]
    assert points(tmp_path, "count") == [(7, 3.0)]
    assert points(tmp_path, "layers/fc1/norm") == [(7, 2.0)]
    kinds = {plugin: list(run.tags(plugin)) for plugin in ("histogram", "image", "text", "tensor", "graph")}
    assert kinds == {
        "histogram": ["layers/weights"],
        "image": ["input"],
        "text": ["note"],
        "tensor": ["logits"],
        "graph": [""],
    }


@pytest.mark.parametrize(
    ("value", "error", "advice"),
    [
        (np.zeros(3), ValueError, r"Image\(...\), Histogram\(...\) or Tensor\(...\)"),
        (np.zeros((2, 2)), ValueError, "Histogram"),
        ([1.0, 2.0], TypeError, "Histogram"),
        ("good", TypeError, r"Text\(...\)"),
        (None, TypeError, "NoneType"),
        (object(), TypeError, "object"),
        (1j, TypeError, "complex"),
        (10**400, ValueError, "range of a double"),
        (Image(np.zeros((2, 3, 5, 7, 9))), ValueError, "layouts"),
        (Text(3), TypeError, "str"),  # type: ignore[arg-type]
        (Histogram("x"), TypeError, "array"),
    ],
)
def test_a_value_that_cannot_be_recorded_is_named_and_nothing_of_the_call_is_recorded(
    tmp_path: Path, value: Any, error: type[Exception], advice: str
) -> None:
    with SummaryRecord(tmp_path) as recorder:
        recorder.log({"before": 1.0}, 1)
        recorder.add_value("scalar", "pending", 4.0)
        with pytest.raises(error, match=f"'group/odd'.*{advice}"):
            recorder.log({"first": 1.0, "group": {"odd": value}}, 2)
        recorder.record(3)

    assert set(run_in(tmp_path).tags("scalar")) == {"before", "pending"}


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ([("a", 1.0)], TypeError),
        (None, TypeError),
        ({1: 1.0}, TypeError),
        ({"": 1.0}, TypeError),
        ({"a": {None: 1.0}}, TypeError),
        ({"a/b": 1.0, "a": {"b": 2.0}}, ValueError),
    ],
)
def test_names_and_mappings_are_checked(values: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        logged_values(values)


@pytest.mark.parametrize("step", [1.0, True, "1", None, 2**63])
def test_the_step_of_a_recorder_is_required(tmp_path: Path, step: Any) -> None:
    with SummaryRecord(tmp_path) as recorder, pytest.raises((TypeError, ValueError), match="step"):
        recorder.log({"loss": 1.0}, step)


def test_a_value_whose_own_methods_fail_is_skipped_with_a_log_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with SummaryRecord(tmp_path) as recorder:
        assert not recorder.log({"good": 1.0, "bad": Unreadable()}, 1)
        assert not recorder.log({"bad": Unreadable()}, 2)

    assert points(tmp_path, "good") == [(1, 1.0)]
    assert len([record for record in caplog.records if "lost the device" in record.getMessage()]) == 1


def test_with_raise_exception_the_error_of_such_a_value_is_raised(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path, raise_exception=True) as recorder, pytest.raises(RuntimeError, match="lost"):
        recorder.log({"bad": Unreadable()}, 1)


def test_values_are_copied(tmp_path: Path) -> None:
    weights = np.zeros(4)
    with SummaryRecord(tmp_path) as recorder:
        recorder.log({"weights": Tensor(weights)}, 1)
        weights += 1

    assert run_in(tmp_path).tensors("weights")[0].values.tolist() == [0, 0, 0, 0]


def test_values_added_before_wait_for_record(tmp_path: Path) -> None:
    with SummaryRecord(tmp_path) as recorder:
        recorder.add_value("scalar", "added", 1.0)
        recorder.log({"logged": 2.0}, 5)
        recorder.record(6)

    assert (points(tmp_path, "added"), points(tmp_path, "logged")) == ([(6, 1.0)], [(5, 2.0)])


def test_a_closed_recorder_returns_false(tmp_path: Path) -> None:
    recorder = SummaryRecord(tmp_path)
    recorder.close()

    assert not recorder.log({"loss": 1.0}, 1)


_NESTED: st.SearchStrategy[Any] = st.recursive(
    st.floats(allow_nan=False),
    lambda inner: st.dictionaries(st.text("abc", min_size=1), inner, max_size=3),
    max_leaves=8,
)


def leaves(values: Any, path: tuple[str, ...] = ()) -> dict[str, float]:
    """Return the leaves of nested dicts by their joined keys, the slow obvious way."""
    if not isinstance(values, dict):
        return {"/".join(path): values}
    found: dict[str, float] = {}
    for name, value in values.items():
        found |= leaves(value, (*path, name))
    return found


@given(st.dictionaries(st.text("abc", min_size=1), _NESTED, max_size=4))
def test_names_are_joined_by_slashes(values: dict[str, Any]) -> None:
    assert logged_values(values).scalars == leaves(values)


def test_values_logged_in_a_loop_belong_to_the_step_that_ends_next(tmp_path: Path) -> None:
    with SummaryCollector(tmp_path, **NOTHING_ELSE).watch() as run:
        for number in range(1, 6):
            run.log({"number": number, "group": {"squared": number**2}})
            run.step(1.0)
            if number == 3:
                run.log({"accuracy": 0.5})
                run.eval({"loss": 2.0})
        run.log({"last": 1})

    assert points(tmp_path, "number") == [(step, step) for step in range(1, 6)]
    assert points(tmp_path, "group/squared") == [(step, step**2) for step in range(1, 6)]
    assert points(tmp_path, "accuracy") == [(3, 0.5)]
    assert points(tmp_path, "last") == [(5, 1.0)]


def test_values_with_a_step_are_recorded_there_at_once(tmp_path: Path) -> None:
    with SummaryCollector(tmp_path, **NOTHING_ELSE).watch() as run:
        run.log({"a": 1.0})
        run.log({"b": 2.0}, step=40)
        run.step(1.0)

    assert (points(tmp_path, "a"), points(tmp_path, "b")) == ([(1, 1.0)], [(40, 2.0)])


def test_of_values_with_one_tag_the_newest_is_recorded(tmp_path: Path) -> None:
    with SummaryCollector(tmp_path, **NOTHING_ELSE).watch() as run:
        run.log({"a": 1.0, "b": 1.0})
        run.log({"a": 2.0})
        run.step(1.0)

    assert (points(tmp_path, "a"), points(tmp_path, "b")) == ([(1, 2.0)], [(1, 1.0)])


def test_an_exception_loses_no_value(tmp_path: Path) -> None:
    """The network was called, so the values belong to the step that raised."""
    network = torch.nn.Linear(2, 1)

    def diverges() -> None:
        with SummaryCollector(tmp_path, **NOTHING_ELSE).watch(network) as run:
            run.log({"norm": 1.0})
            run.step(network(torch.ones(1, 2)).sum())
            network(torch.ones(1, 2))
            run.log({"norm": float("inf")})
            raise FloatingPointError

    with pytest.raises(FloatingPointError):
        diverges()
    assert points(tmp_path, "norm") == [(1, 1.0), (2, float("inf"))]


def test_a_refused_value_leaves_the_run_usable(tmp_path: Path) -> None:
    with SummaryCollector(tmp_path, **NOTHING_ELSE).watch() as run:
        run.log({"a": 1.0})
        with pytest.raises(TypeError, match="'b/c'"):
            run.log({"a": 2.0, "b": {"c": "text"}})
        run.step(1.0)

    assert points(tmp_path, "a") == [(1, 1.0)]


def test_outside_of_a_run_log_raises(tmp_path: Path) -> None:
    run = watch([])
    with pytest.raises(RuntimeError, match="with"):
        run.log({"a": 1.0})


class OnDevice(DeferredScalar):
    """Counts how often it is read, in which thread."""

    readers: ClassVar[list[int]] = []

    def read(self) -> float:
        self.readers.append(threading.get_ident())
        return super().read()


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let tensors of PyTorch count as tensors on a device; return the threads that read one."""
    OnDevice.readers.clear()
    monkeypatch.setattr("toposcope.recorder.record.logged_values.deferred_scalar", OnDevice)
    return OnDevice.readers


def test_a_tensor_on_a_device_is_read_by_the_writer(tmp_path: Path, device: list[int]) -> None:
    norm = torch.ones(1)
    with SummaryCollector(tmp_path, **NOTHING_ELSE).watch() as run:
        run.log({"norm": norm, "replaced": norm})
        run.log({"replaced": 5.0})
        run.step(1.0)
        norm += 1
        run.log({"norm": norm, "first": 1.0})
        run.log({"first": norm})
        run.step(1.0)

    assert points(tmp_path, "norm") == [(1, 1.0), (2, 2.0)]
    assert points(tmp_path, "replaced") == [(1, 5.0)]
    assert points(tmp_path, "first") == [(2, 2.0)]
    assert threading.get_ident() not in device


def test_other_loggers_receive_numbers_from_a_device(tmp_path: Path, device: list[int]) -> None:
    memory = InMemoryLogger()
    with watch([], loggers=memory) as run:
        run.log({"norm": torch.ones(1)})
        run.step(1.0)

    assert [float(point[1]) for point in memory.data["norm"]] == [1.0]


def test_loggers_receive_values_by_their_own_means(tmp_path: Path) -> None:
    memory = InMemoryLogger()
    with watch([], loggers=[memory, SummaryLogger(tmp_path)]) as run:
        run.log({"norm": 0.5, "input": Image(np.ones((3, 4, 5), np.float32)), "note": Text("t")})
        run.step(1.0)

    assert [float(point[1]) for point in memory.data["norm"]] == [0.5]
    assert points(tmp_path, "norm") == [(1, 0.5)]
    assert list(run_in(tmp_path).tags("text")) == ["note"]


def test_a_run_that_records_nothing_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING), watch([]) as run:
        for _ in range(3):
            run.log({"a": 1.0})
            run.step(1.0)

    assert len([record for record in caplog.records if "are not recorded" in record.getMessage()]) == 1


def test_any_thread_may_log(tmp_path: Path) -> None:
    def in_threads(*tasks: Callable[[], None]) -> None:
        threads = [threading.Thread(target=task) for task in tasks]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    with SummaryCollector(tmp_path, **NOTHING_ELSE).watch() as run:
        in_threads(*(lambda number=number: run.log({f"thread{number}": number}) for number in range(8)))
        run.step(1.0)

    assert [points(tmp_path, f"thread{number}") for number in range(8)] == [[(1, number)] for number in range(8)]
