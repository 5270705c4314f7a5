"""Lists the objects of a store, also if some keys are no paths: with an empty part, ".", ".." or a control character.

obstore refuses a whole page of the listing for one such key, and says which it is.
"""

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from obstore.store import ObjectStore as Client

_KEY = re.compile(r'path: "((?:[^"\\]|\\.)*)"')
_ESCAPE = re.compile(r"\\u\{([0-9a-f]+)\}|\\(.)")
_PROBLEM = "its key is not a path, so it is skipped"
_MAX_ODD = 1000
"""Names in one directory."""


class StoreListing(NamedTuple):
    """What was found below a prefix."""

    objects: list[Any]
    skipped: dict[str, str]
    """The reasons why keys were skipped, by the keys as far as they are relative to the store's own prefix."""


def list_objects(client: "Client", below: str | None, own_prefix: str) -> StoreListing:
    """Return all objects below a prefix; those whose keys are no paths are skipped.

    Args:
        client: of the store.
        below: a prefix without "/" at its end; None: everything.
        own_prefix: what the client adds to keys; "" if nothing.

    Raises:
        BaseError: of obstore; the store cannot be reached, or refuses.
    """
    import obstore
    from obstore.exceptions import InvalidPathError

    found: dict[str, Any] = {}
    skipped: dict[str, str] = {}
    pending = [below]
    while pending:
        prefix = pending.pop()
        refused = _take(obstore.list(client, prefix), found)
        if refused is None:
            continue
        try:  # Each directory in it for itself.
            level: Any = obstore.list_with_delimiter(client, prefix)
        except InvalidPathError:  # A name in it is odd.
            pending += _take_behind(client, prefix, _key_in(refused, own_prefix), own_prefix, found, skipped)
            continue
        found |= {each["path"]: each for each in level["objects"]}
        pending += level["common_prefixes"]
        if not level["common_prefixes"]:
            skipped[_key_in(refused, own_prefix)] = _PROBLEM
    return StoreListing([found[path] for path in sorted(found)], skipped)


def _take(pages: Any, found: dict[str, Any]) -> Exception | None:
    """Add the objects of a listing up to the page that is refused; return the error, or None if there is none."""
    from obstore.exceptions import InvalidPathError

    try:
        for page in pages:
            found |= {each["path"]: each for each in page}
    except InvalidPathError as error:
        return error
    return None


def _take_behind(
    client: "Client", prefix: str | None, key: str, own_prefix: str, found: dict[str, Any], skipped: dict[str, str]
) -> list[str]:
    """Add the objects in a directory behind each odd name in it; return the directories that must be listed themselves.

    Those before an odd name on the same page of the listing cannot be listed; names that sort before it are rare.
    """
    import obstore

    start = f"{prefix}/" if prefix else ""
    directories = []
    for _ in range(_MAX_ODD):
        name = key[len(start) :].partition("/")[0]
        if _is_odd(name):
            skipped[key] = _PROBLEM
        else:
            directories.append(start + name)
        refused = _take(obstore.list(client, prefix, offset=start + _behind(name)), found)
        if refused is None:
            return directories
        key = _key_in(refused, own_prefix)
    skipped[start] = f"more than {_MAX_ODD} of its keys are not paths, so the others are skipped"
    return directories


def _behind(name: str) -> str:
    """Return a name that sorts behind a directory, and that is a path."""
    control = next((at for at, letter in enumerate(name) if _is_control(letter)), None)
    if control is None:
        return f"{name}0"  # It follows "/".
    return name[:control] + (" " if name[control] < " " else "\u00a0")


def _is_control(letter: str) -> bool:
    return letter < " " or letter == "\x7f"


def _is_odd(name: str) -> bool:
    return name in ("", ".", "..") or any(map(_is_control, name))


def _key_in(error: Exception, own_prefix: str) -> str:
    """Return the key that an error of obstore names, without the prefix that the client adds."""
    found = _KEY.search(str(error))
    if found is None:
        raise error
    key = _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if match[1] else match[2], found[1])
    return key.removeprefix(f"{own_prefix}/") if own_prefix else key
