"""The JSON Schemas of answers."""

from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core.core_schema import FloatSchema

from toposcope.server.questions.answers import Answer


class _AnswerSchema(GenerateJsonSchema):
    """Describes numbers that are not finite as the strings that they are in JSON."""

    def float_schema(self, schema: FloatSchema) -> JsonSchemaValue:
        return {"anyOf": [{"type": "number"}, {"enum": ["NaN", "Infinity", "-Infinity"]}]}


def schema_of(answer: type[Answer]) -> dict[str, Any]:
    """Return the JSON Schema of json_of()."""
    return TypeAdapter(answer).json_schema(schema_generator=_AnswerSchema)
