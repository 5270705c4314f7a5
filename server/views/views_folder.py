"""The saved views of one logdir: one file a view, and one that names the default view.

A file contains the name of its view; its own name is the hash of that name.
"""

import hashlib
import time
from typing import NamedTuple

import orjson

from toposcope.server.data_files.data_folder import hashed
from toposcope.server.data_files.json_files import SUFFIX, Content, DamagedFileError, JsonFiles
from toposcope.server.views.view import ListedView, View, ViewContent

MAX_VIEWS = 1000
_DEFAULT = "default" + SUFFIX


class Default(NamedTuple):
    """The choice of the default view."""

    name: str


class ConflictError(Exception):
    """The stored view is not the one that a change is based on.

    Args:
        stored: the view; None if there is none.
    """

    def __init__(self, stored: View | None) -> None:
        super().__init__()
        self.stored = stored


class TooManyViewsError(Exception):
    """There are as many views as may be stored."""


class NoViewError(LookupError):
    """There is no view of that name."""


class ViewsFolder:
    """Reads and changes saved views. Thread-safe; several servers may use the same folder."""

    def __init__(self, files: JsonFiles) -> None:
        self.files = files

    def read(self, file_name: str) -> View | Default:
        """Return what a file contains.

        Raises:
            OSError: the file cannot be read.
            DamagedFileError: it does not contain a view.
        """
        content = self.files.read(file_name)
        if file_name == _DEFAULT:
            return _default(content)
        view = _view(content)
        if hashed(view.listed.name) + SUFFIX != file_name:
            raise DamagedFileError(f"it contains the view {view.listed.name!r}, whose file has another name")
        return view

    def find(self, name: str) -> View | None:
        """Return a view; None if there is none, or its file is damaged.

        Raises:
            OSError: the file cannot be read.
        """
        try:
            view = self.read(hashed(name) + SUFFIX)
        except (FileNotFoundError, DamagedFileError):
            return None
        return view if isinstance(view, View) else None

    def replace(self, name: str, content: ViewContent, base: str | None) -> View:
        """Store a view in place of the version `base`; None: there must be none. Return what is stored.

        A damaged file is kept under another name.

        Raises:
            ConflictError: another version is stored.
            TooManyViewsError: a new view would be one too many.
            OSError: the folder cannot be written; nothing is changed.
        """
        file_name = hashed(name) + SUFFIX
        written: Content = {}

        def change(stored: Content | None) -> Content:
            if stored is not None and stored == written:  # The reply to the request that replaced it was lost.
                return written
            view = None if stored is None else _view(stored)
            if base != (view and view.listed.version):
                raise ConflictError(view)
            if stored is None:
                self._check_number(file_name)
            written.update({"name": name, "changed": time.time(), **content._asdict()})
            return written

        self.files.update(file_name, change, is_indented=False)
        return _view(written)

    def _check_number(self, file_name: str) -> None:
        names = self.files.stamps().keys() - {_DEFAULT}
        if file_name not in names and len(names) >= MAX_VIEWS:
            raise TooManyViewsError

    def delete(self, name: str, base: str) -> None:
        """Delete the version `base` of a view; a default view ceases to be the default.

        Raises:
            ConflictError: another version is stored.
            NoViewError: there is no such view.
            OSError: the folder cannot be written.
        """
        if self.find(name) is None:
            raise NoViewError

        def change(stored: Content | None) -> None:
            if stored is None:
                raise NoViewError
            view = _view(stored)
            if base != view.listed.version:
                raise ConflictError(view)

        self.files.update(hashed(name) + SUFFIX, change)
        if self._default_name() == name:
            self.files.update(_DEFAULT, lambda chosen: None if chosen == {"default": name} else chosen)

    def choose_default(self, name: str | None) -> None:
        """Make a view the default; None: there is no default.

        Raises:
            NoViewError: there is no such view.
            OSError: the folder cannot be written.
        """
        if name is None:
            if _DEFAULT in self.files.stamps():
                self.files.update(_DEFAULT, lambda _: None)
        elif self.find(name) is None:
            raise NoViewError
        else:
            self.files.update(_DEFAULT, lambda _: {"default": name})

    def _default_name(self) -> str | None:
        try:
            return _default(self.files.read(_DEFAULT)).name
        except (FileNotFoundError, DamagedFileError):
            return None


def _default(content: Content) -> Default:
    match content:
        case {"default": str(name)}:
            return Default(name)
    raise DamagedFileError("it does not name a view")


def _view(content: Content) -> View:
    match content:
        case {
            "name": str(name),
            "changed": int() | float() as changed,
            "page": str(page),
            "address": str(address),
            "workspace": dict() | None as workspace,
        }:
            version = hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]
            return View(ListedView(name, page, version, changed), address, workspace)
    raise DamagedFileError("it does not contain a view: expected name, changed, page, address and workspace")
