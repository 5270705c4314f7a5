"""The table of the commands of the documentation that nothing runs; make docs-check runs the others."""

import re

import pytest
from support.documentation import commands
from support.documented_commands import LEFT_OUT, PAGES, pages_with_commands

ALL = [command for page in PAGES for command in commands(page)]


@pytest.mark.parametrize("pattern", LEFT_OUT)
def test_what_is_left_out_is_a_command_of_a_page(pattern: str) -> None:
    assert any(re.fullmatch(pattern, command) for command in ALL)


def test_pages_with_commands_are_found() -> None:
    assert {"README.md", "CONTRIBUTING.md", "docs/server.md", "docs/zh/getting_started.md"} <= set(
        pages_with_commands()
    )
