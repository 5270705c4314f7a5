"""Validation of the recorder's arguments."""

import math
import os
from pathlib import Path

import numpy as np
import pytest

from toposcope.recorder.arguments import (
    checked_bool,
    checked_directory,
    checked_export_options,
    checked_file_name_part,
    checked_file_size,
    checked_future_directory,
    checked_integer,
    checked_name,
    checked_seconds,
    checked_suffix,
)


def test_directory_is_created_with_its_parents(tmp_path: Path) -> None:
    """A missing directory is created; an existing one, and a path object, are accepted."""
    for log_dir in (tmp_path / "a" / "b", str(tmp_path / "a" / "b")):
        assert checked_directory("log_dir", log_dir) == str(tmp_path / "a" / "b")

    assert (tmp_path / "a" / "b").is_dir()


def test_relative_directory_becomes_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A later change of the working directory has no effect on the run."""
    monkeypatch.chdir(tmp_path)

    assert checked_directory("log_dir", "runs") == str(tmp_path / "runs")


@pytest.mark.parametrize("log_dir", [None, 1, b"runs", ["runs"]])
def test_directory_of_the_wrong_type(log_dir: object) -> None:
    """A directory must be a str or a path object."""
    with pytest.raises(TypeError, match="log_dir"):
        checked_directory("log_dir", log_dir)


@pytest.mark.parametrize("log_dir", ["", "  ", "\n"])
def test_blank_directory(log_dir: str) -> None:
    """A blank name is an error, not the working directory."""
    with pytest.raises(ValueError, match="blank"):
        checked_directory("log_dir", log_dir)


@pytest.mark.parametrize("below", ["", "run"])
def test_directory_that_is_a_file(tmp_path: Path, below: str) -> None:
    """A file is not a directory, and no directory can be created below it."""
    (tmp_path / "file").touch()

    with pytest.raises(NotADirectoryError):
        checked_directory("log_dir", tmp_path / "file" / below)


def test_future_directory_is_not_created(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The path is absolute, as the working directory may change before the directory is created."""
    monkeypatch.chdir(tmp_path)

    assert checked_future_directory("log_dir", "a/b") == str(tmp_path / "a" / "b")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("below", ["", "run", "runs/run"])
def test_future_directory_below_a_file(tmp_path: Path, below: str) -> None:
    """What cannot be created later raises an error now."""
    (tmp_path / "file").touch()

    with pytest.raises(NotADirectoryError, match="log_dir"):
        checked_future_directory("log_dir", tmp_path / "file" / below)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write everywhere")
def test_future_directory_below_one_that_is_not_writable(tmp_path: Path) -> None:
    """Missing permission raises an error now."""
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PermissionError, match="log_dir"):
            checked_future_directory("log_dir", tmp_path / "run")
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.parametrize("text", ["events", "_MS", "x", "a.b_C.9", "0"])
def test_file_name_parts(text: str) -> None:
    """A prefix or suffix may contain ASCII letters, digits, underscores and dots."""
    assert checked_file_name_part("file_prefix", text) == text


@pytest.mark.parametrize("text", ["", ".a", "a-b", "a b", "a/b", "é", "a\n", "../a"])
def test_file_name_parts_with_other_characters(text: str) -> None:
    """All other characters are rejected, including a trailing newline."""
    with pytest.raises(ValueError, match="file_prefix"):
        checked_file_name_part("file_prefix", text)


def test_file_name_part_of_the_wrong_type() -> None:
    """A prefix must be a str."""
    with pytest.raises(TypeError, match="file_prefix"):
        checked_file_name_part("file_prefix", 5)


def test_suffix_of_lineage_is_reserved() -> None:
    """Readers treat a file with this suffix as lineage and would not show its scalars."""
    with pytest.raises(ValueError, match="lineage"):
        checked_suffix("my_lineage")


@pytest.mark.parametrize("flag", [0, 1, None, "True", np.True_])
def test_flags_are_bools(flag: object) -> None:
    """Other truthy or falsy values are rejected."""
    with pytest.raises(TypeError, match="raise_exception"):
        checked_bool("raise_exception", flag)


@pytest.mark.parametrize("seconds", ["1", True, None])
def test_seconds_of_the_wrong_type(seconds: object) -> None:
    """A duration must be a number."""
    with pytest.raises(TypeError, match="flush_seconds"):
        checked_seconds("flush_seconds", seconds)


@pytest.mark.parametrize("seconds", [0, -1.0, math.inf, math.nan])
def test_seconds_out_of_range(seconds: float) -> None:
    """A duration must be positive and finite."""
    with pytest.raises(ValueError, match="flush_seconds"):
        checked_seconds("flush_seconds", seconds)


@pytest.mark.parametrize("size", [True, 1.0, "1"])
def test_file_size_is_an_int(size: object) -> None:
    """A size must be an int or None."""
    with pytest.raises(TypeError, match="max_file_size"):
        checked_file_size(size)


def test_file_size_is_positive() -> None:
    """None means no limit; zero is rejected."""
    assert (checked_file_size(None), checked_file_size(4 * 1024**3)) == (None, 4 * 1024**3)
    for size in (0, -1):
        with pytest.raises(ValueError, match=f"max_file_size .* {size}"):
            checked_file_size(size)


def test_export_options() -> None:
    """The only option is to export tensors in the npy format."""
    exported = [checked_export_options(options) for options in (None, {}, {"tensor_format": None})]

    assert exported == [False] * 3
    assert checked_export_options({"tensor_format": "npy"})


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ("npy", TypeError),
        ({1: "npy"}, TypeError),
        ({"tensor_format": 1}, TypeError),
        ({"tensor_format": "csv"}, ValueError),
        ({"format": "npy"}, ValueError),
    ],
)
def test_invalid_export_options(options: object, error: type[Exception]) -> None:
    """The message names the supported options."""
    with pytest.raises(error, match=r"export_options.*(npy|tensor_format|dict)"):
        checked_export_options(options)


@pytest.mark.parametrize("name", ["", None, 3, b"loss"])
def test_names_are_non_empty_strings(name: object) -> None:
    """The name of a value must be a non-empty str."""
    with pytest.raises(TypeError, match="name"):
        checked_name(name)


def test_name_of_a_subclass_of_str_becomes_a_str() -> None:
    """A subclass of str is converted to str."""
    name = checked_name(np.str_("loss"))

    assert (type(name), name) == (str, "loss")


@pytest.mark.parametrize("step", [0, -1, 2**63 - 1, -(2**63), np.int64(5), np.array(7), np.uint8(3)])
def test_steps_are_integers_of_any_type(step: object) -> None:
    """A step may be any object with a 64-bit integer value."""
    number = checked_integer("step", step)

    assert type(number) is int
    assert number == step


@pytest.mark.parametrize("step", [True, np.True_, 1.0, np.float32(1), "1", None])
def test_steps_of_the_wrong_type(step: object) -> None:
    """Bools and floats are rejected."""
    with pytest.raises(TypeError):
        checked_integer("step", step)


@pytest.mark.parametrize("step", [2**63, -(2**63) - 1, np.uint64(2**63)])
def test_steps_out_of_range(step: object) -> None:
    """The event file format stores steps as int64."""
    with pytest.raises(ValueError, match="step must be an integer from -9223372036854775808"):
        checked_integer("step", step)
