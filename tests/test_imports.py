"""The import ladder: proto <- recorder, proto <- server; frameworks and the server's libraries only where allowed."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ALLOWED = {
    "proto": {"proto"},
    "recorder": {"proto", "recorder"},
    "server": {"proto", "server"},
}
RECORDER_LIBRARIES = {"google", "google_crc32c", "numpy", "PIL"}


def imports_of(path: Path, only_module_level: bool) -> set[str]:
    """Return the dotted names that a file imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = tree.body if only_module_level else ast.walk(tree)
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names.add(node.module or "")
            names |= {f"{node.module}.{alias.name}" for alias in node.names if node.module == "toposcope"}
    return names


@pytest.mark.parametrize("package", sorted(ALLOWED))
def test_packages_import_only_what_stands_below_them(package: str) -> None:
    """No package imports another that the ladder does not put below it, and none imports tests."""
    for path in (ROOT / package).rglob("*.py"):
        for name in imports_of(path, only_module_level=False):
            if name.startswith("toposcope."):
                assert name.split(".")[1] in ALLOWED[package], f"{path.relative_to(ROOT)} imports {name}"
            assert name.split(".")[0] not in {"tests", "support", "conftest"}


def test_recorder_imports_few_libraries_at_module_level() -> None:
    """The recorder costs a training nothing it did not ask for: frameworks are imported when they are used."""
    import sys

    for path in (ROOT / "recorder").rglob("*.py"):
        for name in imports_of(path, only_module_level=True):
            top = name.split(".")[0]
            assert top in RECORDER_LIBRARIES | {"toposcope"} | sys.stdlib_module_names, f"{path.name} imports {name}"
