"""The page's scripts: what they may import."""

import json
import re
from graphlib import TopologicalSorter
from pathlib import Path

WEB = Path(__file__).parent.parent / "web"
IMPORT = re.compile(r'^(?:import|export) (?:[^"]* from )?"([^"]+)";', re.MULTILINE)
REFERENCE = re.compile(r'(?:from|import)\s*\(?\s*"(\.[^"]+)"')
# Each folder may import from itself and from the folders before it.
LADDER = ["i18n", "data", "charts", "controls", "pages", "app"]


def own_scripts() -> list[Path]:
    """Return the scripts of the page, without libraries, tests and what is run at a build."""
    return [
        path
        for path in WEB.rglob("*.js")
        if not {"node_modules", "built"} & set(path.parts)
        and not path.name.endswith(("build.js", "plotly_licences.js", ".test.js"))
    ]


def test_scripts_import_each_other_and_pinned_libraries_only() -> None:
    """A script imports by relative path, or a library of package.json."""
    libraries = json.loads((WEB / "package.json").read_text(encoding="utf-8"))["dependencies"]
    for path in own_scripts():
        for name in IMPORT.findall(path.read_text(encoding="utf-8")):
            pinned = any(name == library or name.startswith(library + "/") for library in libraries)
            assert name.startswith(".") or pinned, f"{path.name} imports {name}"


def imports_by_folder() -> list[tuple[Path, Path]]:
    """Return each import of a script by another as two paths below web/, types in comments included."""
    pairs = []
    for path in own_scripts():
        for name in REFERENCE.findall(path.read_text(encoding="utf-8")):
            pairs.append((path.relative_to(WEB), (path.parent / name).resolve().relative_to(WEB.resolve())))
    return pairs


def test_scripts_import_only_from_folders_below_them() -> None:
    """i18n <- data <- charts <- controls <- pages <- app."""
    for importer, imported in imports_by_folder():
        if importer.parts[0] in LADDER:
            assert LADDER.index(imported.parts[0]) <= LADDER.index(importer.parts[0]), f"{importer} imports {imported}"


def test_pages_do_not_import_pages() -> None:
    """Code that two pages share is in controls, charts or data."""
    for importer, imported in imports_by_folder():
        if importer.parts[0] == imported.parts[0] == "pages":
            assert importer.parts[1] == imported.parts[1], f"{importer} imports {imported}"


def test_imports_have_no_cycles() -> None:
    """The imports have no cycles."""
    imports = {
        path.resolve(): {
            (path.parent / name).resolve()
            for name in IMPORT.findall(path.read_text(encoding="utf-8"))
            if name[0] == "."
        }
        for path in own_scripts()
    }

    TopologicalSorter(imports).prepare()
