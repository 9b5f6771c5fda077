"""Prompts as a program asks them."""

from __future__ import annotations

from clawtap_core import Effect, Kind, Option, PromptForm, Question, QuestionOption

DEPLOY = PromptForm(
    Kind.PERMISSION,
    "Deploy?",
    "to production",
    tool_name="deploy",
    tool_input={"to": ["eu", "us"], "build": 7},
    tool_call_id="call-7",
    options=(
        Option("now", "Deploy now", Effect.ALLOW_ONCE),
        Option("later", "Tonight", Effect.OTHER, description="at 02:00"),
        Option("never", "Do not", Effect.DENY),
    ),
)
BLUE = (QuestionOption("Blue"), QuestionOption("Green"))
WHICH = PromptForm(
    Kind.QUESTION,
    "Two things",
    questions=(
        Question("Which colour?", "Colour", (QuestionOption("Red"), QuestionOption("Blue"))),
        Question(
            "Which checks?",
            options=(QuestionOption("A"), QuestionOption("B, C")),
            multi_select=True,
            other=True,
        ),
    ),
)
SECRET = PromptForm(
    Kind.QUESTION, "Sign in", questions=(Question("User?"), Question("Password?", secret=True))
)
