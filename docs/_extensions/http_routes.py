"""Appends a section for each route of the server to the page http_api, from its OpenAPI description."""

import json
from collections.abc import Iterator
from typing import Any

from sphinx.application import Sphinx

from toposcope.server.api.updates import Streams
from toposcope.server.app import make_api
from toposcope.server.loading.logdir import Logdir


def _markdown(description: dict[str, Any]) -> Iterator[str]:
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            yield f"## {method.upper()} {path}"
            yield ""
            yield operation.get("description") or operation.get("summary", "")
            yield ""
            yield from _parameters(operation.get("parameters", []))


def _parameters(parameters: list[dict[str, Any]]) -> Iterator[str]:
    if not parameters:
        return
    yield "| parameter | type | default | meaning |"
    yield "|---|---|---|---|"
    for parameter in parameters:
        schema = parameter["schema"]
        default = "required" if parameter.get("required") else _default(schema)
        text = parameter.get("description", "").replace("\n", " ").replace("|", "\\|")
        yield f"| `{parameter['name']}` | {_type(schema)} | {default} | {text} |"
    yield ""


def _default(schema: dict[str, Any]) -> str:
    default = schema.get("default")
    return "" if default in (None, "", []) else f"`{json.dumps(default)}`"


def _type(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"] if one.get("type") != "null")
    if "enum" in schema or "const" in schema:
        return ", ".join(f"`{value}`" for value in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}"
    return str(schema.get("type", "any"))


def _append_routes(_app: Sphinx, page: str, source: list[str]) -> None:
    if page == "http_api":
        source[0] += "\n" + "\n".join(_markdown(make_api(Logdir(".", 0), Streams(), "").openapi()))


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect to the reading of pages."""
    app.connect("source-read", _append_routes)
    return {"parallel_read_safe": True}
