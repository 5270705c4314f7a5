"""The rooms of the house: imports have no cycles, and no folder holds many modules that are not of one kind."""

from graphlib import CycleError, TopologicalSorter

import pytest
from support.imports import ROOT, module_imports

PACKAGES = ["proto", "recorder", "server"]
MAX_MODULES = 8
COLLECTIONS = {
    "recorder/callbacks": "a callback a file",
    "recorder/event_callbacks": "a callback a file",
    "recorder/landscapes/planes": "a kind of plane a file",
    "recorder/metrics": "a metric a file",
    "recorder/tensorboard/kinds": "a kind of value a file",
    "server/commands": "a subcommand a file",
    "server/questions/asking": "a question a file",
    "server/reading/scan": "compiled as one module",
    "server/values": "a kind of value a file",
}
"""Folders that may hold any number of modules, and what each module there is."""
ADDRESSES = {"recorder/summary.py", "recorder/train_thor.py"}
"""Modules that users import by these names."""


def find_cycle(imports: dict[str, set[str]]) -> str:
    """Return a cycle as text, "a -> b -> a", or "" if there is none."""
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return " -> ".join(reversed(error.args[1]))
    return ""


def member_imports(folder: str, imports: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the imports between the members of a folder, which are its modules and its subfolders."""
    depth = folder.count(".") + 2
    members: dict[str, set[str]] = {}
    for module, imported in imports.items():
        if module.startswith(f"{folder}."):
            member = ".".join(module.split(".")[:depth])
            targets = {".".join(name.split(".")[:depth]) for name in imported if name.startswith(f"{folder}.")}
            members.setdefault(member, set()).update(targets - {member})
    return members


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_do_not_import_each_other_in_a_cycle(package: str) -> None:
    """Imports within functions count."""
    assert not find_cycle(module_imports(package))


@pytest.mark.parametrize("package", PACKAGES)
def test_folders_inside_a_package_form_a_ladder(package: str) -> None:
    """In every folder, subfolders and modules import each other in one direction only."""
    imports = module_imports(package)
    folders = sorted(module.removesuffix(".__init__") for module in imports if module.endswith(".__init__"))
    cycles = {folder: cycle for folder in folders if (cycle := find_cycle(member_imports(folder, imports)))}

    assert not cycles


def test_folders_hold_at_most_eight_modules_unless_these_are_of_one_kind() -> None:
    """Generated modules, and those that users run or import by their names, do not count."""
    for package in PACKAGES:
        for folder in sorted({path.parent for path in (ROOT / package).rglob("*.py")}):
            names = {path.relative_to(ROOT).as_posix() for path in folder.glob("*.py")} - ADDRESSES
            loose = {name for name in names if not name.endswith(("/__init__.py", "/__main__.py", "_pb2.py"))}
            assert len(loose) <= MAX_MODULES or folder.relative_to(ROOT).as_posix() in COLLECTIONS, sorted(loose)
