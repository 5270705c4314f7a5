"""docs/extending.md: its tables are those of the code, and the files that it names exist."""

import ast
import re
import tomllib
from pathlib import Path

from support.documentation import DOCS

from toposcope.server.reading import tag_table

ROOT = DOCS.parent
TEXT = (DOCS / "extending.md").read_text(encoding="utf-8")


def rows_of(heading: str) -> list[list[str]]:
    """Return the cells of the first table of a section, the head left out."""
    section = TEXT.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def names_in(cell: str) -> list[str]:
    """Return the names in backticks."""
    return re.findall("`([^`]+)`", cell)


def test_the_kinds_of_values_are_those_of_reader_and_pages() -> None:
    """Each plugin that the reader knows or a page shows has a row, whose page is the one that shows it."""
    source = (ROOT / "web/data/view/page_list.js").read_text(encoding="utf-8")
    shown = {
        plugin: page
        for page, plugins in re.findall(r"^  (\w+): \{[^}]*?plugins: \[([^\]]*)\]", source, re.MULTILINE)
        for plugin in re.findall(r'"(\w+)"', plugins)
    } | {"lineage": "lineage"}  # Which shows runs without it too.
    pages = {names_in(row[0])[0]: names_in(row[5]) for row in rows_of("The kinds of values")}

    assert set(pages) == {*shown, *tag_table._OWN_PLUGINS}
    assert {plugin: names for plugin, names in pages.items() if names} == {
        plugin: [page] for plugin, page in shown.items()
    }


def test_the_code_of_each_kind_exists() -> None:
    """Recorder, decoder and route are files, and messages are those of the protocol."""
    messages = {
        name
        for path in (ROOT / "proto").glob("*.proto")
        for name in re.findall(r"^\s*message (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    for _, recorder, message, decoder, route, *_ in rows_of("The kinds of values"):
        for folder, cell in (("recorder", recorder), ("server", decoder), ("server", route)):
            assert all((ROOT / folder / name).exists() for name in names_in(cell)), cell
        assert {name.removeprefix("Summary.").partition(".")[0] for name in names_in(message)} <= messages, message


def test_the_adapters_are_those_that_are_checked() -> None:
    """Each has its folder, its classes and its page."""
    checked = tomllib.loads((ROOT / "tests/interop/adapters.toml").read_text(encoding="utf-8"))
    rows = rows_of("An adapter")

    assert [names_in(row[0])[0] for row in rows] == list(checked)
    for _, folders, classes, page in rows:
        assert (DOCS / names_in(page)[0]).exists()
        paths = [path for name in names_in(folders) for path in (ROOT / "recorder/frameworks" / name).rglob("*.py")]
        assert set(names_in(classes)) <= {name for path in paths for name in _classes(path)}, classes


def _classes(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.ClassDef)}


def test_the_files_that_the_steps_name_exist() -> None:
    """Names in backticks with a slash are paths, unless they have a placeholder or are in a table."""
    steps = "\n".join(line for line in TEXT.splitlines() if not line.startswith("|"))
    paths = [name for name in names_in(steps) if "/" in name and "<" not in name and " " not in name]

    assert len(paths) > 20
    assert not [name for name in paths if not (ROOT / name).exists()]
