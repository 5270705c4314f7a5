"""The distributions in dist contain what they need and nothing else: make release."""

import email
import re
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from typing import NamedTuple

import pytest
from support.tracked_files import ROOT, tracked_files

PACKAGES = ("proto", "recorder", "server")
BUILT = ROOT / "web" / "built"


class Distributions(NamedTuple):
    """The file names of both distributions, and the open wheel."""

    sdist: set[str]
    """Without the folder that contains them all."""
    wheel_name: str
    wheel: zipfile.ZipFile

    @property
    def names(self) -> list[str]:
        """The names of the wheel's files; newer Pythons write its folders too."""
        return [member.filename for member in self.wheel.infolist() if not member.is_dir()]

    @property
    def wheel_files(self) -> set[str]:
        """The packages' files in the wheel, without `toposcope/`."""
        return {name.removeprefix("toposcope/") for name in self.names if name.startswith("toposcope/")}

    @property
    def metadata(self) -> email.message.Message:
        """The wheel's core metadata."""
        (name,) = [name for name in self.names if name.endswith(".dist-info/METADATA")]
        return email.message_from_bytes(self.wheel.read(name))


@pytest.fixture(scope="module")
def distributions() -> Iterator[Distributions]:
    """Open both."""
    (sdist,), (wheel,) = (ROOT / "dist").glob("*.tar.gz"), (ROOT / "dist").glob("*.whl")
    with tarfile.open(sdist) as archive:
        names = {member.name.partition("/")[2] for member in archive if member.isfile()}
    with zipfile.ZipFile(wheel) as opened:
        yield Distributions(names, wheel.name, opened)


def package_files(*patterns: str) -> set[str]:
    """Return the paths of the packages' files that match a pattern, as they are in the wheel."""
    paths = [path for package in PACKAGES for pattern in patterns for path in (ROOT / package).rglob(pattern)]
    return {path.relative_to(ROOT).as_posix() for path in paths}


def test_wheel_contains_the_packages_and_nothing_else(distributions: Distributions) -> None:
    """Modules, type stubs, messages, the description of the format and the page; neither tests nor benchmarks."""
    packages = {name for name in distributions.wheel_files if not name.startswith("web/")}
    compiled = {name for name in packages if "/compiled." in name}

    files = package_files("*.py", "*.pyi", "*.proto", "py.typed", "FORMAT.md")
    assert packages - compiled == {path.name for path in (ROOT / "package").glob("*.py*")} | {"py.typed"} | files
    assert "proto/FORMAT.md" in packages
    assert {f"{package}/py.typed" for package in PACKAGES} <= packages
    top = {name.partition("/")[0] for name in distributions.names}
    assert {name for name in top if not name.endswith((".dist-info", ".data"))} == {"toposcope"}
    shared = {name.partition(".data/data/")[2] for name in distributions.names if ".data/" in name}
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


def test_metadata_describe_the_project(distributions: Distributions) -> None:
    """Who made it, and under which licences, whose texts are with the metadata."""
    metadata = distributions.metadata
    assert metadata["Author"] == "The Toposcope developers"
    assert metadata["License-Expression"] == (
        "Apache-2.0 AND BSD-3-Clause AND BSL-1.0 AND EPL-2.0 AND ISC AND MIT AND Unlicense AND Zlib"
    )
    assert metadata.get_all("License-File") == ["LICENSE", "web/built/THIRD_PARTY.txt"]
    licences = [name for name in distributions.names if ".dist-info/licenses/" in name]
    assert {name.partition("/licenses/")[2] for name in licences} == {"LICENSE", "web/built/THIRD_PARTY.txt"}
    assert metadata["Keywords"]
    assert "Typing :: Typed" in metadata.get_all("Classifier", [])
