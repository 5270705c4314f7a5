"""The file of --alerts."""

import math
from pathlib import Path

import pytest
from support import servers

from toposcope.server.alerts.rules.rules_file import RulesError, read_rules
from toposcope.server.alerts.sending.destinations import Slack

TEAM = '[destination.team]\nkind = "slack"\nurl = "https://example.org/hook"\n'
RULE = '[[rule]]\nname = "Failed"\nwhen = "state:failed"\n'


def written(directory: Path, text: str) -> str:
    """Write a file of rules; return its path."""
    path = directory / "alerts.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_rules_and_destinations(tmp_path: Path) -> None:
    """A rule sends to all destinations, unless it names some; it raises one alert a run, unless it has a cool-down."""
    second = '[[rule]]\nname = "Slow"\nwhen = "stalled"\nruns = "label:paper"\n'
    second += 'level = "error"\ncooldown = "30m"\nsend = []\n'
    found = read_rules(written(tmp_path, TEAM + RULE + second))
    first, other = found.rules

    assert (first.name, first.level, first.cooldown, first.destinations, first.runs) == (
        "Failed",
        "warn",
        math.inf,
        ("team",),
        None,
    )
    assert (other.level, other.cooldown, other.destinations) == ("error", 1800, ())
    assert other.runs is not None
    assert isinstance(found.destinations["team"], Slack)


def test_secrets_come_from_files_and_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are not shown."""
    monkeypatch.setenv("HOOK", "https://example.org/secret")
    (tmp_path / "token").write_text("hidden\n")
    text = (
        '[destination.a]\nkind = "slack"\nurl = {env = "HOOK"}\n'
        f'[destination.b]\nkind = "ntfy"\nurl = "https://ntfy.sh/x"\ntoken = {{file = "{tmp_path}/token"}}\n'
    )
    found = read_rules(written(tmp_path, text + RULE))
    shown = repr(found)

    assert "secret" not in shown
    assert "hidden" not in shown
    assert [each.model_dump()["url"].get_secret_value() for each in found.destinations.values()] == [
        "https://example.org/secret",
        "https://ntfy.sh/x",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rule = 1", "rule: "),
        ("[[rule]", "is not TOML"),
        (TEAM, "has no rules: expected [[rule]] with name and when"),
        ('[[rule]]\nname = "x"\n', "rule 'x': when: Field required"),
        ('[[rule]]\nwhen = "stalled"\n', "rule 1: name: Field required"),
        (RULE + "colour = 1\n", "rule 'Failed': colour: Extra inputs are not permitted"),
        (RULE + RULE, "2 rules have the name 'Failed': expected different names"),
        ('[[rule]]\nname = "x"\nwhen = "nan("\n', "rule 'x': when = 'nan(': "),
        (RULE + 'runs = "lr<"\n', "rule 'Failed': runs = 'lr<': expected"),
        (RULE + 'cooldown = "soon"\n', "cooldown = 'soon': expected a duration such as 90s"),
        (RULE + 'level = "fatal"\n', "level: Input should be 'info', 'warn' or 'error'"),
        (TEAM + RULE + 'send = ["other"]\n', "send = 'other': the file has 'team'"),
        ('[destination.x]\nkind = "pager"\n' + RULE, "destination 'x': "),
        ('[destination.x]\nkind = "slack"\n' + RULE, "destination 'x': url: Field required"),
        ('[destination.x]\nkind = "slack"\nurl = "no"\n' + RULE, "url: expected an address that begins with http"),
        (
            '[destination.x]\nkind = "slack"\nurl = {env = "TOPOSCOPE_NONE"}\n' + RULE,
            "url: the environment variable TOPOSCOPE_NONE is not set",
        ),
        ('[destination.x]\nkind = "slack"\nurl = {file = "/none"}\n' + RULE, "url: the file '/none' cannot be read"),
        ('[destination.x]\nkind = "slack"\nurl = {vault = "x"}\n' + RULE, 'url: expected a text, {env = "NAME"} or'),
        ('[destination.x]\nkind = "ntfy"\nurl = "https://ntfy.sh"\n' + RULE, "expected the address of a topic"),
    ],
)
def test_what_was_expected(tmp_path: Path, text: str, expected: str) -> None:
    """The message names the rule or the destination, and contains no value that may be a secret."""
    with pytest.raises(RulesError) as raised:
        read_rules(written(tmp_path, text))
    assert expected in str(raised.value)


def test_a_server_with_wrong_rules_does_not_start(tmp_path: Path) -> None:
    """It exits with the status 2, and one line."""
    path = written(tmp_path, '[[rule]]\nname = "Diverged"\nwhen = "loss > foo(loss) for 5 steps"\n')
    found = servers.run("--logdir", tmp_path, "--port", 0, "--alerts", path)
    assert found.returncode == 2
    assert found.stderr.startswith(f"summary-server: {path}: rule 'Diverged': when = 'loss > foo(loss) for 5 steps'")
    missing = servers.run("--logdir", tmp_path, "--port", 0, "--alerts", tmp_path / "none.toml")
    assert missing.returncode == 2
    assert "none.toml" in missing.stderr
