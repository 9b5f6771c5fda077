"""rules.toml: read whenever it has changed; edits keep comments and layout."""

from __future__ import annotations

import logging
import os
import stat
import threading
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from clawtap_core.errors import BadRequest, ClawTapError, Conflict, ErrorCode, NotFound, Unavailable
from clawtap_core.model import GuardRail, Rule, RuleBook, RuleDecision
from clawtap_core.rules.guard_rails import default_guard_rails
from clawtap_core.rules.rule_check import check_rule
from clawtap_core.rules.tool_input import without_nulls
from clawtap_core.schemas import GuardBodySchema, RuleBodySchema, read_body
from clawtap_core.system.atomic_file import mode_of, replace_file
from clawtap_core.system.regular_file import open_regular

log = logging.getLogger(__name__)
_LARGEST = 1_000_000
_HEAD = "# Rules of ClawTap: docs/rules.md explains them. It is read again whenever it changes.\n"
_WRITTEN = tuple(field.name for field in fields(Rule) if field.name not in ("count", "last_used"))
Signature = tuple[int, int, int] | None


class RulesFile:
    """The rules of one data folder. Without the file there are none, and nothing is read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._signature: Signature = None
        self._book = self._good = RuleBook(str(path), (), default_guard_rails())

    @property
    def exists(self) -> bool:
        """Whether the file exists; costs one stat call."""
        return self._path.exists()

    def book(self) -> RuleBook:
        """Return the rules as the file has them now."""
        with self._lock:
            signature = _signature(self._path)
            if signature != self._signature:
                self._signature = signature
                self._book = self._read()
            return self._book

    def add(self, *rules: Rule) -> None:
        """Write rules to the end of the file; Conflict if a name is taken."""
        with self._lock:
            names = {rule.name for rule in self._usable().rules}
            for rule in rules:
                check_rule(rule)
                if rule.name in names:
                    raise Conflict(
                        f"a rule {rule.name!r} exists already; remove it or choose another name",
                        code=ErrorCode.RULE_EXISTS,
                    )
                names.add(rule.name)
            document = self._document()
            tables = document.setdefault("rule", tomlkit.aot())
            for rule in rules:
                tables.append(_table(rule))
            self._write(tomlkit.dumps(document))

    def remove(self, name: str) -> Rule:
        """Remove a rule from the file, and return it."""
        with self._lock:
            rule = next((each for each in self._usable().rules if each.name == name), None)
            if rule is None:
                raise NotFound(f"no such rule: {name!r}", code=ErrorCode.RULE_NOT_FOUND)
            document = self._document()
            tables = document["rule"]
            at = next(at for at, table in enumerate(tables) if table["name"] == name)
            del tables[at]
            if not tables:
                del document["rule"]
            self._write(tomlkit.dumps(document))
            return rule

    def _usable(self) -> RuleBook:
        book = self.book()
        if book.problem:
            raise Unavailable(
                f"repair {self._path} first: {book.problem}",
                code=ErrorCode.BAD_RULES_FILE,
            )
        return book

    def _document(self) -> tomlkit.TOMLDocument:
        text = self._path.read_text(encoding="utf-8") if self._path.exists() else _HEAD
        return tomlkit.parse(text)

    def _write(self, text: str) -> None:
        try:
            replace_file(self._path, text.encode(), mode_of(self._path))
        except OSError as error:
            raise Unavailable(
                f"{self._path} cannot be written: {error.strerror}", code=ErrorCode.BAD_RULES_FILE
            ) from error

    def _read(self) -> RuleBook:
        if self._signature is None:
            self._good = RuleBook(str(self._path), (), default_guard_rails())
            return self._good
        try:
            self._good = read_rules(_read_own(self._path), str(self._path))
        except (ClawTapError, OSError, ValueError, TOMLKitError) as error:
            problem = error.message if isinstance(error, ClawTapError) else str(error)
        except Exception as error:
            # The parser's own failure must not leave the rules of before in force.
            problem = f"the file cannot be read: {error}"
        else:
            return self._good
        log.error("the rules in %s cannot be read, so they allow nothing: %s", self._path, problem)
        # A slip in the file must not allow what was denied before.
        denying = tuple(rule for rule in self._good.rules if rule.decision is RuleDecision.DENY)
        return replace(self._good, rules=denying, problem=problem)


def read_rules(text: str, name: str = "rules.toml") -> RuleBook:
    """Return the rules and guard rails of a file's text; ClawTapError or ValueError if bad."""
    data = tomlkit.parse(text).unwrap()
    if unknown := data.keys() - {"rule", "guard"}:
        raise ValueError(f"no such table: {sorted(unknown)[0]!r} (known: [[rule]], [[guard]])")
    for kind in ("rule", "guard"):
        tables = data.get(kind, [])
        if not (isinstance(tables, list) and all(isinstance(each, dict) for each in tables)):
            raise BadRequest(f"write [[{kind}]], in two brackets", code=ErrorCode.BAD_RULES_FILE)
    rules: dict[str, Rule] = {}
    for table in data.get("rule", []):
        rule: Rule = read_body(RuleBodySchema, _moments(table))
        check_rule(rule)
        if rule.name in rules:
            raise ValueError(f"two rules have the name {rule.name!r}")
        rules[rule.name] = rule
    own: list[GuardRail] = [read_body(GuardBodySchema, table) for table in data.get("guard", [])]
    return RuleBook(name, tuple(rules.values()), (*default_guard_rails(), *own))


def to_toml(rule: Rule) -> str:
    """Return a rule as rules.toml holds it."""
    document = tomlkit.document()
    document["rule"] = tomlkit.aot()
    document["rule"].append(_table(rule))
    return tomlkit.dumps(document).strip()


def _moments(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return a table with its dates as texts; a day stands for its beginning."""
    return {
        key: value.isoformat()
        if isinstance(value, datetime)
        else f"{value}T00:00:00Z"
        if isinstance(value, date)
        else value
        for key, value in table.items()
    }


def _table(rule: Rule) -> tomlkit.items.Table:
    table = tomlkit.table()
    for name in _WRITTEN:
        value = getattr(rule, name)
        if isinstance(value, datetime):
            value = value.astimezone(timezone.utc).replace(microsecond=0)
        elif isinstance(value, RuleDecision):
            value = value.value
        elif isinstance(value, tuple):
            value = list(value)
        elif isinstance(value, Mapping):
            value = without_nulls(value)
        if value is not None and value != []:
            table.append(name, value)
    table.add(tomlkit.nl())
    return table


def _read_own(path: Path) -> str:
    """Return the text of a file that only its owner can change; OSError or ValueError if not."""
    with open_regular(path) as file:
        facts = os.fstat(file.fileno())
        if facts.st_size > _LARGEST:
            raise ValueError("it is larger than a megabyte")
        if facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise ValueError("other users can change it; run chmod go-w on it")
        if facts.st_uid not in (os.geteuid(), 0):
            raise ValueError("it belongs to another user")
        return file.read(_LARGEST + 1).decode("utf-8")


def _signature(path: Path) -> Signature:
    try:
        facts = path.stat()
    except OSError:
        return None
    # The inode, too: an editor may replace the file within one tick of its clock.
    return facts.st_mtime_ns, facts.st_size, facts.st_ino
