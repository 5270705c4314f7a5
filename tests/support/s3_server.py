"""Real servers of the S3 protocol, each in a process of its own: moto's, and s3rver where it is installed."""

import contextlib
import re
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

import obstore
from obstore.store import S3Store

BUCKET = "runs"
S3RVER = Path(__file__).parents[2] / "build/interop/s3rver/node_modules/s3rver/bin/s3rver.js"
"""Written independently of moto; stores objects whatever their conditions are. For `make interop-store`."""


class S3Server(NamedTuple):
    """A running server with one empty bucket."""

    url: str
    environment: dict[str, str]
    """What clients read: the endpoint and credentials."""
    process: subprocess.Popen[str]

    @property
    def client(self) -> S3Store:
        """A client of the bucket."""
        return S3Store(
            BUCKET,
            endpoint=self.url,
            access_key_id=self.environment["AWS_ACCESS_KEY_ID"],
            secret_access_key=self.environment["AWS_SECRET_ACCESS_KEY"],
            region=self.environment["AWS_REGION"],
            client_options={"allow_http": True},
        )

    def put(self, key: str, content: bytes) -> None:
        """Store an object in the bucket."""
        obstore.put(self.client, key, content)

    def put_tree(self, folder: Path, prefix: str) -> None:
        """Store the files below a folder."""
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                self.put(f"{prefix}/{path.relative_to(folder)}", path.read_bytes())


@contextlib.contextmanager
def s3_server() -> Iterator[S3Server]:
    """Start moto's server with an empty bucket; end it when the block ends."""
    with _running([sys.executable, "-c", _PROGRAM], "test") as server:
        urllib.request.urlopen(urllib.request.Request(f"{server.url}/{BUCKET}", method="PUT")).close()
        yield server


@contextlib.contextmanager
def s3rver() -> Iterator[S3Server]:
    """Start s3rver with an empty bucket; end it when the block ends."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["node", str(S3RVER), "--directory", folder, "--port", "0", "--configure-bucket", BUCKET]
        with _running([*command, "--silent"], "S3RVER") as server:
            yield server


@contextlib.contextmanager
def _running(command: list[str], key: str) -> Iterator[S3Server]:
    """Start a server that prints its address first."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            url = _address(process.stdout)
            environment = {
                "AWS_ENDPOINT_URL": url,
                "AWS_ACCESS_KEY_ID": key,
                "AWS_SECRET_ACCESS_KEY": key,
                "AWS_REGION": "us-east-1",
                "AWS_ALLOW_HTTP": "true",
            }
            yield S3Server(url, environment, process)
        finally:
            process.kill()


def _address(output: IO[str]) -> str:
    for line in output:
        if match := re.search(r"(127\.0\.0\.1|localhost|\[::\]|0\.0\.0\.0):(\d+)", line):
            return f"http://127.0.0.1:{match[2]}"
    raise AssertionError("the server has ended")


# moto looks at the condition of a PUT and stores the object later: two threads may both find it met, unlike in S3.
_PROGRAM = """
import threading
from moto.s3.responses import S3Response
from moto.server import ThreadedMotoServer

put, lock = S3Response.put_object, threading.Lock()

def put_alone(response):
    with lock:
        return put(response)

S3Response.put_object = put_alone
server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
print("http://%s:%d" % server.get_host_and_port(), flush=True)
threading.Event().wait()
"""
