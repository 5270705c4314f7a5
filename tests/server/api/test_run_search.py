"""The routes that search runs by name, and complete a search."""

from pathlib import Path

import pytest
from support.event_files import loss_run
from support.servers import Serve

from toposcope.server.api.listings.run_search import Completions, FoundRuns


def test_search_returns_names_in_start_order(tmp_path: Path, serve: Serve) -> None:
    """A label is found as soon as it is stored; a search for archived runs says so."""
    for name in ("a/one", "a/two", "b"):
        loss_run(tmp_path / "logdir" / name, range(2))
    client = serve(tmp_path / "logdir", "--data-dir", str(tmp_path / "data"))
    client.put("api/notes", params={"run": "b"}, json={"labels": ["paper"]}).raise_for_status()

    def search(text: str) -> tuple[list[str], bool]:
        reply = client.get("api/runs/search", params={"search": text}).raise_for_status().json()
        found = FoundRuns.model_validate(reply, extra="forbid")
        names = found.runs.split("\0") if found.runs else []
        assert found.total == len(names)
        return names, found.names_hidden

    assert search("") == (["a/one", "a/two", "b"], False)
    assert search("a/ -/two/") == (["a/one"], False)
    assert search("label:paper") == (["b"], False)
    assert search("-is:archived") == (["a/one", "a/two", "b"], True)
    assert search("nothing") == ([], False)


@pytest.mark.parametrize(
    ("search", "message"), [("a OR", "character 5"), ("/(/", "regular expression"), ("state:odd", "expected one of")]
)
def test_invalid_search_is_explained(tmp_path: Path, serve: Serve, search: str, message: str) -> None:
    """The reply says what was expected."""
    loss_run(tmp_path / "run", range(2))
    reply = serve(tmp_path).get("api/runs/search", params={"search": search})
    assert reply.status_code == 422
    assert message in reply.json()["detail"]


def test_completions_name_labels_and_tags(tmp_path: Path, serve: Serve) -> None:
    """They are those of the runs, with the number of runs."""
    loss_run(tmp_path / "logdir/run", range(2))
    client = serve(tmp_path / "logdir", "--data-dir", str(tmp_path / "data"))
    client.put("api/notes", params={"run": "run"}, json={"labels": ["paper"]}).raise_for_status()

    reply = client.get("api/runs/completions", params={"search": "x pa"}).raise_for_status().json()
    Completions.model_validate(reply, extra="forbid")
    assert reply == {"start": 2, "options": [{"text": "label:paper", "kind": "label", "runs": 1}]}
    reply = client.get("api/runs/completions", params={"search": "last("}).json()
    assert [option["text"] for option in reply["options"]] == ["loss)"]
