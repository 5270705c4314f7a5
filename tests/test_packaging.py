"""The distributions contain what they need and nothing else; `make release` installs them in fresh environments."""

import email
import json
import os
import re
import shutil
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
BUILD_SDIST = "import sys; sys.path.insert(0, 'packaging'); import backend; backend.build_sdist(sys.argv[1])"
OF_ANOTHER_PROJECT = re.compile(
    r"(github(usercontent)?\.com|pypi\.org/project)/toposcope|toposcope\.(github|readthedocs)\.io"
)


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


def tracked_files() -> list[str]:
    """Return the files of the repository, also those that are not committed yet."""
    command = ["git", "-C", str(ROOT), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, capture_output=True, check=True).stdout.decode().split("\0")
    return [name for name in names if (ROOT / name).is_file()]


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Distributions]:
    """Build the source distribution from what git tracks, and the wheel from the source distribution alone."""
    source, out = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("dist")
    for name in tracked_files():
        target = source / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target)
    # What is installed already is not downloaded again.
    (source / "web" / "node_modules").symlink_to(ROOT / "web" / "node_modules")
    subprocess.run([sys.executable, "-c", BUILD_SDIST, str(out)], cwd=source, check=True)
    (sdist,) = out.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isfile()}
    unpacked = out / "unpacked"
    unpacked.mkdir()
    subprocess.run(["tar", "-xzf", str(sdist), "-C", str(unpacked), "--strip-components=1"], check=True)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    # The scan is compiled, but never run. An npm that is called, fails.
    (out / "npm").write_text("#!/bin/sh\nexit 1\n")
    (out / "npm").chmod(0o755)
    unoptimised = {**os.environ, "CFLAGS": "-O0", "PATH": f"{out}{os.pathsep}{os.environ['PATH']}"}
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


def test_source_distribution_contains_the_repository_and_the_built_page(distributions: Distributions) -> None:
    """Tests, documentation, examples and Makefile too; of what a build writes, the page without source maps."""
    built = {f"web/built/{path.name}" for path in BUILT.iterdir() if path.suffix != ".map"}
    added = {name for name in distributions.sdist if not name.startswith("toposcope.egg-info/")}
    assert added == {*tracked_files(), *built, "PKG-INFO", "setup.cfg"}


def test_licences_of_the_packages_in_the_page_are_part_of_it() -> None:
    """THIRD_PARTY.txt has the licence texts of every package that a source map names or that was copied as it is.

    Also of those that Plotly's bundle is made of.
    """
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
    assert (ROOT / "web" / "licences" / "plotly.txt").read_text(encoding="utf-8").strip() in notices


def test_metadata_describe_the_project(distributions: Distributions) -> None:
    """Who made it, and under which licences, whose texts are with the metadata."""
    metadata = distributions.metadata
    assert metadata["Author"] == "The Toposcope developers"
    assert metadata["License-Expression"] == (
        "Apache-2.0 AND BSD-3-Clause AND BSL-1.0 AND EPL-2.0 AND ISC AND MIT AND Unlicense AND Zlib"
    )
    assert metadata.get_all("License-File") == ["LICENSE", "web/built/THIRD_PARTY.txt"]
    licences = [name for name in distributions.wheel.namelist() if ".dist-info/licenses/" in name]
    assert {name.partition("/licenses/")[2] for name in licences} == {"LICENSE", "web/built/THIRD_PARTY.txt"}
    assert metadata["Keywords"]
    assert "Typing :: Typed" in metadata.get_all("Classifier", [])


def test_links_of_the_readme_lead_to_files_of_the_repository() -> None:
    """They hold in every copy of the repository."""
    for target in re.findall(r"(?:\]\(|^\[.+\]: )([^)\s]+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.M):
        assert (ROOT / target).exists(), target


def test_no_file_names_an_address_of_another_project() -> None:
    """The repository of this name on a public host, and its pages and packages, are somebody else's."""
    texts = {name: (ROOT / name).read_bytes().decode("utf-8", errors="replace") for name in tracked_files()}
    assert not [name for name, text in texts.items() if OF_ANOTHER_PROJECT.search(text)]


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
