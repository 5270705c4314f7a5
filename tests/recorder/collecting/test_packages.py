"""The installed packages."""

import importlib.metadata
import os
from pathlib import Path

from toposcope.recorder.collecting.environment.packages import MAX_PACKAGES, installed_packages


def test_versions_are_those_that_importlib_reads() -> None:
    """Of all packages whose directory is named as PEP 376 and setuptools name it."""
    ours = {name.lower().replace("_", "-").replace(".", "-"): version for name, version in installed_packages().items()}
    theirs = {
        distribution.metadata["Name"].lower().replace("_", "-").replace(".", "-"): distribution.version
        for distribution in reversed(list(importlib.metadata.distributions()))
    }

    assert ours == theirs


def test_the_first_place_on_the_path_has_precedence(tmp_path: Path) -> None:
    """As for imports; what is not a package, or not a directory, is left out."""
    names = ("a/one_two-1.0.dist-info", "a/three-2.0-py3.11.egg-info", "b/one_two-9.dist-info", "b/x.egg-info", "b/y-z")
    for name in names:
        (tmp_path / name).mkdir(parents=True)
    path = [str(tmp_path / "a"), str(tmp_path / "b"), str(tmp_path / "missing"), "\0", __file__]

    assert installed_packages(path) == {"one-two": "1.0", "three": "2.0"}


def test_many_packages_are_cut(tmp_path: Path) -> None:
    """At a fixed number."""
    for number in range(MAX_PACKAGES + 10):
        os.mkdir(tmp_path / f"package{number:05}-1.dist-info")

    assert list(installed_packages([str(tmp_path)])) == [f"package{number:05}" for number in range(MAX_PACKAGES)]
