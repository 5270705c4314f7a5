"""The page's scripts: what they may import."""

import json
import re
from graphlib import TopologicalSorter
from pathlib import Path

WEB = Path(__file__).parent.parent / "web"
IMPORT = re.compile(r'^(?:import|export) (?:[^"]* from )?"([^"]+)";', re.MULTILINE)
# lib is pure; each folder may import those before it and itself.
LADDER = ["lib", "api", "state", "charts", "views"]


def own_scripts() -> list[Path]:
    """Return the scripts of the page that are not libraries."""
    return [path for path in WEB.rglob("*.js") if not {"node_modules", "built"} & set(path.parts)]


def test_scripts_import_each_other_and_pinned_libraries_only() -> None:
    """A script imports by relative path, or a library of package.json."""
    libraries = json.loads((WEB / "package.json").read_text(encoding="utf-8"))["dependencies"]
    for path in own_scripts():
        for name in IMPORT.findall(path.read_text(encoding="utf-8")):
            pinned = any(name == library or name.startswith(library + "/") for library in libraries)
            assert name.startswith(".") or pinned, f"{path.name} imports {name}"


def test_scripts_keep_to_the_ladder() -> None:
    """Lib <- api, state <- charts <- views <- main."""
    for path in own_scripts():
        folder = path.relative_to(WEB).parts[0]
        for name in IMPORT.findall(path.read_text(encoding="utf-8")):
            if name.startswith(".") and folder in LADDER:
                target = (path.parent / name).resolve().relative_to(WEB.resolve()).parts[0]
                assert LADDER.index(target) <= LADDER.index(folder), f"{folder}/{path.name} imports {name}"


def test_scripts_do_not_import_each_other_in_circles() -> None:
    """Every script can be read after those it imports."""
    imports = {
        path.resolve(): {
            (path.parent / name).resolve()
            for name in IMPORT.findall(path.read_text(encoding="utf-8"))
            if name[0] == "."
        }
        for path in own_scripts()
    }

    TopologicalSorter(imports).prepare()
