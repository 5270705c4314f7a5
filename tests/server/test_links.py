"""Links that lead out of the logdir: the server, the commands and open() see the same runs."""

import json
import os
from pathlib import Path

import pytest
from support.event_files import loss_run
from support.servers import Serve, run

import toposcope.server

STRANGER = 12345
"""A user who has no account here."""


@pytest.fixture
def logdir(tmp_path: Path) -> Path:
    """Return a logdir with a run, and a link of another user to a run elsewhere."""
    loss_run(tmp_path / "runs/inside", range(3))
    loss_run(tmp_path / "elsewhere/outside", range(3))
    link = tmp_path / "runs/outside"
    link.symlink_to(tmp_path / "elsewhere/outside")
    if os.geteuid():
        pytest.skip("only root can make a link of another user")
    os.lchown(link, STRANGER, STRANGER)
    return tmp_path / "runs"


@pytest.mark.parametrize("options", [(), ("--follow-links",)], ids=["default", "follow"])
def test_all_see_the_same_runs(logdir: Path, tmp_path: Path, serve: Serve, options: tuple[str, ...]) -> None:
    """They follow such a link only with --follow-links, and list it with the reason otherwise."""
    expected = ["inside", "outside"] if options else ["inside"]
    refused = [] if options else [str(logdir / "outside")]

    client = serve(logdir, *options)
    assert [each["run"] for each in client.get("api/runs").json()["runs"]] == expected
    assert list(client.get("api/health").json()["problems"]) == refused

    inspected = json.loads(run("inspect", logdir, "--json", *options).stdout)
    assert [each["run"] for each in inspected["runs"]] == expected
    assert list(inspected["problems"]) == refused

    run("export", logdir, "--out", tmp_path / "exported", *options)
    manifest = json.loads((tmp_path / "exported/manifest.json").read_text())
    assert manifest["runs"] == expected
    assert list(manifest["problems"]) == refused

    with toposcope.server.open(logdir, follow_links=bool(options)) as opened:
        assert list(opened.runs) == expected
        assert list(opened.problems) == refused
