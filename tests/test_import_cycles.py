"""Imports have no cycles: neither between modules, nor between the members of a folder."""

from graphlib import CycleError, TopologicalSorter

import pytest
from support.imports import module_imports

PACKAGES = ["proto", "recorder", "server"]


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
