"""GET /api/alerts, and what users acknowledge and mute."""

import json
from pathlib import Path

import httpx
import pytest
from support.servers import Serve, wait_until
from support.webhooks import receiving

from toposcope.recorder import SummaryRecord
from toposcope.server.api.alerts import Alert, AlertList


def listed(client: httpx.Client, **query: object) -> AlertList:
    """Return the alerts."""
    reply = client.get("api/alerts", params=query).raise_for_status()  # type: ignore[arg-type]
    return AlertList.model_validate(reply.json(), extra="forbid")


def record(directory: Path) -> None:
    """Record two alerts of a run."""
    with SummaryRecord(directory) as recorder:
        recorder.alert("First", "*one*", "info", step=3)
        recorder.alert("Second", level="error", step=4)
        recorder.log({"loss": float("nan")}, 5)


def brief(alerts: list[Alert]) -> list[tuple[str, str | None, str, str, int | None]]:
    """Return what is the same in each recording."""
    return [(each.run, each.rule, each.title, each.level, each.step) for each in alerts]


def test_recorded_alerts_are_listed(tmp_path: Path, serve: Serve) -> None:
    """Newest first, of all runs or of some."""
    record(tmp_path / "logs" / "a")
    record(tmp_path / "logs" / "b")
    client = serve(tmp_path / "logs", "--data-dir", str(tmp_path / "data"))
    found = listed(client)
    assert brief(found.alerts)[1:3] == [("b", None, "First", "info", 3), ("a", None, "Second", "error", 4)]
    assert (found.total, found.new, found.rules, found.read_only) == (4, {"a": 2, "b": 2}, [], False)
    assert brief(listed(client, run="a", limit=1).alerts) == [("a", None, "Second", "error", 4)]
    assert client.get("api/alerts", params={"run": "none"}).status_code == 404


def test_alerts_are_acknowledged_and_muted(tmp_path: Path, serve: Serve) -> None:
    """For another server of the same data folder, too."""
    record(tmp_path / "logs" / "a")
    client, other = (serve(tmp_path / "logs", "--data-dir", str(tmp_path / "data")) for _ in range(2))
    first, second = listed(client).alerts
    client.post("api/alerts/acknowledged", json={"ids": [first.id]}).raise_for_status()
    found = listed(other)
    assert [each.is_acknowledged for each in found.alerts] == [True, False]
    assert found.new == {"a": 1}
    client.put("api/alerts/muted", json={"run": "a", "is_muted": True}).raise_for_status()
    found = listed(other)
    assert (found.new, found.muted_runs, found.alerts[1].is_muted) == ({}, ["a"], True)
    client.put("api/alerts/muted", json={"run": "a", "is_muted": False}).raise_for_status()
    assert listed(other).new == {"a": 1}
    assert second.id != first.id


@pytest.mark.parametrize("body", [{}, {"is_muted": True}, {"run": "a", "rule": "b", "is_muted": True}, {"run": "a"}])
def test_either_a_run_or_a_rule_is_muted(tmp_path: Path, serve: Serve, body: dict[str, object]) -> None:
    """Everything else is refused."""
    client = serve(tmp_path / "logs", "--data-dir", str(tmp_path / "data"))
    assert client.put("api/alerts/muted", json=body).status_code == 422


def test_a_read_only_server_marks_nothing(tmp_path: Path, serve: Serve) -> None:
    """It lists alerts."""
    record(tmp_path / "logs" / "a")
    client = serve(tmp_path / "logs", "--read-only")
    assert listed(client).read_only
    assert len(listed(client).alerts) == 2
    assert client.post("api/alerts/acknowledged", json={"ids": ["x"]}).status_code == 403
    assert client.put("api/alerts/muted", json={"run": "a", "is_muted": True}).status_code == 403


@pytest.mark.parametrize("workers", ["1", "2"])
def test_alerts_of_rules_are_listed(tmp_path: Path, serve_process: Serve, workers: str) -> None:
    """With their deliveries, and once if the training recorded them; event streams report them."""
    rules = '[[rule]]\nname = "Bad"\nwhen = "nan(loss)"\nlevel = "error"\n[[rule]]\nname = "All"\nwhen = "alert"\n'
    with receiving() as receiver:
        (tmp_path / "alerts.toml").write_text(
            f'[destination.team]\nkind = "webhook"\nurl = "{receiver.url}"\n{rules}', encoding="utf-8"
        )
        arguments = ("--alerts", f"{tmp_path}/alerts.toml", "--data-dir", f"{tmp_path}/data", "--workers", workers)
        client = serve_process(tmp_path / "logs", *arguments)
        with client.stream("GET", "api/updates") as stream:
            lines = stream.iter_lines()
            record(tmp_path / "logs" / "a")
            assert any(json.loads(line[6:]).get("alerts") for line in lines if line.startswith("data: "))
        receiver.wait_for(3)
        wait_until(lambda: all(each.sent for alert in listed(client).alerts for each in alert.deliveries))
        found = wait_until(lambda: len((now := listed(client)).alerts) == 3 and now)

    assert sorted(brief(found.alerts)) == [
        ("a", "All", "First", "info", 3),
        ("a", "All", "Second", "error", 4),
        ("a", "Bad", "Bad", "error", 5),
    ]
    assert [(each.name, each.when) for each in found.rules] == [("Bad", "nan(loss)"), ("All", "alert")]


def test_a_muted_rule_sends_nothing(tmp_path: Path, serve_process: Serve) -> None:
    """Its alerts are listed."""
    with receiving() as receiver:
        (tmp_path / "alerts.toml").write_text(
            f'[destination.team]\nkind = "webhook"\nurl = "{receiver.url}"\n'
            '[[rule]]\nname = "Bad"\nwhen = "nan(loss)"\n[[rule]]\nname = "End"\nwhen = "finished"\n',
            encoding="utf-8",
        )
        client = serve_process(
            tmp_path / "logs", "--alerts", f"{tmp_path}/alerts.toml", "--data-dir", f"{tmp_path}/data"
        )
        client.put("api/alerts/muted", json={"rule": "Bad", "is_muted": True}).raise_for_status()
        record(tmp_path / "logs" / "a")
        receiver.wait_for(1)
        found = wait_until(lambda: len((now := listed(client)).alerts) == 4 and now)

    assert [each["rule"] for each in receiver.received] == ["End"]
    assert {each.rule: each.is_muted for each in found.alerts if each.rule} == {"Bad": True, "End": False}
