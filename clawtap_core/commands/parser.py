"""Parse a command line with the grammar of Bash. Nothing is run, expanded or looked up."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from clawtap_core.commands.documents import parse_bash
from clawtap_core.commands.interpreters import chosen_program, inline_program
from clawtap_core.commands.paths import looks_like_path, resolve
from clawtap_core.commands.program_options import program_of_option
from clawtap_core.commands.values import Command, Redirection, Script, Word
from clawtap_core.commands.words import node_text, read_word, substitutions
from clawtap_core.commands.wrappers import (
    SHELLS,
    operands,
    runs_stdin,
    shell_script,
    shell_words,
    unwrap,
)

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

# The grammar recovers from errors in quadratic time, worst where these operators repeat: a longer
# text could hold up a server. Each limit is for a line together with the scripts inside it.
MOST_CHARACTERS = 4_000
_MOST_OPERATORS = 500
_MOST_NODES = 4_000
_MOST_COMMANDS = 300
_DEEPEST = 60
_OPERATORS = re.compile(r"[|(<`]|\$\{")
_BACKTICKS = re.compile(r"(?<!\\)`((?:[^`\\]|\\.)*)`", re.DOTALL)
_GROUPS = {
    *("program", "list", "do_group", "compound_statement", "if_statement", "elif_clause"),
    *("else_clause", "while_statement", "case_statement", "case_item", "negated_command"),
    *("function_definition", "for_statement", "c_style_for_statement"),
}
_TESTS = frozenset(("test_command", "variable_assignment", "variable_assignments", "unset_command"))
_REDIRECTS = frozenset(("file_redirect", "herestring_redirect", "heredoc_redirect"))
# Commands one after another or in a pipeline: everything else is a construct of its own.
_PLAIN = frozenset(
    ("program", "list", "pipeline", "redirected_statement", "command", "comment", "ERROR")
)


@lru_cache(maxsize=256)
def parse(text: str, directory: str | None = None) -> Script:
    """Return what a command line runs; `directory` is where it starts."""
    reader = _Reader(directory)
    reader.read_text(text, 0)
    return Script(
        tuple(reader.commands),
        tuple(dict.fromkeys(reader.unknown)),
        tuple(dict.fromkeys(reader.constructs)),
    )


@lru_cache(maxsize=1)
def _parser() -> Parser | None:
    # Imported late: only commands that are looked at need the grammar. Where its wheels do not
    # exist, every command is one that could not be followed.
    try:
        import tree_sitter_bash
        from tree_sitter import Language, Parser
    except ImportError:
        return None
    return Parser(Language(tree_sitter_bash.language()))


class _Reader:
    """Collects commands in their order; `directory` follows each `cd`."""

    def __init__(self, directory: str | None) -> None:
        self.directory = directory
        self.commands: list[Command] = []
        self.unknown: list[str] = []
        self.constructs: list[str] = []
        self.characters = self.operators = self.nodes = 0

    def read_text(self, text: str, depth: int) -> None:
        """Read a command line, or a script that one contains."""
        self.characters += len(text)
        if self.characters <= MOST_CHARACTERS:
            self.operators += len(_OPERATORS.findall(text))
        if self.characters > MOST_CHARACTERS or self.operators > _MOST_OPERATORS:
            self.unknown.append("a very long command")
            return
        parser = _parser()
        if parser is None:
            self.unknown.append("every command: tree-sitter is not installed")
            return
        root = parse_bash(parser, text)
        self.nodes += root.descendant_count
        if self.nodes > _MOST_NODES:
            self.unknown.append("a very long command")
            return
        if root.has_error:
            self.unknown.append("a syntax error")
        self._read(root, depth, ())

    def _read(self, node: Node, depth: int, piped_from: tuple[str, ...]) -> None:
        if node.type not in _PLAIN:
            self.constructs.append(f"a {node.type.replace('_', ' ')}")
        marks = {child.type for child in node.children}
        if "&" in marks:
            self.constructs.append("a command in the background")
        if node.type in _PLAIN and marks & {";;", ";&", ";;&"}:
            self.constructs.append("a stray end of a case")
        if depth > _DEEPEST:
            self.unknown.append("a deeply nested command")
        elif len(self.commands) >= _MOST_COMMANDS:
            self.unknown.append("a very long command")
        elif node.type == "function_definition" and any(
            child.type in _REDIRECTS for child in node.named_children
        ):
            self._read_redirected(node, depth, piped_from)
        elif node.type in _GROUPS:
            if node.type == "for_statement":
                self._read_list(node)
            self._read_all(node.named_children, depth, piped_from)
        elif node.type == "subshell":
            self._read_apart(node.named_children, depth, piped_from)
        elif node.type == "pipeline":
            self._read_pipeline(node.named_children, depth, piped_from)
        elif node.type == "redirected_statement":
            self._read_redirected(node, depth, piped_from)
        elif node.type in ("command", "declaration_command"):
            self._read_command(node, depth, piped_from, ())
        elif node.type in _TESTS:
            self._read_assignment(node)
            for child in node.named_children:
                self._read_assignment(child)
            self._read_substitutions(node, depth)
        elif node.type == "ERROR":
            self._read_all(node.named_children, depth, piped_from)
        else:
            # Values of for and case, names of functions: words, not commands.
            self._read_substitutions(node, depth)

    def _read_all(self, nodes: Iterable[Node], depth: int, piped_from: tuple[str, ...]) -> None:
        for node in nodes:
            self._read(node, depth + 1, piped_from)

    def _read_list(self, node: Node) -> None:
        """Keep the paths that a loop goes through: its commands name only a variable."""
        values = node.children_by_field_name("value")
        paths = tuple(word for word in map(read_word, values) if looks_like_path(word.text))
        if paths:
            self.commands.append(Command("", paths, directory=self.directory))

    def _read_apart(self, nodes: Iterable[Node], depth: int, piped_from: tuple[str, ...]) -> None:
        directory = self.directory
        self._read_all(nodes, depth, piped_from)
        self.directory = directory

    def _read_pipeline(
        self, nodes: Sequence[Node], depth: int, piped_from: tuple[str, ...]
    ) -> None:
        for node in nodes:
            first = len(self.commands)
            self._read_apart([node], depth, piped_from)
            names = (command.name for command in self.commands[first:])
            piped_from = tuple(dict.fromkeys((*piped_from, *names)))

    def _read_redirected(self, node: Node, depth: int, piped_from: tuple[str, ...]) -> None:
        body = [child for child in node.named_children if child.type not in _REDIRECTS]
        redirects = [child for child in node.named_children if child.type in _REDIRECTS]
        first = len(self.commands)
        if body and body[0].type == "command":
            self._read_command(body[0], depth, piped_from, redirects)
        else:
            redirections = self._redirections(redirects, depth)
            nested = len(self.commands)
            self._read_all(body, depth, piped_from)
            # The redirection of a list or a pipeline belongs to its last command.
            no_command = len(self.commands) == nested
            last = Command("", directory=self.directory) if no_command else self.commands.pop()
            self.commands.append(replace(last, redirections=(*last.redirections, *redirections)))
        # The rest of a line with a here-document belongs to the document's node.
        names = tuple(command.name for command in self.commands[first:])
        for redirect in redirects:
            for child in redirect.named_children if redirect.type == "heredoc_redirect" else ():
                if child.type == "pipeline":
                    self._read_pipeline(child.named_children, depth, (*piped_from, *names))
                elif child.type in ("command", "list", "redirected_statement"):
                    self._read(child, depth + 1, piped_from)

    def _redirections(self, nodes: Iterable[Node], depth: int) -> tuple[Redirection, ...]:
        every: list[Redirection] = []
        for node in nodes:
            if redirection := self._redirection(node, depth):
                every.append(redirection)
            # What follows "<<EOF" on its line belongs to the document's node.
            inner = [child for child in node.named_children if child.type in _REDIRECTS]
            every.extend(self._redirections(inner, depth))
        return tuple(every)

    def _redirection(self, node: Node, depth: int) -> Redirection | None:
        operator = next((node_text(child) for child in node.children if not child.is_named), "")
        if node.type == "heredoc_redirect":
            return self._document(operator, node, depth)
        words = _targets(node)
        return Redirection(operator, self._word(words[0], depth)) if words else None

    def _document(self, operator: str, node: Node, depth: int) -> Redirection | None:
        parts = {child.type: child for child in node.named_children}
        body = parts.get("heredoc_body")
        if body is None:
            return None
        first = len(self.commands)
        self._read_substitutions(body, depth)
        expands = any(child.type != "heredoc_content" for child in body.named_children)
        start, text = parts.get("heredoc_start"), node_text(body)
        # The grammar knows no backticks in a document.
        if start is None or not re.search(r"['\"\\]", node_text(start)):
            for match in _BACKTICKS.finditer(text):
                expands = True
                self._run(Word(re.sub(r"\\([`$\\])", r"\1", match[1])), "`", depth)
        runs = tuple(command.name for command in self.commands[first:])
        return Redirection(operator, Word(text, not expands, runs))

    def _read_command(
        self,
        node: Node,
        depth: int,
        piped_from: tuple[str, ...],
        outer: Sequence[Node],
    ) -> None:
        words: list[Word] = []
        redirects: list[Node] = []
        end = node.start_byte
        for child in node.children:
            broken, end = (
                (node.text or b"")[end - node.start_byte : child.start_byte - node.start_byte],
                child.end_byte,
            )
            if child.type in _REDIRECTS:
                redirects.append(child)
            elif child.type in ("subshell", "compound_statement"):
                # "time (...)": a group, which is no argument.
                self._read(child, depth + 1, piped_from)
            elif words and broken == b"\\\n":
                # A line that is broken inside a word.
                word = self._word(child, depth)
                words[-1] = Word(
                    words[-1].text + word.text,
                    words[-1].exact and word.exact,
                    (*words[-1].runs, *word.runs),
                )
            elif child.type == "variable_assignment" and not words:
                self.constructs.append("a variable assignment")
                self._read_assignment(child)
                self._read_substitutions(child, depth)
            elif child.is_named or not words:
                if child.type == "variable_assignment":
                    self._read_assignment(child)
                words.append(self._word(child, depth))
        redirects.extend(outer)
        if any(_is_descriptor(child, redirects) for child in node.children[1:]):
            # The grammar takes the "0" of "0>file" for an argument.
            self.unknown.append("a redirection that looks like an argument")
        redirections = self._redirections(redirects, depth)
        for redirect in redirects:
            words.extend(self._word(child, depth) for child in _more_arguments(redirect))
        program = words[0] if words else Word("")
        if not program.exact:
            self.unknown.append(f"the program {program.text}")
        arguments = tuple(words[1:])
        directory = self.directory
        self._add(Command(program.text, arguments, redirections, (), piped_from, directory), depth)

    def _add(self, command: Command, depth: int) -> None:
        """Add a command, and what it runs in its turn."""
        for inner in unwrap(command):
            self.commands.append(inner)
            rest = operands(inner.arguments)
            if inner.name == "env":
                assigned = (word.text.partition("=") for word in inner.arguments)
                chosen = (chosen_program(name, value) for name, mark, value in assigned if mark)
                self.unknown.extend(filter(None, chosen))
            if inner.name in ("cd", "pushd"):
                target = rest[0] if rest else Word("~")
                back = target.text == "-"
                self.directory = None if back else resolve(target, self.directory)
            elif inner.name in ("source", "."):
                self.unknown.append(f"the script {rest[0].text if rest else ''}".strip())
            elif inner.name in SHELLS:
                self._read_shell(inner, depth)
            elif script := shell_script(inner):
                self._run(script, inner.name, depth)
            elif program := inline_program(inner):
                self.unknown.append(program)
            if program := program_of_option(inner):
                self.unknown.append(program)
            if inner.wrappers and re.search(r"[$`]|[<>]\(", inner.program):
                self.unknown.append(f"the program {inner.program}")

    def _read_assignment(self, node: Node) -> None:
        if node.type == "variable_assignment" and (name := node.child_by_field_name("name")):
            value = node.child_by_field_name("value")
            text = read_word(value).text if value else ""
            if program := chosen_program(node_text(name), text):
                self.unknown.append(program)

    def _read_shell(self, command: Command, depth: int) -> None:
        flagged, rest = shell_words(command)
        if flagged:
            self._run(rest[0] if rest else Word("", exact=False), command.name, depth)
        elif runs_stdin(command):
            documents = [each for each in command.redirections if each.operator.startswith("<<")]
            for document in documents:
                self._run(document.target, command.name, depth)
            if not documents:
                self.unknown.append(f"what {command.name} reads")
        elif rest:
            self.unknown.append(f"the script {rest[0].text}")

    def _run(self, script: Word, program: str, depth: int) -> None:
        if not script.exact:
            # Its fixed part is still read: "rm -rf $x" deletes, whatever the variable holds.
            self.unknown.append(f"what {program} runs")
        directory = self.directory
        # ssh: the folder there is not known.
        self.directory = None if program == "ssh" else directory
        self.read_text(script.text, depth + 1)
        if program != "eval":
            self.directory = directory

    def _word(self, node: Node, depth: int) -> Word:
        return read_word(node, self._read_substitutions(node, depth))

    def _read_substitutions(self, node: Node, depth: int) -> tuple[str, ...]:
        first = len(self.commands)
        for inner in substitutions(node) if depth <= _DEEPEST else ():
            self.constructs.append("a substitution")
            self._read_apart(inner.named_children, depth + 1, ())
        return tuple(command.name for command in self.commands[first:])


def _is_descriptor(node: Node, redirects: Iterable[Node]) -> bool:
    return node_text(node).isdecimal() and node.end_byte in {each.start_byte for each in redirects}


def _targets(node: Node) -> list[Node]:
    """Return the file of a redirection, and the arguments that the grammar adds to it."""
    skipped = ("file_descriptor", "ERROR")
    return [child for child in node.named_children if child.type not in skipped]


def _more_arguments(node: Node) -> list[Node]:
    """Return the arguments of a command that stand after a redirection."""
    if node.type != "heredoc_redirect":
        return _targets(node)[1:]
    words = node.children_by_field_name("argument")
    inner = [child for child in node.named_children if child.type in _REDIRECTS]
    return [*words, *(word for child in inner for word in _more_arguments(child))]
