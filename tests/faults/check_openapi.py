"""Many requests to every operation of the OpenAPI document, also at the limits of parameters: make faults."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings
from schemathesis import Case, GenerationMode
from support.described_requests import any_request, requests_about_existing_names, send_and_check, served_runs

described, named = any_request(list(GenerationMode)), requests_about_existing_names()


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve runs."""
    with served_runs(tmp_path_factory.mktemp("logdir")) as url:
        yield url


@described.parametrize()
@settings(max_examples=5, deadline=None)
def test_replies_to_any_request_are_as_declared(case: Case[Any], url: str) -> None:
    """Status, content type and model of each reply are declared."""
    send_and_check(case, url)


@named.parametrize()
@settings(max_examples=20, deadline=None)
def test_replies_about_existing_names_are_as_declared(case: Case[Any], url: str) -> None:
    """Likewise for the runs and tags of the logdir, including hostile ones."""
    send_and_check(case, url)
