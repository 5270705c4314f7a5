"""Conversion of values of any framework to scalars."""

import datetime
import decimal
import fractions
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toposcope.recorder.values.arrays.foreign_values import UnreadableValueError
from toposcope.recorder.values.scalar import Scalar, scalar_from


class Tensor:
    """A tensor like PyTorch's: on a device, with a gradient, not convertible by NumPy."""

    def __init__(self, number: object, shape: tuple[int, ...] = (), attached: bool = True) -> None:
        self.number, self.shape, self.attached = number, shape, attached

    def detach(self) -> "Tensor":
        """Return the same tensor without its gradient."""
        return Tensor(self.number, self.shape, attached=False)

    def item(self) -> object:
        """Return the number as a Python object."""
        if self.attached:
            raise RuntimeError("cannot read a tensor that requires grad")
        if isinstance(self.number, Exception):
            raise self.number
        return self.number


class OnlyArray:
    """An object with only the method __array__()."""

    def __init__(self, content: object) -> None:
        self.content = content

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return np.asarray(self.content)


@given(st.floats(allow_nan=False))
def test_floats_are_unchanged(number: float) -> None:
    """A Python float is converted without loss."""
    assert scalar_from(number) == Scalar(number, is_exact=True)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (True, 1.0),
        (7, 7.0),
        (2**53, 2.0**53),
        (np.float64(0.1), 0.1),
        (np.float32(0.1), 0.10000000149011612),
        (np.float16(0.5), 0.5),
        (np.int64(-3), -3.0),
        (np.uint8(255), 255.0),
        (np.bool_(True), 1.0),
        (np.longdouble(0.5), 0.5),
        (np.array(2.5), 2.5),
        (np.array([[4]]), 4.0),
        (Tensor(0.25), 0.25),
        (Tensor(3, (1, 1)), 3.0),
        (OnlyArray(1.5), 1.5),
        (OnlyArray([6]), 6.0),
    ],
)
def test_numbers_arrays_and_tensors(value: object, number: float) -> None:
    """Numbers of Python and NumPy, arrays of one element and tensors of any framework are converted."""
    assert scalar_from(value) == Scalar(number, is_exact=True)


def test_nan_is_a_number() -> None:
    """NaN counts as exact."""
    scalar = scalar_from(np.float32("nan"))

    assert math.isnan(scalar.value)
    assert scalar.is_exact


@pytest.mark.parametrize("value", [2**53 + 1, np.int64(2**62 + 1), np.array([2**64 - 1], np.uint64), -(2**70) - 1])
def test_large_integers_are_rounded(value: object) -> None:
    """Integers that no double represents become the nearest double, with is_exact=False."""
    scalar = scalar_from(value)

    assert not scalar.is_exact
    assert scalar.value == float(np.asarray(value).item())


@pytest.mark.parametrize(
    "value",
    [
        None,
        "0.5",
        b"1",
        1j,
        [0.5],
        {"loss": 1},
        float,
        np.float64,
        datetime.datetime(2026, 1, 1),
        np.complex64(1),
        np.str_("1"),
        np.datetime64("2026-01-01", "ns"),
        np.timedelta64(5, "ns"),
        np.array([None]),
        np.array(["x"]),
        np.zeros(1, [("a", "f4")]),
        Tensor(1j),
        Tensor("text"),
    ],
)
def test_other_types_are_type_errors(value: object) -> None:
    """The message names the accepted types."""
    with pytest.raises(TypeError, match="real number"):
        scalar_from(value)


@pytest.mark.parametrize(
    ("value", "is_exact"),
    [(decimal.Decimal("0.5"), True), (decimal.Decimal("0.1"), False), (fractions.Fraction(1, 2), True)],
)
def test_decimals_and_fractions(value: Any, is_exact: bool) -> None:
    """Decimals and fractions are converted to the nearest double."""
    assert scalar_from(value) == (float(value), is_exact)


@pytest.mark.parametrize("value", [np.ma.masked, np.ma.masked_array([1.0], [True])])
def test_masked_numbers_are_nan(value: object) -> None:
    """A masked element has no value."""
    assert math.isnan(scalar_from(value).value)


@pytest.mark.parametrize("value", [np.zeros(2), np.zeros((3, 0)), Tensor(0.0, (2, 2)), OnlyArray([1, 2])])
def test_other_numbers_of_elements_are_value_errors(value: object) -> None:
    """An array or tensor must have exactly one element."""
    with pytest.raises(ValueError, match=r"has [024]\."):
        scalar_from(value)


def test_large_value_is_shortened_in_the_message() -> None:
    """The message contains the beginning and the end of a long value only."""
    with pytest.raises(TypeError) as raised:
        scalar_from("x" * 10_000)

    assert len(str(raised.value)) < 200


def test_integer_beyond_the_range_of_a_double_is_a_value_error() -> None:
    """10**400 is out of the range of a double."""
    with pytest.raises(ValueError, match="range of a double"):
        scalar_from(10**400)


def test_errors_of_a_tensor_are_unreadable_value_errors() -> None:
    """An error inside the framework is not an error of the caller."""
    with pytest.raises(UnreadableValueError, match="device is lost"):
        scalar_from(Tensor(RuntimeError("device is lost")))


@pytest.mark.parametrize("name", ["shape", "dtype", "item", "detach"])
def test_errors_of_properties_are_unreadable_value_errors(name: str) -> None:
    """An error of any attribute is not an error of the caller."""

    def fail(_: object) -> None:
        raise RuntimeError("no size")

    broken = type("Broken", (), {"__array__": lambda self: np.ones(1), name: property(fail)})()

    with pytest.raises(UnreadableValueError, match="RuntimeError: no size"):
        scalar_from(broken)
