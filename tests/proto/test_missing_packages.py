"""Commands where packages are missing say in one line which, and what to install."""

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

import toposcope
from toposcope import proto, recorder, server
from toposcope.missing_packages import missing_packages_line

RECORDER = ("numpy", "protobuf", "google-crc32c", "pillow")


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what `pip install --no-deps toposcope` and the packages of the recorder install."""
    folder = tmp_path_factory.mktemp("packages")
    for name in RECORDER:
        distribution = metadata.distribution(name)
        tops = {file.parts[0] for file in distribution.files or [] if file.parts[0] != ".."}
        for top in tops - {"__pycache__"}:
            if not (folder / top).exists():
                (folder / top).symlink_to(str(distribution.locate_file(top)))
    (folder / "toposcope").mkdir()
    for module in Path(toposcope.__path__[0]).glob("*.py"):
        (folder / "toposcope" / module.name).symlink_to(module)
    for package in (proto, recorder, server):
        source = Path(package.__path__[0])
        (folder / "toposcope" / source.name).symlink_to(source)
    # An older build may have left its own beside the sources, without a file METADATA.
    information = next(filter(None, (each.read_text("METADATA") for each in metadata.distributions(name="toposcope"))))
    (folder / "toposcope-0.dist-info").mkdir()
    (folder / "toposcope-0.dist-info" / "METADATA").write_text(information, encoding="utf-8")
    return folder


def refuse(packages: Path, module: str, *arguments: str) -> str:
    """Run a command with these packages only, which must fail with one line; return the line."""
    # Without the module site there are no other packages.
    command = [sys.executable, "-S", "-P", "-m", module, *arguments]
    done = subprocess.run(command, env={"PYTHONPATH": str(packages)}, capture_output=True, text=True)
    assert done.returncode != 0
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize(
    "arguments", [["--logdir", os.curdir], *([name, "--help"] for name in ("inspect", "export", "index", "compact"))]
)
def test_server_names_what_is_missing_beside_the_recorder(packages: Path, arguments: list[str]) -> None:
    """For every subcommand: the packages, and the command that installs them."""
    line = refuse(packages, "toposcope.server.cli", *arguments)

    assert line.startswith("summary-server: fastapi, filelock, google-re2, orjson, ")
    assert line.endswith(" are not installed: pip install toposcope")
    assert not any(name in line for name in RECORDER)


def test_landscapes_name_their_extra(packages: Path) -> None:
    """All packages of the extra that are missing, whichever is imported first."""
    (packages / "needs_scipy.py").write_text(
        "import sys\nfrom toposcope.missing_packages import missing_packages_line\n"
        "try:\n    import scipy\nexcept ModuleNotFoundError as error:\n"
        "    sys.exit(missing_packages_line(error, 'landscape'))\n"
    )
    line = refuse(packages, "needs_scipy")

    assert (
        line == "cloudpickle, safetensors, scipy, threadpoolctl are not installed: pip install 'toposcope[landscape]'"
    )


def test_a_missing_module_of_toposcope_is_a_defect() -> None:
    """It keeps its traceback; an error that says what to install is shown as it is."""
    defect = ModuleNotFoundError("No module named 'toposcope.none'", name="toposcope.none")
    with pytest.raises(ModuleNotFoundError) as raised:
        missing_packages_line(defect)
    assert raised.value is defect

    advice = "'s3://a' is in an object store, which needs obstore: pip install 'toposcope[store]'"
    assert missing_packages_line(ModuleNotFoundError(advice, name="obstore")) == advice
    unknown = ModuleNotFoundError("No module named 'a_module_of_the_user'", name="a_module_of_the_user")
    assert "a_module_of_the_user" in missing_packages_line(unknown)
