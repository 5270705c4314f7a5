"""Rules that summary-server --alerts watches, and what a webhook receives."""

import signal
from pathlib import Path

import orjson
import pytest
from support import servers
from support.killed_alerts import kill_servers
from support.servers import Serve, wait_until
from support.webhooks import Receiver, RulesFor

from toposcope.recorder import SummaryRecord

NAN = float("nan")


def record(directory: Path, **series: list[float]) -> None:
    """Record series of a finished run, one point a step from 1 on."""
    with SummaryRecord(directory) as recorder:
        for step in range(1, 1 + max(map(len, series.values()))):
            recorder.log({tag: values[step - 1] for tag, values in series.items() if step <= len(values)}, step)


def titles(receiver: Receiver) -> list[tuple[str, str, int]]:
    """Return the run, the rule and the step of what was received, sorted."""
    return sorted((each["run"], each["rule"], each["step"]) for each in receiver.received)


def test_values_and_states_raise_alerts(
    tmp_path: Path, serve_process: Serve, receiver: Receiver, rules_for: RulesFor
) -> None:
    """While runs grow; once a run and rule, however often the condition holds."""
    rules = ("nan(loss)", "loss > 1.5 * min(loss) for 2 steps", "finished", "gap - loss >= 5")
    serve_process(tmp_path / "logs", "--alerts", rules_for(*rules), "--data-dir", f"{tmp_path}/data")
    record(tmp_path / "logs" / "bad", loss=[1.0, NAN, 1.0, NAN, 1.6, 1.0, 1.6, 1.7, 1.8, 1.9])
    record(tmp_path / "logs" / "good", loss=[1.0, 0.9, 0.8], gap=[5.0, 5.9])
    receiver.wait_for(5)

    assert titles(receiver) == [
        ("bad", "finished", 10),
        ("bad", "loss > 1.5 * min(loss) for 2 steps", 9),
        ("bad", "nan(loss)", 2),
        ("good", "finished", 3),
        ("good", "gap - loss >= 5", 2),
    ]
    (diverged,) = [each for each in receiver.received if each["step"] == 9]
    assert diverged["text"] == (
        "At step 9, loss is 1.8 and 1.5 * min(loss) is 1.5 (loss > 1.5 * min(loss) for 2 steps)."
    )


def test_a_growing_run_is_looked_at_once(
    tmp_path: Path, serve_process: Serve, receiver: Receiver, rules_for: RulesFor
) -> None:
    """What held before, and the smallest value so far, are remembered."""
    serve_process(
        tmp_path / "logs", "--alerts", rules_for("loss > 2 * min(loss) for 3 steps"), "--data-dir", f"{tmp_path}/data"
    )
    with SummaryRecord(tmp_path / "logs" / "a", flush_seconds=0.05) as recorder:
        for step, loss in enumerate([1.0, 3.0, 3.0, 1.0, 3.0, 3.0, 3.0], 1):
            recorder.log({"loss": loss}, step)
            assert recorder.flush()
            assert not receiver.received
        recorder.log({"loss": 3.0}, 8)
        assert recorder.flush()
        receiver.wait_for(1)
    assert titles(receiver) == [("a", "loss > 2 * min(loss) for 3 steps", 8)]


def test_a_cool_down_allows_further_alerts(
    tmp_path: Path, serve_process: Serve, receiver: Receiver, rules_for: RulesFor
) -> None:
    """After it, if the condition did not hold meanwhile."""
    path = rules_for("loss > 2", more='cooldown = "0s"\nruns = "-name:debug"')
    serve_process(tmp_path / "logs", "--alerts", path, "--data-dir", f"{tmp_path}/data")
    record(tmp_path / "logs" / "debug", loss=[3.0])
    record(tmp_path / "logs" / "a", loss=[1.0, 3.0, 3.0, 1.0, 3.0, 1.0])
    receiver.wait_for(2)
    assert titles(receiver) == [("a", "loss > 2", 2), ("a", "loss > 2", 5)]


def test_alerts_of_trainings_are_sent(
    tmp_path: Path, serve_process: Serve, receiver: Receiver, rules_for: RulesFor
) -> None:
    """Each of them, with its own title and level."""
    serve_process(tmp_path / "logs", "--alerts", rules_for("alert"), "--data-dir", f"{tmp_path}/data")
    with SummaryRecord(tmp_path / "logs" / "a") as recorder:
        recorder.alert("First", "one", "info", step=1)
        recorder.alert("Second", "two", "error", step=2)
    receiver.wait_for(2)
    assert [(each["title"], each["text"], each["level"], each["step"]) for each in receiver.received] == [
        ("First", "one", "info", 1),
        ("Second", "two", "error", 2),
    ]


def test_a_failing_webhook_is_tried_again(
    tmp_path: Path, serve_process: Serve, receiver: Receiver, rules_for: RulesFor
) -> None:
    """One that hangs delays no other destination."""
    hanging = f'[destination.hanging]\nkind = "slack"\nurl = "{receiver.url}"\n'
    path = Path(rules_for("finished"))
    path.write_text(path.read_text().replace("[[rule]]", f"{hanging}\n[[rule]]"))
    receiver.answers = [0, 500]
    serve_process(tmp_path / "logs", "--alerts", str(path), "--data-dir", f"{tmp_path}/data")
    record(tmp_path / "logs" / "a", loss=[1.0])
    receiver.wait_for(1)
    assert receiver.requests == 3
    receiver.released.set()
    receiver.wait_for(2)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_restart_sends_what_was_not_sent(
    tmp_path: Path, receiver: Receiver, rules_for: RulesFor, number: signal.Signals
) -> None:
    """And nothing again; what happened meanwhile is noticed, and what was long before the first start is not."""
    arguments = ("--alerts", rules_for("finished", "nan(loss)"), "--data-dir", f"{tmp_path}/data")
    record(tmp_path / "logs" / "first", loss=[NAN])
    process, _ = servers.start(tmp_path / "logs", *arguments)
    receiver.wait_for(2)
    wait_until(lambda: all(sent(tmp_path / "data")))
    process.send_signal(number)
    process.ended()
    record(tmp_path / "logs" / "second", loss=[NAN])
    receiver.answers = [500]
    process, _ = servers.start(tmp_path / "logs", *arguments)
    receiver.wait_for(4)
    servers.stop(process)

    rules = ("finished", "nan(loss)")
    assert titles(receiver) == [(run, rule, 1) for run in ("first", "second") for rule in rules]


def sent(data: Path) -> list[bool]:
    """Return whether each alert in the data folder has been sent."""
    files = [orjson.loads(path.read_bytes()) for path in data.glob("alerts/*/*.json")]
    return [each["deliveries"]["team"]["sent"] is not None for each in files if "deliveries" in each]


def test_every_alert_arrives_although_servers_are_killed(tmp_path: Path) -> None:
    """At least once; again only if a server was killed between sending and noting that."""
    outcome = kill_servers(tmp_path, kills=3, seed=1)
    assert set(outcome.received) == outcome.expected
    assert outcome.duplicates <= 3
