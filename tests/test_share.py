"""The man pages and completions of shells in share/ are those of the parsers: after a change, make share."""

import argparse
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from toposcope.recorder.landscapes import command as summary_landscape
from toposcope.server import cli
from toposcope.server.commands.serve_options import make_parser
from toposcope.server.process.version import VERSION

SHARE = Path(__file__).parent.parent / "share"
FILES = {
    "man": "man/man1/{}.1",
    "bash": "bash-completion/completions/{}",
    "zsh": "zsh/site-functions/_{}",
    "fish": "fish/vendor_completions.d/{}.fish",
}
SUBCOMMANDS = {name: cli.subcommand(name).make_parser() for name in cli.SUBCOMMANDS}
PARSERS: dict[str, list[argparse.ArgumentParser]] = {
    "summary-server": [make_parser(), *SUBCOMMANDS.values()],
    "summary-landscape": [summary_landscape.make_parser()],
}
OPTIONS = {
    "man": r"^\\fB(\\-\\-[\w\\-]+)\\fR",
    "bash": r"(?<=[( ])(--[a-z][\w-]+)(?=[^()]*\)$)",
    "zsh": r"^ +\"(?:\([^)]*\))?\*?(--[a-z][\w-]+)\[",
    "fish": r"^complete .* -l ([\w-]+)",
}
"""Regular expressions for the options in each kind of file."""


def documented(kind: str, command: str) -> str:
    """Return the content of the file of a command."""
    return (SHARE / FILES[kind].format(command)).read_text(encoding="utf-8")


def shown_actions(command: str) -> Iterator[argparse.Action]:
    """Yield the options and arguments of a command that its help shows."""
    for parser in PARSERS[command]:
        yield from (action for action in parser._actions if action.help != argparse.SUPPRESS)


@pytest.mark.parametrize("command", PARSERS)
@pytest.mark.parametrize("kind", FILES)
def test_options_are_those_of_the_parser(kind: str, command: str) -> None:
    """All of them, and no others."""
    found = re.findall(OPTIONS[kind], documented(kind, command), re.M)
    options = {f"--{name.replace(chr(92), '').removeprefix('--')}" for name in found}

    flags = {flag for action in shown_actions(command) for flag in action.option_strings if flag.startswith("--")}
    assert options - {"--help"} == flags - {"--help"}


@pytest.mark.parametrize("command", PARSERS)
def test_man_page_has_the_version_and_the_help_of_everything(command: str) -> None:
    """In the words of --help."""
    page = " ".join(documented("man", command).replace("\\-", "-").split())
    assert f'"Toposcope {VERSION}"' in page
    for action in shown_actions(command):
        text = (action.help or "").replace("%(default)s", str(action.default))
        assert isinstance(action, argparse._HelpAction | argparse._VersionAction) or text in page, action


@pytest.mark.parametrize("kind", FILES)
def test_subcommands_are_there(kind: str) -> None:
    """Each with its description."""
    text = documented(kind, "summary-server").replace("\\-", "-")
    for name, parser in SUBCOMMANDS.items():
        assert re.search(rf"\b{name}\b", text)
        assert kind == "bash" or (parser.description or "").partition("\n")[0].partition(",")[0] in text


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash")
@pytest.mark.parametrize(
    ("words", "completed"),
    [
        (["--met"], ["--metrics-public"]),
        (["insp"], ["inspect"]),
        (["inspect", "--j"], ["--json"]),
        (["--log-format", ""], ["text", "json"]),
    ],
)
def test_bash_completes_words(words: list[str], completed: list[str]) -> None:
    """Options, subcommands, options of subcommands, and choices."""
    script = """
        source "$1"; shift
        function=$(complete -p summary-server | sed 's/.*-F \\([^ ]*\\).*/\\1/')
        COMP_WORDS=(summary-server "$@"); COMP_CWORD=$#
        "$function" summary-server "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
        printf '%s\\n' "${COMPREPLY[@]}"
    """
    path = SHARE / FILES["bash"].format("summary-server")
    done = subprocess.run(["bash", "-c", script, "-", str(path), *words], capture_output=True, text=True, check=True)
    assert done.stdout.split() == completed


@pytest.mark.skipif(not shutil.which("groff"), reason="no groff")
@pytest.mark.parametrize("command", PARSERS)
def test_man_page_is_valid(command: str) -> None:
    """Groff knows all of its requests."""
    path = SHARE / FILES["man"].format(command)
    formatting = ["groff", "-man", "-Tutf8", "-P-c", "-P-b", "-P-u", "-wmac", "-Wbreak", str(path)]
    done = subprocess.run(formatting, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "SYNOPSIS" in done.stdout
