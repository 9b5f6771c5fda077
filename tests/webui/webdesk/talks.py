"""A conversation as transcripts tell it: text, a thought, tools that ran, failed and still run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

ASKED = "The checkout test is flaky on CI. Find out why and fix it."
THOUGHT = "The test waits for a fixed half second. CI is slower, so the order is not there yet."
ANSWER = """The test slept for half a second and hoped. It now waits for the order itself:

```python
def test_checkout(client, shop):
    order = shop.checkout(client, items=3)
    wait_until(lambda: order.state == "paid")
```

- `tests/test_checkout.py`: waits for the state, not for the clock
- `shop/wait.py`: new, `wait_until` with a deadline of 5 s

All **212 tests** pass, also with the CPU slowed down four times."""

RUN = {"command": "pytest -q tests/test_checkout.py --count 50"}
EDIT = {
    "file_path": "tests/test_checkout.py",
    "old_string": "    order = shop.checkout(client, items=3)\n    time.sleep(0.5)\n",
    "new_string": (
        "    order = shop.checkout(client, items=3)\n"
        '    wait_until(lambda: order.state == "paid")\n'
    ),
}
FAILED = """FFF..F..FF
FAILED tests/test_checkout.py::test_checkout - assert 'open' == 'paid'
6 failed, 44 passed in 31.2s"""
PASSED = "..................................................\n50 passed in 6.8s"


def talk(start: str = "m", minute: int = 0) -> Iterator[dict[str, Any]]:
    """The messages of the conversation, on the wire."""
    yield _message(f"{start}1", minute, "user", _text(ASKED))
    yield _message(
        f"{start}2",
        minute,
        "assistant",
        {"type": "thinking", "text": THOUGHT},
        _text("I run the test fifty times to see it fail."),
        *_tool(f"{start}-c1", "run_shell_command", RUN, FAILED, "error"),
    )
    yield _message(
        f"{start}3",
        minute,
        "assistant",
        _text("Six of fifty fail: it looks before the payment went through."),
        *_tool(f"{start}-c2", "replace", EDIT, "1 occurrence replaced", "success"),
        *_tool(f"{start}-c3", "run_shell_command", RUN, PASSED, "success"),
    )
    yield _message(f"{start}4", minute, "assistant", _text(ANSWER))


def hostile(start: str) -> Iterator[dict[str, Any]]:
    """What a transcript may bring that wants to be more than text."""
    attacks = (
        "<script>window.hacked = 1</script><img src=x onerror='alert(1)'>",
        "[click](javascript:alert(2)) [data](data:text/html,<script>alert(3)</script>)",
        "<style>body{display:none}</style><iframe src=/settings></iframe><form action=/x>",
        "![pixel](https://evil.example/p.png) <base href=//evil.example>",
        "\x1b]8;;javascript:alert(4)\x07link\x1b]8;;\x07 \x1b[31mred\x1b[0m \u202egnp.exe",
        "```html\n<script>alert(5)</script>\n```\n\n<div style='position:fixed;inset:0'>over</div>",
        "word " * 40_000,
        "x" * 1_000_000,
    )
    for number, text in enumerate(attacks):
        known = {"toolCallId": f'{start}{number}"><script>', "toolName": text[:300]}
        yield _message(
            f"{start}{number}\"'><b>",
            number,
            ("user", "assistant")[number % 2],
            _text(text),
            {"type": "thinking", "text": text},
            {"type": "tool_use", "input": {"command": text, text[:80]: text}, **known},
            {"type": "tool_result", "text": text, "status": "success", **known},
        )
    yield _message(f"{start}-last", len(attacks), "assistant", _text("the last one"))


def _message(key: str, minute: int, role: str, *content: dict[str, Any]) -> dict[str, Any]:
    at = f"2026-11-21T{9 + minute // 60:02d}:{minute % 60:02d}:00Z"
    return {"id": key, "role": role, "content": list(content), "at": at}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _tool(
    call: str, name: str, given: dict[str, Any], result: str, status: str
) -> Iterator[dict[str, Any]]:
    known = {"toolCallId": call, "toolName": name, "status": status}
    yield {"type": "tool_use", "input": given, **known}
    yield {"type": "tool_result", "text": result, **known}
