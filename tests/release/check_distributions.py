"""The distributions in dist, installed in fresh environments of every Python found, serve and record: make release."""

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
EXTRAS = "checkpoints,examples,figures,gpu,importance,lake,landscape,page,store"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
PIP = ["-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
UV = Path(sys.executable).with_name("uv")
Get = Callable[..., Any]


def found_pythons() -> Iterator[str]:
    """Yield the interpreters in PATH and of pyenv, one a version; shims of pyenv that cannot be run are none."""
    for version in VERSIONS:
        of_pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
        candidates = [sys.executable, shutil.which(f"python{version}"), *map(str, reversed(of_pyenv))]
        yield from [path for path in candidates if path and version_of(path) == version][:1]


def version_of(python: str) -> str | None:
    """Return an interpreter's version, as "3.13"; None if it cannot be run."""
    program = "import sys; print('%d.%d' % sys.version_info[:2])"
    process = subprocess.run([python, "-c", program], capture_output=True, text=True, check=False)
    return process.stdout.strip() if process.returncode == 0 else None


PYTHONS = list(found_pythons())


@pytest.fixture(scope="module")
def wheel() -> Path:
    """Return the path of the wheel."""
    (path,) = (ROOT / "dist").glob("*.whl")
    return path


def make_environment(folder: Path, python: str, *requirements: str, **variables: str) -> Path:
    """Create a virtual environment with some packages; return its folder of scripts."""
    subprocess.run([python, "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin" / "python", *PIP, *requirements], check=True, env={**os.environ, **variables})
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


def test_a_second_build_writes_the_same_bytes() -> None:
    """The source distribution, and the wheel as it is before auditwheel names its platform."""
    first, second = (
        {path.name: path.read_bytes() for path in (ROOT / "build" / "release" / folder).iterdir()}
        for folder in ("dist", "again")
    )
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


@pytest.mark.parametrize("python", PYTHONS, ids=version_of)
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


@pytest.mark.parametrize("python", PYTHONS, ids=version_of)
def test_source_distribution_is_installed_without_npm_and_serves(python: str, tmp_path: Path) -> None:
    """In an isolated build, with the compiler of this machine; the page is in the distribution."""
    (sdist,) = (ROOT / "dist").glob("*.tar.gz")
    npm = tmp_path / "fails" / "npm"
    npm.parent.mkdir()
    npm.write_text("#!/bin/sh\nexit 1\n")
    npm.chmod(0o755)
    path = f"{npm.parent}{os.pathsep}{os.environ['PATH']}"
    scripts = make_environment(tmp_path / "environment", python, str(sdist), PATH=path)

    with serving(scripts, GOLDEN, tmp_path) as get:
        assert MINDSPORE in {run["run"] for run in json.loads(get("api/runs"))["runs"]}
        assert b"<script" in get("")


@pytest.mark.parametrize("resolution", ["lowest-direct", "highest"])
@pytest.mark.parametrize("python", PYTHONS, ids=version_of)
def test_every_extra_works_with_the_oldest_and_newest_dependencies(
    python: str, resolution: str, wheel: Path, tmp_path: Path
) -> None:
    """All extras resolve together, and what they are for works. Warnings of what is slow or wrong are errors."""
    environment = tmp_path / "environment"
    subprocess.run([UV, "venv", "--quiet", "--python", python, environment], check=True)
    # Builds of old releases for a new Python need compilers: the oldest are those with wheels.
    install: list[str | Path] = [
        UV,
        "pip",
        "install",
        "--quiet",
        "--only-binary",
        ":all:",
        "--python",
        environment / "bin" / "python",
    ]
    subprocess.run([*install, "--resolution", resolution, f"toposcope[{EXTRAS}] @ {wheel.as_uri()}"], check=True)
    subprocess.run([*install, "moto[server]>=5"], check=True)  # An object store.
    script = ROOT / "tests" / "release" / "use_everything.py"
    variables = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT / "tests"), "HOME": str(tmp_path)}
    command: list[str | Path] = [
        environment / "bin" / "python",
        "-W",
        "error::RuntimeWarning",
        script,
        tmp_path / "used",
    ]
    subprocess.run(command, check=True, cwd=tmp_path, env=variables)
