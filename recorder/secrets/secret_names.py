"""Names of secrets: which names of flags, variables and entries indicate that their values are secret."""

import re
from functools import lru_cache

_MAX_NAME = 200
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_SECRET = {"apikey", "credential", "credentials", "passcode", "passphrase", "passwd", "password", "passwords", "pwd"}
_SECRET |= {"secret", "secrets"}
# Words that name a secret only at the end of a name: token_dim is not a secret. "key" is one by itself or after one of
# the kinds of keys.
_SECRET_AT_END = {"auth", "authorization", "bearer", "cookie", "pass", "pat", "sig", "signature"}
_ENDS = ("token", "password", "passwd", "secret", "apikey", "accesskey", "secretkey", "privatekey")
_KINDS_OF_KEY = {"access", "account", "api", "auth", "dec", "decryption", "enc", "encryption", "license", "private"}
_KINDS_OF_KEY |= {"service", "shared", "signing", "ssh"}
# Anywhere in the name of a constant or an environment variable.
_SECRET_IN_CONSTANTS = {"key", "keys", "token"}


@lru_cache(maxsize=8192)
def names_secret(name: str) -> bool:
    """Return whether a name, of a flag or a variable, indicates a secret."""
    words = _words(name)
    if not words:
        return False
    last = words[-1]
    if not _SECRET.isdisjoint(words) or last in _SECRET_AT_END or last.endswith(_ENDS):
        return True
    if name.isupper() and (last.endswith("key") or not _SECRET_IN_CONSTANTS.isdisjoint(words)):
        return True
    return (last == "key" and len(words) == 1) or (last in ("key", "keys") and words[-2:-1] in _LAST_KINDS)


@lru_cache(maxsize=8192)
def names_only_secrets(name: str) -> bool:
    """Return whether a name is hardly used for anything else: a "password", but not a "key" or "token"."""
    return not _SECRET.isdisjoint(_words(name))


_LAST_KINDS = [[kind] for kind in _KINDS_OF_KEY]


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name[-_MAX_NAME:])]
