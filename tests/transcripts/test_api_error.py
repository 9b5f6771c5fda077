"""What a CLI says of a refused request becomes the code of a session_error."""

from __future__ import annotations

import pytest

from clawtap_core.transcripts.api_error import error_code


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("API Error: 429 Too Many Requests", "rate_limited"),
        ("HTTP_429", "rate_limited"),
        ('{"code":429}', "rate_limited"),
        ("Rate limit reached", "rate_limited"),
        ("Quota exceeded", "rate_limited"),
        ("401 Unauthorized", "not_authorized"),
        ("invalid API key", "not_authorized"),
        ("Please run login", "not_authorized"),
        ("500 Internal Server Error", "api_error"),
        ("the prompt has 140100 tokens, request 84291", "api_error"),
    ],
)
def test_an_error_is_classified(text: str, code: str) -> None:
    assert error_code(text, rate_limited=("quota",), not_authorized=("login",)) == code
