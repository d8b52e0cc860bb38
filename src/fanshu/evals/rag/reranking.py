"""A reranker behind an address, in the form that Jina, Cohere and many servers share."""

import os
from collections.abc import Sequence
from typing import Any

from fanshu.errors import ModelBadReply, ModelUnreachable
from fanshu.evals.rag.options import Options

TIMEOUT = 60.0  # seconds


def reranked(options: Options, question: str, texts: Sequence[str], most: int) -> list[int]:
    """The places of the best `most` texts in what was given, best first.

    Raises: ModelUnreachable, ModelBadReply.
    """
    import httpx2

    key = os.environ.get(options.rerank_key_variable, "")
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    body = {"query": question, "documents": list(texts), "top_n": most}
    body |= {"model": options.rerank_model} if options.rerank_model else {}
    try:
        reply = httpx2.post(options.rerank_url, json=body, headers=headers, timeout=TIMEOUT)
        reply.raise_for_status()
        return _order(reply.json(), len(texts))[:most]
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        where = options.rerank_url
        raise ModelUnreachable(url=where, model=_name(options), detail=str(error)) from error
    except (ValueError, KeyError, TypeError) as error:
        detail = f"no ranking in its reply ({error!r})"
        raise ModelBadReply(model=_name(options), detail=detail) from error


def _order(reply: Any, texts: int) -> list[int]:
    rows = [(float(one["relevance_score"]), int(one["index"])) for one in reply["results"]]
    order = [at for _, at in sorted(rows, key=lambda row: (-row[0], row[1]))]
    if any(not 0 <= at < texts for at in order):
        raise ValueError(order)
    return order


def _name(options: Options) -> str:
    return options.rerank_model or options.rerank_url
