"""Random sequences of changes against a dict, and the limits of views and links."""

import tempfile
from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toposcope.server.data_files.json_folder import JsonFolder
from toposcope.server.views import links, views_folder
from toposcope.server.views.links import Link, Links
from toposcope.server.views.view import LARGEST_FILE, View, ViewContent
from toposcope.server.views.views import Views
from toposcope.server.views.views_folder import ConflictError, NoViewError, TooManyViewsError, ViewsFolder

NAMES = st.sampled_from(["a", "b", "ü/..", "default"])
CHANGES = st.lists(
    st.tuples(st.sampled_from(["save", "delete", "default"]), NAMES, st.booleans(), st.integers(0, 3), st.booleans())
)


@settings(max_examples=60, deadline=None)
@given(CHANGES)
def test_views_are_those_of_a_dict(changes: list[tuple[str, str, bool, int, bool]]) -> None:
    """Two servers take turns; a change is accepted exactly if its base is what is stored."""
    with tempfile.TemporaryDirectory() as folder:
        servers = [Views(ViewsFolder(JsonFolder(Path(folder, "views"), "logdir", LARGEST_FILE))) for _ in range(2)]
        model: dict[str, View] = {}
        default: str | None = None
        for kind, name, is_current, number, is_second in changes:
            server = servers[is_second]
            stored = model.get(name)
            base = stored.listed.version if stored and is_current else None if is_current else "stale"
            content = ViewContent("scalars", f"#{number}", {"n": number})
            if kind == "save" and is_current:
                model[name] = server.replace(name, content, base)
            elif kind == "save":
                with pytest.raises(ConflictError) as refused:
                    server.replace(name, content, base)
                assert refused.value.stored == stored
            elif kind == "default" and (is_current or stored is None):
                with pytest.raises(NoViewError) if stored is None else nullcontext():
                    server.choose_default(name)
                    default = name
            elif kind == "default":
                server.choose_default(None)
                default = None
            elif stored is None:
                with pytest.raises(NoViewError):
                    server.delete(name, "any")
            elif is_current:
                server.delete(name, stored.listed.version)
                del model[name]
                default = None if default == name else default
            else:
                with pytest.raises(ConflictError):
                    server.delete(name, "stale")
            for each in servers:
                current = each.current()
                assert dict(current.views) == {name: view.listed for name, view in sorted(model.items())}
                assert (current.default, current.problems) == (default, [])
                assert [each.read(name) for name in model] == list(model.values())


def test_number_of_views_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A view may still be replaced."""
    monkeypatch.setattr(views_folder, "MAX_VIEWS", 2)
    folder = ViewsFolder(JsonFolder(tmp_path, "logdir", LARGEST_FILE))
    content = ViewContent("scalars", "#", None)
    first = folder.replace("a", content, None)
    folder.replace("b", content, None)
    folder.choose_default("a")

    with pytest.raises(TooManyViewsError):
        folder.replace("c", content, None)
    folder.replace("a", content, first.listed.version)


def test_oldest_links_are_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By number and by size; creating a link again makes it the newest."""
    monkeypatch.setattr(links, "MAX_LINKS", 3)
    store = Links(JsonFolder(tmp_path, "logdir", LARGEST_FILE))
    made = [store.store(Link(f"#{number}", None)) for number in range(3)]
    assert store.store(Link("#0", None)) == made[0]
    newest = store.store(Link("#3", None))

    assert [store.find(link) is not None for link in [*made, newest]] == [True, False, True, True]
    monkeypatch.setattr(links, "MAX_BYTES", 1)
    last = store.store(Link("#4", None))
    assert [store.find(link) is not None for link in [*made, newest, last]] == [False, False, False, False, True]


def test_link_with_the_start_of_another_is_longer(tmp_path: Path) -> None:
    """A file that contains something else is neither overwritten nor returned."""
    store = Links(JsonFolder(tmp_path, "logdir", LARGEST_FILE))
    link = store.store(Link("#a", None))
    other = store.store(Link("#b", None))
    (tmp_path / f"{link}.json").write_bytes((tmp_path / f"{other}.json").read_bytes())

    longer = store.store(Link("#a", None))

    assert (longer[:-1], store.find(longer), store.find(link)) == (link, Link("#a", None), Link("#b", None))
