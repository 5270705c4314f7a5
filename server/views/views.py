"""The saved views of a logdir, kept up to date when this or another server changes them."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from toposcope.server.data_files.watching.watched_files import WatchedFiles
from toposcope.server.views.view import ListedView, View, ViewContent
from toposcope.server.views.views_folder import Default, NoViewError, ViewsFolder


class ViewsSnapshot(NamedTuple):
    """All saved views at some moment; never changes."""

    views: Mapping[str, ListedView]
    """The views, by name, sorted."""
    default: str | None
    """The name of one of them."""
    problems: list[str]
    """The reasons why views could not be read, one sentence each."""


NO_VIEWS = ViewsSnapshot(MappingProxyType({}), None, [])


class Views:
    """Watches a folder and publishes by replacing one reference."""

    def __init__(self, folder: ViewsFolder) -> None:
        self._folder = folder
        self._snapshot = NO_VIEWS
        self._files = WatchedFiles("views", folder.files, self._read, self._publish)

    @property
    def path(self) -> str:
        """The folder."""
        return self._files.path

    def start(self, subscriber: Callable[[], None]) -> None:
        """Start watching; subscriber is called, in any thread, after a change."""
        self._files.start(lambda _: subscriber())

    def stop(self) -> None:
        """Stop watching; returns when the thread has ended."""
        self._files.stop()

    def current(self) -> ViewsSnapshot:
        """Return all views as they are now."""
        self._files.look()
        return self._snapshot

    def read(self, name: str) -> View:
        """Return a view, which is read from its file: all views may take more memory than there is.

        Raises:
            NoViewError: there is no such view, or its file is damaged.
            OSError: it cannot be read.
        """
        view = self._folder.find(name)
        if view is None:
            raise NoViewError
        return view

    def replace(self, name: str, content: ViewContent, base: str | None) -> View:
        """Store a view; see ViewsFolder.replace."""
        view = self._folder.replace(name, content, base)
        self._files.refresh(is_changed=True)
        return view

    def delete(self, name: str, base: str) -> None:
        """Delete a view; see ViewsFolder.delete."""
        self._folder.delete(name, base)
        self._files.refresh(is_changed=True)

    def choose_default(self, name: str | None) -> None:
        """Choose the default view; see ViewsFolder.choose_default."""
        self._folder.choose_default(name)
        self._files.refresh(is_changed=True)

    def _read(self, file_name: str) -> ListedView | Default:
        entry = self._folder.read(file_name)
        return entry.listed if isinstance(entry, View) else entry

    def _publish(self, entries: list[ListedView | Default], problems: list[str]) -> list[str]:
        old = self._snapshot
        views = {entry.name: entry for entry in entries if isinstance(entry, ListedView)}
        default = next((entry.name for entry in entries if isinstance(entry, Default) and entry.name in views), None)
        self._snapshot = ViewsSnapshot(MappingProxyType(dict(sorted(views.items()))), default, problems)
        changed = [name for name in old.views.keys() | views.keys() if old.views.get(name) != views.get(name)]
        return changed if default == old.default else [*changed, "default"]
