"""The page of HTTP routes, from what the service tells of itself: OpenAPI, events, figures."""

import asyncio
import dataclasses
import inspect
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

HEAD = """\
# HTTP routes

What `/openapi.json` of a running service says, to be read. How to start it, who may see what, and
limits: [serve.md](serve.md).
"""
PROBLEMS = """\

## Problems

What goes wrong is a problem (RFC 9457, `application/problem+json`): `type`, `title`, `status`,
`detail`, and `code`, which is one of [errors.md](errors.md) or one of `invalid`, `timeout`,
`login_failed`, `not_ready`, `internal`. Any route may answer with those of
the first table; with which of the others, each says above.

| status | meaning |
| --- | --- |
"""
EVENTS = """\

## Events

`POST /v1/ask` with `Accept: text/event-stream` sends these; every ten seconds of silence a comment
shows that the line is alive.

| event | data | meaning |
| --- | --- | --- |
"""
OTHER_EVENTS = {  # those that are no event of a run; the first comes before, the others at its end
    "queued": ("`run_id`, `place`", "It waits for its turn, behind so many."),
    "answer": ("the answer", "The run is over; the last event."),
    "error": ("a problem", "The last event, in the place of an answer."),
}
FIGURES = """\

## Figures

What `GET /metrics` shows, in the text form of Prometheus. No names of people, no words of
questions; libraries that you may not see are left out.

| figure | kind | labels | meaning |
| --- | --- | --- | --- |
"""
OBJECTS = """\

## Objects

What is sent and comes back as JSON; a field without a default is always there. An `Answer` is the
same everywhere ([schema](answer-schema.json)); its parts, and what a search or a section holds,
are explained under [Python names](api.md).
"""
ANSWERS = frozenset({"200", "201", "204", "206", "303", "304"})


def http_page() -> str:
    """Routes with parameters and answers, problems, events, figures and objects."""
    told = description()
    routes = [
        (method.upper(), path, operation)
        for path, methods in told["paths"].items()
        for method, operation in methods.items()
    ]
    everywhere = set.intersection(*(_problems_of(operation) for *_, operation in routes))
    parts = [HEAD, "\n| request | what it does |\n| --- | --- |\n"]
    parts += [f"| [`{m} {p}`](#{_slug(m, p)}) | {o['summary']} |\n" for m, p, o in routes]
    parts += [_route(method, path, o, everywhere) for method, path, o in routes]
    parts += [PROBLEMS, *_problems(routes, everywhere)]
    parts += [EVENTS, *(f"| `{name}` | {data} | {doc} |\n" for name, data, doc in events())]
    parts += [FIGURES, *(f"| {' | '.join(figure)} |\n" for figure in figures())]
    parts += [OBJECTS, *_objects(told["components"]["schemas"])]
    return "".join(parts)


def description() -> dict[str, Any]:
    """What a service with one library tells at /openapi.json."""
    import httpx

    from fanshu.serve.app import create_app
    from fanshu.serve.planning import Plan, Planned
    from fanshu.serve.settings import ServiceSettings
    from fanshu.settings import Settings

    async def asked(folder: Path) -> dict[str, Any]:
        served = Plan((Planned("docs", "Docs", Settings(), writable=True),), ServiceSettings())
        app = create_app(served, folder=folder)
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            told: dict[str, Any] = (await http.get("/openapi.json")).raise_for_status().json()
        app.service.register.close()
        return told

    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(asked(Path(folder)))


def events() -> Iterator[tuple[str, str, str]]:
    """Every server-sent event of a question: name, data, meaning."""
    from fanshu.serve.routes.asking import NAMES

    yield ("queued", *OTHER_EVENTS["queued"])
    for kind, name in NAMES.items():
        if name not in OTHER_EVENTS:
            names = [f"`{field.name}`" for field in dataclasses.fields(kind)]
            names += ["`run_id`"] if name == "started" else []
            yield name, ", ".join(names), _one_line(inspect.getdoc(kind) or "")
    yield from ((name, *OTHER_EVENTS[name]) for name in ("answer", "error"))


def figures() -> Iterator[tuple[str, str, str, str]]:
    """Every figure of /metrics: name, kind, labels, meaning."""
    from fanshu.serve.measures import Measures

    for figure in vars(Measures()).values():
        for told in figure.describe() if hasattr(figure, "_labelnames") else ():
            name = f"{told.name}_total" if told.type == "counter" else told.name
            labels = ", ".join(f"`{label}`" for label in figure._labelnames)
            yield f"`{name}`", told.type, labels, f"{told.documentation}."


def _route(method: str, path: str, operation: Mapping[str, Any], everywhere: set[str]) -> str:
    body = operation.get("requestBody", {}).get("content", {})
    sent = [f"Body: {_content(kind, one)}.\n" for kind, one in body.items()]
    given = [_parameter(one) for one in operation.get("parameters", [])]
    table = "| parameter | type | default | meaning |\n| --- | --- | --- | --- |\n"
    others = sorted(_problems_of(operation) - everywhere)
    lines = [
        f"\n## {method} {path}\n\n{operation['summary']}. {operation.get('description', '')}\n",
        *(f"\n{one}" for one in sent),
        *([f"\n{table}{''.join(given)}"] if given else []),
        f"\nAnswers: {'; '.join(_answers(operation))}.",
        f" Problems of its own: {', '.join(others)}.\n" if others else "\n",
    ]
    return "".join(lines)


def _slug(method: str, path: str) -> str:
    """The anchor of a route's heading, as code hosts and the site make it."""
    return re.sub(r"[^\w\- ]", "", f"{method} {path}").lower().replace(" ", "-")


def _parameter(one: Mapping[str, Any]) -> str:
    schema = one["schema"]
    default = "needed" if one.get("required") else _default(schema)
    return f"| `{one['name']}` | {_type(schema)} | {default} | {one.get('description', '')} |\n"


def _default(schema: Mapping[str, Any]) -> str:
    value = schema.get("default")
    return {"None": "", "": "", "True": "true", "False": "false"}.get(str(value), f"{value}")


def _type(schema: Mapping[str, Any]) -> str:
    """A type with its limits, as one writes it."""
    if "$ref" in schema:
        return f"`{schema['$ref'].rpartition('/')[2]}`"
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    if "enum" in schema or "const" in schema:
        return ", ".join(f"`{value}`" for value in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        items = schema.get("items") or {}
        return f"list of {_type(items)}{_limits(schema)}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type(schema['additionalProperties'])}"
    return f"{schema.get('type', 'any')}{_limits(schema)}"


def _limits(schema: Mapping[str, Any]) -> str:
    least = schema.get("minimum", schema.get("minItems"))
    most = schema.get("maximum", schema.get("maxItems"))
    if schema.get("maxLength"):
        return f", at most {schema['maxLength']:,} characters"
    if least is not None and most is not None:
        return f", {least:,} to {most:,}"
    return f", at most {most:,}" if most is not None else ""


def _content(kind: str, content: Mapping[str, Any]) -> str:
    schema = content.get("schema", {})
    if "$ref" in schema:
        return f"{_type(schema)} as `{kind}`"
    fields = ", ".join(f"`{name}`" for name in schema.get("properties", {}))
    return f"{fields} as `{kind}`" if fields else f"`{kind}`"


def _answers(operation: Mapping[str, Any]) -> Iterator[str]:
    for status, answer in operation["responses"].items():
        if status in ANSWERS:
            contents = " or ".join(_content(k, one) for k, one in answer.get("content", {}).items())
            yield f"{status} {answer['description'].rstrip('.')}{f' ({contents})' * bool(contents)}"


def _problems_of(operation: Mapping[str, Any]) -> set[str]:
    return set(operation["responses"]) - ANSWERS


def _problems(routes: list[Any], everywhere: set[str]) -> Iterator[str]:
    meant = {
        status: answer["description"]
        for *_, operation in routes
        for status, answer in operation["responses"].items()
        if status not in ANSWERS
    }
    for status in sorted(everywhere):
        yield f"| {status} | {meant[status]} |\n"
    yield "\n| status | meaning |\n| --- | --- |\n"
    for status in sorted(set(meant) - everywhere):
        yield f"| {status} | {meant[status]} |\n"


def _objects(schemas: Mapping[str, Any]) -> Iterator[str]:
    from api_page import public_names, reachable

    explained = {*public_names(), *(source.name for source in reachable()), "Problem"}
    for name, schema in sorted(schemas.items()):
        if name in explained:
            continue
        yield f"\n### {name}\n\n{_one_line(schema.get('description', ''))}\n\n"
        yield "| field | type | default | meaning |\n| --- | --- | --- | --- |\n"
        needed = schema.get("required", [])
        for field, one in schema.get("properties", {}).items():
            default = "" if field in needed else _default(one) or "none"
            yield f"| `{field}` | {_type(one)} | {default} | {one.get('description', '')} |\n"


def _one_line(text: str) -> str:
    return " ".join(text.split())
