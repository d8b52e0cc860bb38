"""What the description of the interface says of every route: problems, and examples."""

import re
from collections.abc import Iterable
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel, TypeAdapter

from fanshu import __version__
from fanshu.types import Answer, Chunk, Outline, SearchResult

ANSWER: dict[str, Any] = {
    "question": "What is the write timeout?",
    "status": "answered",
    "answer": "The write timeout is 30 seconds.",
    "citations": [
        {
            "chunk_id": "manual.md#2",
            "file_path": "manual.md",
            "section_path": ["Gateway manual", "Timeouts"],
            "lines": [3, 5],
            "page": None,
            "quote": "write timeout of the gateway is 30 seconds",
            "passage": "The write timeout of the gateway is 30 seconds.",
            "verified": "quoted",
            "hash": "5f0d6c1e",
            "newer_version": None,
            "images": [],
        }
    ],
    "stop_reason": "answered",
    "rounds": 1,
    "seconds": 2.4,
    "trace_id": "20260301-101500-3fa2c1",
    "cached": False,
    "reader": "deepseek:deepseek-chat",
}
PROBLEM_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "What went wrong (RFC 9457). `code` is one of fanshu's own error codes.",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string"},
    },
}
OPENAI_SCHEMAS: dict[str, Any] = {
    "OpenAIError": {
        "type": "object",
        "description": "What went wrong, in the form of OpenAI's interface.",
        "required": ["error"],
        "properties": {
            "error": {
                "type": "object",
                "required": ["message", "type", "code"],
                "properties": {
                    "message": {"type": "string"},
                    "type": {"type": "string"},
                    "param": {"type": ["string", "null"]},
                    "code": {"type": ["string", "null"]},
                },
            }
        },
    },
    "ChatCompletion": {
        "type": "object",
        "description": "A chat completion of OpenAI's interface; `fanshu` is the whole answer.",
        "required": ["id", "object", "created", "model", "choices", "usage"],
        "properties": {
            "id": {"type": "string"},
            "object": {"const": "chat.completion"},
            "created": {"type": "integer"},
            "model": {"type": "string"},
            "choices": {"type": "array", "items": {"type": "object"}},
            "usage": {"type": "object"},
            "fanshu": {"$ref": "#/components/schemas/Answer"},
        },
    },
}
MEANINGS = {
    400: "The request cannot be understood",
    401: "Who asks is not known",
    403: "Who asks may not do this",
    404: "Nothing of that name, for whoever asks",
    405: "Not with this method",
    408: "The body came too slowly",
    409: "It is not as expected",
    413: "The body is too large",
    415: "Not of this kind",
    421: "The service is not known by that name",
    422: "A value is missing or wrong",
    429: "Too much; Retry-After says when to try again",
    500: "A fault of the service",
    502: "The model cannot be used",
    503: "Not just now",
    504: "It took too long",
}
EVERYWHERE = (400, 401, 403, 408, 413, 421, 422, 429, 500, 504)
SHARED: dict[str, Any] = {
    "Answer": Answer,
    "Chunk": Chunk,
    "Outline": Outline,
    "SearchResult": SearchResult,
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Problems that a route may answer with, beside those that any may."""
    reference = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return {
        status: {
            "description": MEANINGS[status],
            "content": {"application/problem+json": reference},
        }
        for status in sorted({*statuses, *EVERYWHERE})
    }


def openai_problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The same for the routes of OpenAI's interface, in its form."""
    reference = {"schema": {"$ref": "#/components/schemas/OpenAIError"}}
    return {
        status: {"description": MEANINGS[int(status)], "content": {"application/json": reference}}
        for status in problems(*statuses)
    }


def shown(name: str, description: str, example: object = None) -> dict[str, Any]:
    """A response that is one of the shared objects."""
    content: dict[str, Any] = {"schema": {"$ref": f"#/components/schemas/{name}"}}
    if example is not None:
        content["example"] = example
    return {"description": description, "content": {"application/json": content}}


def methods(app: FastAPI, path: str) -> set[str]:
    """What may be done at a path, by the description of the interface; a path that stands there
    as it is means itself, not the name of something.
    """
    found: set[str] = set()
    paths = app.openapi()["paths"]
    if path in paths:
        return {name.upper() for name in paths[path]}
    for template, operations in paths.items():
        pattern = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(template))
        if re.fullmatch(pattern, path):
            found |= {name.upper() for name in operations}
    return found


def description(app: FastAPI, models: Iterable[type[BaseModel]]) -> dict[str, Any]:
    """The description of the interface, OpenAPI 3.1; `models` are what responses refer to."""
    if app.openapi_schema:
        return app.openapi_schema
    made = get_openapi(
        title="fanshu",
        version=__version__,
        summary="Questions over folders of documents, with checked citations.",
        routes=app.routes,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
    )
    schemas = made.setdefault("components", {}).setdefault("schemas", {})
    for name, kind in {**SHARED, **{model.__name__: model for model in models}}.items():
        own = TypeAdapter(kind).json_schema(
            mode="serialization", ref_template="#/components/schemas/{model}"
        )
        schemas.update(own.pop("$defs", {}))
        schemas[name] = own
    _pairs(schemas)
    schemas["Problem"] = PROBLEM_SCHEMA
    schemas.update(OPENAI_SCHEMAS)
    made["components"]["securitySchemes"] = {
        "token": {"type": "http", "scheme": "bearer"},
        "login": {"type": "apiKey", "in": "cookie", "name": "fanshu_login"},
    }
    made["security"] = [{"token": []}, {"login": []}, {}]
    app.openapi_schema = made
    return made


def _pairs(schema: Any) -> None:
    """Pairs as arrays of two equal things: several readers of descriptions know no other tuples."""
    if isinstance(schema, list):
        for one in schema:
            _pairs(one)
    elif isinstance(schema, dict):
        parts = schema.pop("prefixItems", None)
        if parts:
            schema["items"] = parts[0]
        for one in schema.values():
            _pairs(one)
