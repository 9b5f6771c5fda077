"""What a message that begins with a slash does."""

from __future__ import annotations

from clawtap_demo.agent.samples import SAMPLES, sample, tour
from clawtap_demo.agent.story import Item
from clawtap_demo.agent.view import MODELS, Block, Model


def command(message: str, model: Model) -> list[Item] | None:
    """Return the items to play for a command, or None for other messages."""
    if not message.startswith("/"):
        return None
    name, _, argument = message[1:].partition(" ")
    if name == "model":
        return _switch(argument.strip(), model)
    if name in ("quit", "exit"):
        return [{"exit": 0}]
    if name == "tour":
        return tour()
    if name in SAMPLES:
        return [sample(name)]
    names = " ".join(f"/{name}" for name in SAMPLES)
    model.blocks.append(Block("·", f"/tour /model {'|'.join(MODELS)} /quit, or one of: {names}"))
    return []


def _switch(name: str, model: Model) -> list[Item]:
    if name in MODELS:
        model.model = name
        model.blocks.append(Block("✓", f"Model: {name}"))
    else:
        model.blocks.append(Block("✗", f"No such model: {name} (there are {', '.join(MODELS)})"))
    return []
