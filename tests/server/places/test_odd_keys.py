"""Keys of an object store that are no paths: everything else is listed, and they are reported."""

import subprocess
import sys
from collections.abc import Iterator

import boto3
import pytest
from support.event_files import loss_run
from support.s3_server import BUCKET, S3Server, s3_server

OPEN = """
import sys, toposcope.server
logdir = toposcope.server.open(sys.argv[1])
print(sorted(logdir.runs), list(logdir.problems))
"""


@pytest.fixture(scope="module")
def store() -> Iterator[S3Server]:
    """Start an empty store."""
    with s3_server() as server:
        yield server


@pytest.mark.parametrize("odd", ["/double/x", "./x", "../x", "new/../x", "new/a\x01b/x", "zero//"])
def test_an_odd_key_hides_no_run(store: S3Server, tmp_path_factory: pytest.TempPathFactory, odd: str) -> None:
    """It is among the problems."""
    prefix = f"logs{sum(odd.encode())}"
    folder = tmp_path_factory.mktemp("runs")
    for name in ("1st", "new", "zero"):
        loss_run(folder / name, range(3))
    store.put_tree(folder, prefix)
    environment = store.environment
    client = boto3.client(
        "s3",
        endpoint_url=store.url,
        aws_access_key_id=environment["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=environment["AWS_SECRET_ACCESS_KEY"],
        region_name=environment["AWS_REGION"],
    )
    client.put_object(Bucket=BUCKET, Key=f"{prefix}/{odd}", Body=b"x")

    command = [sys.executable, "-c", OPEN, f"s3://{BUCKET}/{prefix}"]
    result = subprocess.run(command, env=environment, capture_output=True, text=True)

    assert result.stdout.startswith("['1st', 'new', 'zero'] ['s3://"), result.stderr
    assert "its key is not a path" in result.stderr
