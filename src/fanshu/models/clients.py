"""From an endpoint to a pydantic-ai model. Imported only when a remote model is made."""

import json
from typing import Any, cast

import httpx2
from openai.types.chat import ChatCompletion, ChatCompletionMessageParam
from pydantic import ValidationError
from pydantic_ai.exceptions import UnexpectedModelBehavior
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import Model, infer_model
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIChatModelSettings
from pydantic_ai.providers import Provider, infer_provider_class
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from fanshu.errors import ConfigError
from fanshu.models.gateway import Gateway, http_client
from fanshu.models.providers import Endpoint

OWN_SERVER = "own-server"  # a provider name that no price list knows
LEGACY_HTTP = {"groq"}  # services whose client still wants the older httpx, which we do not bring


class ChatServer(OpenAIChatModel):
    """A chat-completions server of unknown make.

    Assistant fields that nobody knows go back to the server they came from: some refuse a
    turn that has lost them. Small departures from the format in calls are forgiven.
    """

    def _validate_completion(self, response: ChatCompletion) -> Any:
        if not response.choices:
            error = (response.model_extra or {}).get("error", "")
            raise UnexpectedModelBehavior(f"it holds no choices {error}")
        response.id = response.id or ""
        response.model = response.model or self.model_name
        response.object = "chat.completion"
        said = getattr(response.choices[0], "message", None)
        for call in getattr(said, "tool_calls", None) or []:
            _mend(call)
        try:
            return super()._validate_completion(response)
        except ValidationError as wrong:
            first = wrong.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            raise UnexpectedModelBehavior(f"at {place}: {first['msg']}") from None

    def _map_model_response(self, message: ModelResponse) -> ChatCompletionMessageParam | None:
        param = super()._map_model_response(message)
        details = (message.provider_details or {}) if message.provider_name == self.system else {}
        unknown = details.get("unmapped", {}).get("message", {})
        if param is None or not unknown:
            return param
        kept = {name: value for name, value in unknown.items() if value is not None}
        return cast(ChatCompletionMessageParam, {**kept, **param})


def _mend(call: Any) -> None:
    """Arguments as an object or missing, no id, no type: what some servers send."""
    call.id = getattr(call, "id", None) or ""
    call.type = getattr(call, "type", None) or "function"
    function = getattr(call, "function", None)
    arguments = getattr(function, "arguments", None)
    if function is not None and not isinstance(arguments, str):
        absent = arguments is None
        function.arguments = "" if absent else json.dumps(arguments, ensure_ascii=False)


def connect(
    endpoint: Endpoint, api_key: str | None, gateway: Gateway
) -> tuple[Model[Any], httpx2.AsyncClient]:
    """A model and the HTTP client under it, which the caller closes.

    Raises: ImportError — the provider's package is not installed; UserError — pydantic-ai
    lacks something, such as an address; ConfigError — certificates or a proxy cannot be used.
    """
    client = http_client(endpoint, gateway)
    if endpoint.provider is None:
        provider = OpenAICompatibleProvider(
            OWN_SERVER, base_url=endpoint.without_query, api_key=api_key, http_client=client
        )
        keep = OpenAIChatModelSettings(openai_include_unmapped_response_data=True)
        return ChatServer(endpoint.model, provider=provider, settings=keep), client
    model = infer_model(
        f"{endpoint.provider.id}:{endpoint.model}",
        provider_factory=lambda name: _provider(name, endpoint, api_key, client),
    )
    if endpoint.provider.id in LEGACY_HTTP and gateway != Gateway():
        detail = f"{endpoint.provider.id}: has a client of its own; use its address as base_url"
        raise ConfigError(name="headers", detail=detail)
    return model, client


def _provider(
    name: str, endpoint: Endpoint, api_key: str | None, client: httpx2.AsyncClient
) -> Provider[Any]:
    arguments: dict[str, object] = {"api_key": api_key, "base_url": endpoint.base_url}
    if name not in LEGACY_HTTP:
        arguments["http_client"] = client
    given = {key: value for key, value in arguments.items() if value is not None}
    return infer_provider_class(name)(**given)
