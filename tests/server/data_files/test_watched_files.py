"""Watched files: what a server knows of a folder."""

import threading
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

from toposcope.server.data_files.json_files import Content, Stamp
from toposcope.server.data_files.json_folder import JsonFolder
from toposcope.server.data_files.watching.watched_files import WatchedFiles


class SlowFolder(JsonFolder):
    """A folder that is listed when the test says so."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "logdir", 1 << 20)
        self.requested, self.listed = threading.Event(), threading.Event()

    @property
    def is_slow(self) -> bool:
        """True."""
        return True

    def stamps(self) -> dict[str, Stamp]:
        """Return the stamps, once the test lets it."""
        self.requested.set()
        self.listed.wait()
        return super().stamps()


def test_first_request_waits_until_a_slow_folder_is_read(tmp_path: Path) -> None:
    """A request that arrives while the folder is read for the first time gets what is there, not nothing."""
    folder = SlowFolder(tmp_path)
    folder.update("a.json", lambda _: {"alias": "best"})
    published: list[Content] = []

    def publish(entries: list[Content], _: list[str]) -> list[str]:
        published.extend(entries)
        return ["a"]

    def request() -> list[Content]:
        files.look()
        return list(published)

    files = WatchedFiles("notes", folder, folder.read, publish)
    files.start(lambda _: None)
    folder.requested.wait()
    with ThreadPoolExecutor() as pool:
        reply = pool.submit(request)
        wait([reply], timeout=0.1)
        folder.listed.set()
        assert reply.result() == [{"alias": "best"}]
    files.stop()
