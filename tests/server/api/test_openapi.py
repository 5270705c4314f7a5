"""Schemathesis sends requests that the OpenAPI document allows, and invalid ones, to a real server.

A few to each operation; `make faults` sends many (tests/faults/check_openapi.py). Neither the document nor the requests
are made while tests are collected, as every worker of pytest-xdist collects all.
"""

from collections.abc import Iterator
from contextlib import suppress

import pytest
from hypothesis import given, settings
from schemathesis import BaseSchema, Case, GenerationMode
from schemathesis.core.control import SkipTest
from schemathesis.core.result import Ok
from support.described_requests import any_request, requests_about_existing_names, send_and_check, served_runs

EXAMPLES = 3


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve runs."""
    with served_runs(tmp_path_factory.mktemp("logdir")) as url:
        yield url


def send_examples(schema: BaseSchema, mode: GenerationMode, url: str) -> None:
    """Send some requests to each operation, and check the replies."""
    for result in schema.get_all_operations():
        assert isinstance(result, Ok), result
        strategy = result.ok().as_strategy(generation_mode=mode)

        @settings(max_examples=EXAMPLES, deadline=None, derandomize=True, database=None)
        @given(strategy)
        def send(case: Case) -> None:
            send_and_check(case, url)

        with suppress(SkipTest):  # No request to an operation without parameters is invalid.
            send()


@pytest.mark.parametrize("mode", GenerationMode)
def test_replies_to_any_request_are_as_declared(mode: GenerationMode, url: str) -> None:
    """Status, content type and model of each reply are declared."""
    send_examples(any_request([mode]), mode, url)


def test_replies_about_existing_names_are_as_declared(url: str) -> None:
    """Likewise for the runs and tags of the logdir, including hostile ones."""
    send_examples(requests_about_existing_names(), GenerationMode.POSITIVE, url)
