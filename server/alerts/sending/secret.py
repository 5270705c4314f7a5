"""Texts of a rules file that are secrets: from the environment, from a file, or as they are."""

import os
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, SecretStr

_EXPECTED = 'expected a text, {env = "NAME"} or {file = "PATH"}'
_LARGEST_FILE = 64 << 10


class _Source(BaseModel):
    model_config = ConfigDict(extra="forbid")

    env: str | None = None
    file: str | None = None


def _read(value: Any) -> Any:
    """Return the secret that a value of a rules file stands for; a ValueError if it is not available."""
    if isinstance(value, str | SecretStr):
        return value
    if not isinstance(value, dict) or len(value) != 1 or not value.keys() <= _Source.model_fields.keys():
        raise ValueError(_EXPECTED)
    source = _Source.model_validate(value)
    if source.env is not None:
        if not os.environ.get(source.env):
            raise ValueError(f"the environment variable {source.env} is not set")
        return os.environ[source.env]
    try:
        with Path(source.file or "").expanduser().open(encoding="utf-8") as file:
            text = file.read(_LARGEST_FILE).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"the file {source.file!r} cannot be read: {error}") from None
    if not text:
        raise ValueError(f"the file {source.file!r} is empty")
    return text


Secret = Annotated[SecretStr, BeforeValidator(_read)]
"""Not shown by repr() and in error messages."""
