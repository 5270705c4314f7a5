"""The import rules: which package imports which, and which third-party libraries the recorder imports."""

import sys

import pytest
from support.imports import ROOT, imported_names

SHARED_MODULES = {path.stem for path in (ROOT / "package").glob("*.py")} - {"__init__"}
ALLOWED_PACKAGES = {
    "package": {"server", *SHARED_MODULES},
    "proto": {"proto", *SHARED_MODULES},
    "recorder": {"proto", "recorder", *SHARED_MODULES},
    "server": {"proto", "server", *SHARED_MODULES},
}
RECORDER_LIBRARIES = {"google", "google_crc32c", "numpy", "PIL"}
SUBCLASSES = {
    "torch/thor": "torch",
    "transformers": "transformers",
    "accelerate": "accelerate",
    "lightning": "lightning",
    "lightning_fabric": "lightning_fabric",
    "pytorch_lightning": "pytorch_lightning",
    "keras": "keras",
    "ray": "ray",
    "clu": "clu",
    "composer": "composer",
    "ignite": "ignite",
    "stable_baselines3": "stable_baselines3",
    "ultralytics": "ultralytics",
    "xgboost": "xgboost",
}
"""Folders of recorder.frameworks that contain subclasses of classes of a library."""


@pytest.mark.parametrize("package", sorted(ALLOWED_PACKAGES))
def test_packages_import_only_packages_below_them(package: str) -> None:
    """The recorder and the server depend on proto and the modules of package, not on each other or on tests.

    The package itself imports the server for its extension of IPython.
    """
    for path in (ROOT / package).rglob("*.py"):
        for name in imported_names(path):
            top, *rest = name.split(".")
            if top == "toposcope" and rest:  # Not the namespace alone.
                assert rest[0] in ALLOWED_PACKAGES[package], f"{path.relative_to(ROOT)} imports {name}"
            assert top not in {"tests", "support", "conftest"}, f"{path.relative_to(ROOT)} imports {name}"


def test_recorder_imports_few_libraries_at_module_level() -> None:
    """Importing the recorder does not import a framework: frameworks are imported when they are used.

    THOR, a subclass of PyTorch's Optimizer, is itself imported when it is used; a test of imports checks that. So are
    the subclasses of the callbacks and trackers of trainers.
    """
    libraries = {ROOT / "recorder/frameworks" / folder: library for folder, library in SUBCLASSES.items()}
    for path in (ROOT / "recorder").rglob("*.py"):
        allowed = RECORDER_LIBRARIES | {"toposcope"} | sys.stdlib_module_names
        allowed |= {library for folder, library in libraries.items() if path.is_relative_to(folder)}
        for name in imported_names(path, only_module_level=True):
            assert name.split(".")[0] in allowed, f"{path.relative_to(ROOT)} imports {name}"
