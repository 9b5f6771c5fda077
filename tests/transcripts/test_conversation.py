"""Messages in their order, and what leaves the conversation again."""

from __future__ import annotations

from clawtap_core import Block, Message
from clawtap_core.transcripts.conversation import Conversation
from clawtap_core.transcripts.conversation_builder import ConversationBuilder


def message(name):
    return Message(name, "user", (Block("text", name),))


def held(conversation):
    return [each.id for each in conversation.messages()]


def test_a_message_is_removed_with_all_after_it():
    conversation = Conversation()
    conversation.apply([message(name) for name in "abcd"])
    conversation.remove_from(["c"])
    conversation.apply([message("e")])
    assert held(conversation) == ["a", "b", "e"]


def test_a_message_that_is_not_held_stands_before_all_that_are():
    conversation = Conversation(keep=2)
    conversation.apply([message(name) for name in "abcd"])
    conversation.remove_from(["a"])
    assert held(conversation) == []


def test_a_builder_forgets_what_was_removed():
    builder = ConversationBuilder([message("a"), message("b")])
    builder.replace(message("c"))
    builder.remove_from("b")
    builder.replace(message("d"))
    assert [each.id for each in builder.messages] == ["d"]
    assert [each.id for each in builder.state] == ["a", "d"]
    assert builder.removed_from == ("b",)


def test_what_began_and_was_removed_in_one_piece_leaves_the_pieces_before_alone():
    builder = ConversationBuilder([message("b")])
    builder.replace(message("c"))
    builder.remove_from("c")
    builder.replace(message("d"))
    assert [each.id for each in builder.messages] == ["d"]
    assert builder.removed_from == ()
