"""A real server of the S3 protocol, moto's, in a process of its own."""

import contextlib
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import obstore
from obstore.store import S3Store

BUCKET = "runs"


class S3Server(NamedTuple):
    """A running server with one empty bucket."""

    url: str
    environment: dict[str, str]
    """What clients read: the endpoint and credentials."""
    process: subprocess.Popen[str]

    def put(self, key: str, content: bytes) -> None:
        """Store an object in the bucket."""
        client = S3Store(
            BUCKET,
            endpoint=self.url,
            access_key_id="test",
            secret_access_key="test",
            region="us-east-1",
            client_options={"allow_http": True},
        )
        obstore.put(client, key, content)

    def put_tree(self, folder: Path, prefix: str) -> None:
        """Store the files below a folder."""
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                self.put(f"{prefix}/{path.relative_to(folder)}", path.read_bytes())


@contextlib.contextmanager
def s3_server() -> Iterator[S3Server]:
    """Start a server with an empty bucket; end it when the block ends."""
    command = [sys.executable, "-c", _PROGRAM]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            environment = {
                "AWS_ENDPOINT_URL": url,
                "AWS_ACCESS_KEY_ID": "test",
                "AWS_SECRET_ACCESS_KEY": "test",
                "AWS_REGION": "us-east-1",
                "AWS_ALLOW_HTTP": "true",
            }
            server = S3Server(url, environment, process)
            urllib.request.urlopen(urllib.request.Request(f"{url}/{BUCKET}", method="PUT")).close()
            yield server
        finally:
            process.kill()


_PROGRAM = """
from moto.server import ThreadedMotoServer
import threading
server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
server.start()
print("http://%s:%d" % server.get_host_and_port(), flush=True)
threading.Event().wait()
"""
