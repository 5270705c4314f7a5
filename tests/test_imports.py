"""The import rules: which package imports which, and which third-party libraries the recorder imports."""

import ast
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ALLOWED_PACKAGES = {
    "proto": {"proto"},
    "recorder": {"proto", "recorder"},
    "server": {"proto", "server"},
}
RECORDER_LIBRARIES = {"google", "google_crc32c", "numpy", "PIL"}


def imported_names(path: Path, *, only_module_level: bool = False) -> set[str]:
    """Return the dotted names that a file imports; of `from a import b` both `a` and `a.b`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names: set[str] = set()
    for node in tree.body if only_module_level else ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, f"{path}: relative import"
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


@pytest.mark.parametrize("package", sorted(ALLOWED_PACKAGES))
def test_packages_import_only_packages_below_them(package: str) -> None:
    """The recorder and the server depend on proto, not on each other; no package depends on tests."""
    for path in (ROOT / package).rglob("*.py"):
        for name in imported_names(path):
            top, _, rest = name.partition(".")
            if top == "toposcope" and rest:
                assert rest.split(".")[0] in ALLOWED_PACKAGES[package], f"{path.relative_to(ROOT)} imports {name}"
            assert top not in {"tests", "support", "conftest"}, f"{path.relative_to(ROOT)} imports {name}"


def test_recorder_imports_few_libraries_at_module_level() -> None:
    """Importing the recorder does not import a framework: frameworks are imported when they are used."""
    allowed = RECORDER_LIBRARIES | {"toposcope"} | sys.stdlib_module_names
    for path in (ROOT / "recorder").rglob("*.py"):
        for name in imported_names(path, only_module_level=True):
            assert name.split(".")[0] in allowed, f"{path.relative_to(ROOT)} imports {name}"
