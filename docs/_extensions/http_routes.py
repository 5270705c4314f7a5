"""The directive http-routes: a section for each route of the server, from its OpenAPI description."""

from collections.abc import Iterator
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from toposcope.server.api.updates import Streams
from toposcope.server.app import make_api
from toposcope.server.loading.logdir import Logdir


class HttpRoutes(SphinxDirective):
    """Writes each route with its parameters and its replies."""

    def run(self) -> list[nodes.Node]:
        """Return the sections."""
        section = nodes.Element()
        description = make_api(Logdir(".", 0), Streams(), "").openapi()
        text = StringList(list(_markdown(description)), source="openapi")
        self.state.nested_parse(text, self.content_offset, section, match_titles=True)
        return list(section.children)


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
        default = "required" if parameter.get("required") else schema.get("default", "")
        text = parameter.get("description", "").replace("\n", " ").replace("|", "\\|")
        yield f"| `{parameter['name']}` | {_type(schema)} | {'' if default is None else default} | {text} |"
    yield ""


def _type(schema: dict[str, Any]) -> str:
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"] if one.get("type") != "null")
    if "enum" in schema or "const" in schema:
        return ", ".join(f"`{value}`" for value in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}"
    return str(schema.get("type", "any"))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("http-routes", HttpRoutes)
    return {"parallel_read_safe": True}
