"""The distributions contain what they need and nothing else; `make release` installs them in fresh environments."""

import email
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from toposcope.server.compiler import can_compile

ROOT = Path(__file__).parent.parent
PACKAGES = ("proto", "recorder", "server")
BUILT = ROOT / "web" / "built"
BUILD_SDIST = "import sys; from setuptools.build_meta import build_sdist; print(build_sdist(sys.argv[1]))"


class Distributions(NamedTuple):
    """The file names of both distributions, and the open wheel."""

    sdist: set[str]
    """Without the folder that contains them all."""
    wheel_name: str
    wheel: zipfile.ZipFile

    @property
    def wheel_files(self) -> set[str]:
        """The packages' files in the wheel, without `toposcope/`."""
        names = self.wheel.namelist()
        return {name.removeprefix("toposcope/") for name in names if name.startswith("toposcope/")}

    @property
    def metadata(self) -> email.message.Message:
        """The wheel's core metadata."""
        (name,) = [name for name in self.wheel.namelist() if name.endswith(".dist-info/METADATA")]
        return email.message_from_bytes(self.wheel.read(name))


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Distributions]:
    """Build the source distribution from what git tracks, and the wheel from the source distribution alone."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    tracked = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True,
        check=True,
    ).stdout
    for name in filter(None, tracked.decode().split("\0")):
        if (ROOT / name).is_file():
            target = source / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((ROOT / name).read_bytes())
    subprocess.run([sys.executable, "-c", BUILD_SDIST, str(out)], cwd=source, check=True)
    (sdist,) = out.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    unpacked = out / "unpacked"
    unpacked.mkdir()
    subprocess.run(["tar", "-xzf", str(sdist), "-C", str(unpacked), "--strip-components=1"], check=True)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    unoptimised = {**os.environ, "CFLAGS": "-O0"}  # The scan is compiled, but never run.
    subprocess.run([*build, "--wheel-dir", str(out), str(unpacked)], check=True, env=unoptimised)
    (path,) = out.glob("*.whl")
    with zipfile.ZipFile(path) as wheel:
        yield Distributions(names, path.name, wheel)


def package_files(*patterns: str) -> set[str]:
    """Return the paths of the packages' files that match a pattern, as they are in the wheel."""
    paths = [path for package in PACKAGES for pattern in patterns for path in (ROOT / package).rglob(pattern)]
    return {path.relative_to(ROOT).as_posix() for path in paths}


def test_wheel_contains_the_packages_and_nothing_else(distributions: Distributions) -> None:
    """Modules, type stubs, messages, the description of the format and the page; neither tests nor benchmarks."""
    packages = {name for name in distributions.wheel_files if not name.startswith("web/")}
    compiled = {name for name in packages if "/compiled." in name}

    files = package_files("*.py", "*.pyi", "*.proto", "py.typed", "FORMAT.md")
    assert packages - compiled == {"__init__.py", "py.typed"} | files
    assert "proto/FORMAT.md" in packages
    assert {f"{package}/py.typed" for package in PACKAGES} <= packages
    top = {name.partition("/")[0] for name in distributions.wheel.namelist()}
    assert {name for name in top if not name.endswith((".dist-info", ".data"))} == {"toposcope"}
    shared = {name.partition(".data/data/")[2] for name in distributions.wheel.namelist() if ".data/" in name}
    tracked = {path.relative_to(ROOT).as_posix() for path in (ROOT / "share").rglob("*") if path.is_file()}
    assert shared == {name for name in tracked if not name.endswith((".py", ".pyc"))}


def test_wheel_contains_what_the_browser_loads_without_source_maps(distributions: Distributions) -> None:
    """The index and all that it refers to, scripts of workers, and the licences of the packages in them."""
    index = (ROOT / "web" / "index.html").read_text(encoding="utf-8")
    built = {f"built/{path.name}" for path in BUILT.iterdir() if path.suffix != ".map"}

    page = {name.removeprefix("web/") for name in distributions.wheel_files if name.startswith("web/")}
    assert page == {"index.html", "mark.svg"} | built
    assert page >= set(re.findall(r'"\./([^"]+)"', index))
    for name in page:
        assert b"sourceMappingURL=" not in distributions.wheel.read(f"toposcope/web/{name}"), name


@pytest.mark.skipif(sys.platform != "linux", reason="the compiled scan is not ELF")
@pytest.mark.skipif(not can_compile(), reason="there is no C compiler, or the headers of Python are missing")
def test_compiled_scan_serves_every_python_and_is_stripped(distributions: Distributions) -> None:
    """It uses the limited API, so that one wheel is enough, and contains neither debugging information nor symbols."""
    assert "-cp311-abi3-" in distributions.wheel_name
    compiled = distributions.wheel.read("toposcope/server/reading/scan/compiled.abi3.so")
    assert compiled.startswith(b"\x7fELF")
    assert b".symtab" not in compiled
    assert b".debug_" not in compiled


def test_source_distribution_contains_what_the_wheel_is_built_from(distributions: Distributions) -> None:
    """It has the page's sources and the types of the scan, but neither tests nor what a build writes."""
    names = distributions.sdist
    top = {name.partition("/")[0] for name in names if name}
    assert top == {
        *(*PACKAGES, "package", "share", "web", "toposcope.egg-info"),
        *("CHANGELOG.md", "LICENSE", "MANIFEST.in", "PKG-INFO", "README.md", "SECURITY.md"),
        *("pyproject.toml", "setup.cfg", "setup.py"),
    }
    assert package_files("*.py", "*.pyi", "*.proto", "*.pxd", "py.typed", "FORMAT.md") <= names
    assert {"package/__init__.py", "package/py.typed"} <= names
    assert {"web/index.html", "web/package-lock.json", "web/.npmrc", "web/build.js"} <= names
    assert not [
        name for name in names if re.search(r"(^|/)(node_modules|built)(/|$)|\.(so|pyd|pyc|c|map|test\.js)$", name)
    ]


def test_licences_of_the_packages_in_the_page_are_part_of_it() -> None:
    """THIRD_PARTY.txt has the licence texts of every package that a source map names or that was copied as it is."""
    modules = ROOT / "web" / "node_modules"
    sources = [source for path in BUILT.glob("*.map") for source in json.loads(path.read_text())["sources"]]
    folders = {match[1] for source in sources if (match := re.search(r"node_modules/((?:@[^/]+/)?[^/]+)/", source))}
    for script in BUILT.glob("*.js"):
        if not script.with_name(f"{script.name}.map").exists():
            (original,) = [path for path in modules.rglob(script.name) if path.read_bytes() == script.read_bytes()]
            folders.add(original.relative_to(modules).parts[0])
    assert {"elkjs", "lit-html", "uplot"} <= folders

    notices = (BUILT / "THIRD_PARTY.txt").read_text(encoding="utf-8")

    assert set(re.findall(r"^={100}\n\n(\S+) ", notices, re.M)) == folders
    for folder in folders:
        package = json.loads((modules / folder / "package.json").read_text())
        assert f"{package['name']} {package['version']}\nLicence: {package['license']}\nSource: http" in notices
        (licence,) = (modules / folder).glob("LICENSE*")
        assert licence.read_text(encoding="utf-8").strip() in notices


def test_metadata_describe_the_project(distributions: Distributions) -> None:
    """Who made it, where it is, under which licences; the links of the README work outside of the repository."""
    metadata = distributions.metadata
    assert metadata["Author"] == "The Toposcope developers"
    assert metadata["License-Expression"] == "Apache-2.0 AND BSD-3-Clause AND EPL-2.0 AND MIT"
    assert metadata["License-File"] == "LICENSE"
    assert metadata["Keywords"]
    assert {"Homepage", "Repository", "Issues"} <= {
        url.partition(",")[0] for url in metadata.get_all("Project-URL", [])
    }
    assert "Typing :: Typed" in metadata.get_all("Classifier", [])
    home = r"https://(?:raw\.githubusercontent\.com/toposcope/toposcope|github\.com/toposcope/toposcope/(?:blob|tree))/main/"
    for target in re.findall(r"(?:\]\(|^\[.+\]: )([^)\s]+)", str(metadata.get_payload()), re.M):
        assert target.startswith("https://"), target
        tracked = re.fullmatch(f"{home}(.+)", target)
        assert tracked is None or (ROOT / tracked[1]).exists(), target


def test_recording_needs_four_packages(tmp_path: Path) -> None:
    """NumPy, protobuf, google-crc32c and Pillow are enough to collect a training and to record each kind of value."""
    path = os.pathsep.join(filter(None, [str(ROOT / "tests"), os.environ.get("PYTHONPATH")]))
    script = ROOT / "tests" / "release" / "record_run.py"
    tags = subprocess.run(
        [sys.executable, str(script), str(tmp_path), "--block"],
        env={**os.environ, "PYTHONPATH": path},
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    ).stdout.split()
    assert {"histogram", "image", "loss/auto", "scalar", "tensor", "text", "weight/auto"} <= set(tags)
