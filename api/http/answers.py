"""Answers of JSON: the way from a model or an Answer to what the framework sends."""

from collections.abc import Mapping
from typing import Any

import msgspec
from litestar.response.base import ASGIResponse

from api.http.errors import Answer

encode = msgspec.json.Encoder().encode


def send(answer: Answer) -> ASGIResponse:
    return ASGIResponse(
        body=answer.body, status_code=answer.status, headers=answer.headers, media_type="application/json"
    )


def shown(value: Any, headers: Mapping[str, str] | None = None, status: int = 200) -> ASGIResponse:
    return send(Answer(status, encode(value), dict(headers or {})))
