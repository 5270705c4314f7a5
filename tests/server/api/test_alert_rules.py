"""Rules of alerts that are made on the page."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from support import servers
from support.servers import Serve, new_client, wait_until
from support.webhooks import receiving

from toposcope.recorder import SummaryRecord
from toposcope.server.alerts.alert_files import MAX_PAGE_RULES

RULE = "api/alerts/rules/loss%20%3E%202"


def alerts(client: httpx.Client) -> list[tuple[str, str, int]]:
    """Return the run, the rule and the step of each alert of a rule, the oldest first."""
    listed = client.get("api/alerts").raise_for_status().json()["alerts"]
    return [(each["run"], each["rule"], each["step"]) for each in reversed(listed) if each["rule"]]


def record(recorder: SummaryRecord, step: int, loss: float) -> None:
    """Record a value of a run that goes on."""
    recorder.log({"loss": loss}, step)
    assert recorder.flush()


def read_step(client: httpx.Client, run: str, step: int) -> None:
    """Wait until the server has read a step of a run."""
    wait_until(lambda: any(each["run"] == run and each["last_step"] == step for each in runs_of(client)))


def runs_of(client: httpx.Client) -> list[dict[str, Any]]:
    """Return what is known of all runs."""
    return list(client.get("api/runs").json()["runs"])


@contextmanager
def served_by_process(logdir: Path, *arguments: str) -> Iterator[httpx.Client]:
    """Serve a logdir until the end of the block."""
    process, url = servers.start(logdir, *arguments)
    try:
        with new_client(url) as client:
            yield client
    finally:
        servers.stop(process)


def test_a_rule_is_made_read_replaced_and_deleted(tmp_path: Path, serve: Serve) -> None:
    """Another server of the same data folder lists it; an equal one stays as it is."""
    client, other = (serve(tmp_path / "logs", "--data-dir", str(tmp_path / "data")) for _ in range(2))
    made = client.put(RULE, json={"when": "loss > 2", "runs": "label:paper"}).raise_for_status().json()
    assert {**made, "made": 0} == {
        "name": "loss > 2",
        "when": "loss > 2",
        "runs": "label:paper",
        "level": "warn",
        "made": 0,
        "is_muted": False,
    }
    assert client.put(RULE, json={"when": "loss > 2", "runs": "label:paper"}).json() == made
    assert other.get(RULE).json() == made
    assert other.get("api/alerts").json()["rules"] == [made]
    replaced = other.put(RULE, json={"when": "loss > 3", "level": "error"}).raise_for_status().json()
    assert (replaced["when"], replaced["runs"], replaced["level"]) == ("loss > 3", "", "error")
    assert replaced["made"] > made["made"]
    assert client.get("api/alerts").json()["rules"] == [replaced]
    assert client.delete(RULE).status_code == 204
    assert other.get("api/alerts").json()["rules"] == []
    assert (other.get(RULE).status_code, other.delete(RULE).status_code) == (404, 404)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"when": ""}, "when = '': it is empty: expected a comparison such as"),
        ({"when": "nan(loss"}, "is none of: a comparison such as"),
        ({"when": "duration>long"}, "duration>long: expected a duration"),
        ({"when": "loss > 2", "runs": "(a"}, "runs = '(a'"),
        ({"when": "loss > 2", "runs": "started>soon"}, "started>soon: expected a date"),
        ({"when": "loss > 2", "level": "grave"}, "level"),
        ({}, "when"),
    ],
)
def test_what_is_no_rule_is_refused(tmp_path: Path, serve: Serve, body: dict[str, str], expected: str) -> None:
    """With what was expected."""
    client = serve(tmp_path / "logs", "--data-dir", str(tmp_path / "data"))
    reply = client.put(RULE, json=body)
    assert reply.status_code == 422
    assert expected in reply.json()["detail"]
    assert client.get("api/alerts").json()["rules"] == []


def test_rules_are_limited(tmp_path: Path, serve: Serve) -> None:
    """One more is refused until another one is deleted."""
    client = serve(tmp_path / "logs", "--data-dir", str(tmp_path / "data"))
    replies = [client.put(f"api/alerts/rules/{n}", json={"when": "stalled"}) for n in range(MAX_PAGE_RULES + 1)]
    assert [reply.status_code for reply in replies] == [200] * MAX_PAGE_RULES + [422]
    assert client.put("api/alerts/rules/0", json={"when": "failed"}).status_code == 200


def test_a_read_only_server_makes_and_deletes_none(tmp_path: Path, serve: Serve) -> None:
    """It has no other way to change anything either."""
    client = serve(tmp_path / "logs", "--read-only")
    assert client.put(RULE, json={"when": "loss > 2"}).status_code == 403
    assert client.delete(RULE).status_code == 403


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_rule_fires_while_a_run_grows(tmp_path: Path, serve_process: Serve, workers: str) -> None:
    """Without --alerts; for what happens after it was made, in the runs of its search, until it is deleted."""
    client = serve_process(tmp_path / "logs", "--data-dir", f"{tmp_path}/data", "--workers", workers)
    with SummaryRecord(tmp_path / "logs" / "a") as one, SummaryRecord(tmp_path / "logs" / "b") as other:
        for recorder in (one, other):
            record(recorder, 1, 9.0)
            record(recorder, 2, 1.0)
        read_step(client, "a", 2)
        client.put(RULE, json={"when": "loss > 2", "runs": "name:a"}).raise_for_status()
        for step, loss in ((3, 1.0), (4, 3.0), (5, 1.0), (6, 3.0)):
            record(one, step, loss)
            record(other, step, loss)
        assert wait_until(lambda: alerts(client)) == [("a", "loss > 2", 4)]

        client.put("api/alerts/rules/other", json={"when": "loss > 4"}).raise_for_status()
        client.delete(RULE).raise_for_status()
        record(one, 7, 5.0)
        record(other, 7, 5.0)
        wait_until(lambda: len(alerts(client)) == 3)
    assert sorted(alerts(client)[1:]) == [("a", "other", 7), ("b", "other", 7)]


def test_a_rule_survives_a_restart(tmp_path: Path) -> None:
    """It raises nothing again, and what happened meanwhile."""
    arguments = ("--data-dir", f"{tmp_path}/data")
    with SummaryRecord(tmp_path / "logs" / "a") as one, SummaryRecord(tmp_path / "logs" / "b") as other:
        record(one, 1, 1.0)
        record(other, 1, 3.0)
        with served_by_process(tmp_path / "logs", *arguments) as client:
            read_step(client, "b", 1)
            client.put(RULE, json={"when": "loss > 2"}).raise_for_status()
            record(one, 2, 3.0)
            wait_until(lambda: alerts(client))
        record(one, 3, 1.0)
        record(one, 4, 3.0)
        record(other, 2, 1.0)
        record(other, 3, 3.0)
        with served_by_process(tmp_path / "logs", *arguments) as client:
            wait_until(lambda: len(alerts(client)) > 1)
            assert alerts(client) == [("a", "loss > 2", 2), ("b", "loss > 2", 3)]


def test_a_rule_sends_to_the_destinations_of_the_file(tmp_path: Path, serve_process: Serve) -> None:
    """Although another server of the data folder has none; a rule of the file keeps its name."""
    with receiving() as receiver:
        destination = f'[destination.team]\nkind = "webhook"\nurl = "{receiver.url}"\n'
        rules = destination + '[[rule]]\nname = "End"\nwhen = "finished"\n'
        (tmp_path / "alerts.toml").write_text(rules, encoding="utf-8")
        arguments = ("--data-dir", f"{tmp_path}/data")
        plain = serve_process(tmp_path / "logs", *arguments)
        client = serve_process(tmp_path / "logs", *arguments, "--alerts", f"{tmp_path}/alerts.toml")
        plain.put(RULE, json={"when": "loss > 2"}).raise_for_status()
        refused = plain.put("api/alerts/rules/End", json={"when": "loss > 2"})
        assert refused.json() == {"detail": "a rule of --alerts has the name 'End': expected another name"}
        with SummaryRecord(tmp_path / "logs" / "a") as recorder:
            record(recorder, 1, 3.0)
        received = receiver.wait_for(2)
        assert sorted((each["rule"], each["step"]) for each in received) == [("End", 1), ("loss > 2", 1)]
        assert [rule["name"] for rule in client.get("api/alerts").json()["rules"]] == ["End", "loss > 2"]
        assert sorted(alerts(client)) == [("a", "End", 1), ("a", "loss > 2", 1)]
