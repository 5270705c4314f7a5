"""The colours of runs: 24 runs have 24, and each keeps its own."""

from pathlib import Path

from support.event_files import loss_run
from support.servers import Serve, wait_until

from toposcope.server.notes.run_colours import COLOURS, chosen


def test_as_many_runs_as_colours_have_different_ones() -> None:
    """The first 8 have those that differ most; further ones the same again, with other numbers, each equally often."""
    names = [f"run-{number}" for number in range(3 * COLOURS)]
    colours = chosen(names, {}, set(names))
    assert {colours[name] for name in names[:8]} == set(range(8))
    assert len({colours[name] for name in names[:COLOURS]}) == COLOURS
    assert sorted(colours.values()) == list(range(3 * COLOURS))


def test_known_runs_keep_their_colours() -> None:
    """A new one gets a colour that no run has which exists; that of a run which is gone is free."""
    names = [f"run-{number}" for number in range(COLOURS)]
    known = chosen(names, {}, set(names))
    gone = names[7]
    existing = {*names, "new"} - {gone}
    assert chosen(["new"], known, existing) == {"new": known[gone]}


def test_first_choices_depend_on_the_name_only() -> None:
    """Without collisions, two logdirs with the same run show it in the same colour."""
    (first,) = chosen(["lr=0.1"], {}, {"lr=0.1"}).values()
    assert chosen(["lr=0.1", "other"], {}, {"lr=0.1", "other"})["lr=0.1"] == first


def test_colours_stay_when_runs_come_and_go_and_after_a_restart(tmp_path: Path, serve: Serve) -> None:
    """Another server with the same data folder replies with the same ones, whatever runs there are by then."""
    logdir, data = tmp_path / "logdir", ("--data-dir", str(tmp_path / "data"))
    for number in range(COLOURS):
        loss_run(logdir / f"run-{number}", range(3), seconds=100 + number)
    client = serve(logdir, *data)

    def colours() -> dict[str, int]:
        return {row["run"]: row["colour"] for row in client.get("api/runs").json()["runs"]}

    before = colours()
    assert len({colour % COLOURS for colour in before.values()}) == COLOURS
    for number in range(0, COLOURS, 2):
        for path in (logdir / f"run-{number}").iterdir():
            path.unlink()
    loss_run(logdir / "a-new-one", range(3), seconds=1)
    wait_until(lambda: len(colours()) == COLOURS // 2 + 1)
    after = colours()
    assert {name: before[name] for name in after if name in before} == {
        name: colour for name, colour in after.items() if name in before
    }
    client = serve(logdir, *data)
    assert colours() == after


def test_colours_are_served_by_a_server_that_cannot_keep_them(tmp_path: Path, serve: Serve) -> None:
    """A read-only server, and one whose data folder is a file."""
    loss_run(tmp_path / "logdir" / "a", range(3))
    (tmp_path / "file").write_text("")
    for options in (["--read-only"], ["--data-dir", str(tmp_path / "file")]):
        (row,) = serve(tmp_path / "logdir", *options).get("api/runs").json()["runs"]
        assert 0 <= row["colour"] < COLOURS
