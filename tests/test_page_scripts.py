"""The page's scripts: what they may import, and that the index announces all of them."""

import json
import re
from graphlib import TopologicalSorter
from pathlib import Path

WEB = Path(__file__).parent.parent / "web"
INDEX = (WEB / "index.html").read_text(encoding="utf-8")
IMPORT = re.compile(r'^(?:import|export) (?:[^"]* from )?"([^"]+)";', re.MULTILINE)
# lib is pure; each folder may import those before it and itself.
LADDER = ["lib", "api", "state", "charts", "views"]


def import_map() -> dict[str, str]:
    """Return the libraries that scripts may import by name."""
    found = re.search(r'<script type="importmap">(.*?)</script>', INDEX, re.DOTALL)
    assert found is not None
    imports: dict[str, str] = json.loads(found[1])["imports"]
    return imports


def own_scripts() -> list[Path]:
    """Return the scripts of the page that are not libraries."""
    return [path for path in WEB.rglob("*.js") if "node_modules" not in path.parts]


def library_of(name: str) -> str | None:
    """Return the file that the import map has for a name; None for a relative import."""
    if name in import_map():
        return import_map()[name]
    folder = next((key for key in import_map() if key.endswith("/") and name.startswith(key)), None)
    return None if folder is None else import_map()[folder] + name.removeprefix(folder)


def module_graph() -> list[str]:
    """Return main.js, the first page and every script they import, and these, as paths below web/."""
    found = ["main.js", "views/scalars/page.js"]
    for name in found:
        script = (WEB / name).read_text(encoding="utf-8")
        own = IMPORT.findall(script) if "node_modules" not in name else re.findall(r'from"(\.[^"]+)"', script)
        for imported in own:
            library = library_of(imported)
            path = (WEB / library if library else (WEB / name).parent / imported).resolve()
            if (target := path.relative_to(WEB.resolve()).as_posix()) not in found:
                found.append(target)
    return found


def test_scripts_import_each_other_and_mapped_libraries_only() -> None:
    """A script imports by relative path, or by a name of the import map."""
    for path in own_scripts():
        for name in IMPORT.findall(path.read_text(encoding="utf-8")):
            assert name.startswith(".") or library_of(name), f"{path.name} imports {name}"


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


def test_index_announces_every_script() -> None:
    """The browser is told of all scripts of the first page at once, else it finds them one layer after the other.

    The announcements stand behind the import map: a script that arrives before it cannot find its libraries.
    """
    announced = re.findall(r'<link rel="modulepreload" href="\./([^"]+)">', INDEX)
    lines = "\n".join(f'    <link rel="modulepreload" href="./{name}">' for name in module_graph())

    assert announced == module_graph(), f"web/index.html should hold\n{lines}"
    assert INDEX.index("importmap") < INDEX.index("modulepreload")
