"""The distributions in dist, installed in fresh environments, serve and record: make release."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"
MINDSPORE = "mindspore/digits_momentum"
RECORDER = ["numpy", "protobuf", "google-crc32c", "pillow"]
PYTHONS = [sys.executable, *filter(None, map(shutil.which, ("python3.12", "python3.13", "python3.14")))]
PIP = ["-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
Get = Callable[..., Any]


@pytest.fixture(scope="module")
def wheel() -> Path:
    """Return the path of the wheel."""
    (path,) = (ROOT / "dist").glob("*.whl")
    return path


def make_environment(folder: Path, python: str, *requirements: str) -> Path:
    """Create a virtual environment with some packages; return its folder of scripts."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin" / "python", *PIP, *requirements], check=True)
    return folder / "bin"


@contextmanager
def serving(scripts: Path, logdir: Path, folder: Path) -> Iterator[Get]:
    """Run summary-server; yield a function that requests a path with a query and returns the reply's bytes."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"XDG_CACHE_HOME": f"{folder}/cache", "XDG_DATA_HOME": f"{folder}/data"}
    command: list[str | Path] = [scripts / "summary-server", "--logdir", logdir, "--port", "0"]
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = re.search(r"http://\S+/", server.stdout.readline())
            assert address

            def get(path: str, **query: object) -> bytes:
                with urlopen(f"{address[0]}{path}?{urlencode(query, doseq=True)}", timeout=30) as reply:
                    content: bytes = reply.read()
                return content

            while json.loads(get("api/health"))["loading"]:
                assert server.poll() is None
            yield get
        finally:
            server.terminate()


def test_wheel_is_for_every_python_and_its_source_is_next_to_it(wheel: Path) -> None:
    """On Linux for every glibc from 2.17 on."""
    platform = r"manylinux2014_(\w+)\.manylinux_2_17_\1" if sys.platform == "linux" else r"macosx_\w+"
    assert re.fullmatch(rf"toposcope-[^-]+-cp311-abi3-{platform}\.whl", wheel.name)
    assert [path.name for path in (ROOT / "dist").glob("*.tar.gz")] == ["-".join(wheel.name.split("-")[:2]) + ".tar.gz"]


@pytest.mark.parametrize("python", PYTHONS, ids=lambda path: Path(path).name)
def test_installed_wheel_serves_golden_files(python: str, wheel: Path, tmp_path: Path) -> None:
    """Without any extra: scalars equal what their writer recorded, the page loads, and an error names the extra."""
    scripts = make_environment(tmp_path / "environment", python, str(wheel))
    compiled = "from toposcope.server.reading.scan import compiled, scan; assert scan is compiled.scan"
    subprocess.run([scripts / "python", "-P", "-c", compiled], check=True, cwd=tmp_path, env={})

    with serving(scripts, GOLDEN, tmp_path) as get:
        for tag, points in json.loads((GOLDEN / MINDSPORE / "expected.json").read_text())["scalar"].items():
            reply = get("api/scalars", run=MINDSPORE, tag=tag, points=0, attempt="all")
            (series,) = json.loads(reply)["series"]
            assert [list(pair) for pair in zip(series["step"], series["value"], strict=True)] == points
        index = get("").decode()
        files = re.findall(r'"\./([^"]+)"', index)
        assert files
        assert all(get(name) for name in files)
        with pytest.raises(HTTPError) as refused:
            get("api/landscapes.html", run=MINDSPORE, tag="landscape_[1, 4]")
        assert refused.value.code == 501
        assert "pip install 'toposcope[figures]'" in json.load(refused.value)["detail"]


def test_four_packages_are_enough_to_record(wheel: Path, tmp_path: Path) -> None:
    """With NumPy, protobuf, google-crc32c and Pillow and no other package it records a training."""
    scripts = make_environment(tmp_path / "environment", sys.executable, "--no-deps", str(wheel), *RECORDER)
    script = ROOT / "tests" / "release" / "record_run.py"
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "tests")}
    subprocess.run([scripts / "python", script, tmp_path / "runs"], check=True, cwd=tmp_path, env=environment)

    assert list((tmp_path / "runs").glob("*/*_MS"))


def test_wheel_built_from_the_source_distribution_serves(wheel: Path, tmp_path: Path) -> None:
    """In an isolated build, with the compiler of this machine."""
    (sdist,) = (ROOT / "dist").glob("*.tar.gz")
    scripts = make_environment(tmp_path / "environment", sys.executable, str(sdist))

    with serving(scripts, GOLDEN, tmp_path) as get:
        assert MINDSPORE in {run["run"] for run in json.loads(get("api/runs"))["runs"]}
