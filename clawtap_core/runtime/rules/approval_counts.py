"""How often people allowed a call before, read from the journal."""

from __future__ import annotations

import json
import logging
import threading
from collections import Counter

from clawtap_core.model import Rule, RuleBook
from clawtap_core.rules import default_guard_rails, narrowest_rule
from clawtap_core.runtime.rules.past_prompts import PastPrompts
from clawtap_core.runtime.state.store import StateStore

log = logging.getLogger(__name__)
# The first reading of a large journal takes long: older answers do not count.
MOST_EVENTS = 20_000


class ApprovalCounts:
    """Counts what people allowed, by its narrowest rule; reads the journal when first asked."""

    def __init__(self, store: StateStore) -> None:
        self._store = store
        self._counts: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._past: PastPrompts | None = None
        self._reader: threading.Thread | None = None

    def count(self, rule: Rule) -> int:
        """Return how often people allowed exactly this; 0 until the journal was read once."""
        with self._lock:
            if self._past is None:
                if self._reader is None:
                    self._reader = threading.Thread(target=self._read_first, daemon=True)
                    self._reader.start()
                return 0
            self._read(self._past)
            return self._counts[_key(rule)]

    def _read_first(self) -> None:
        past = PastPrompts(self._store, after=max(0, self._store.journal.last - MOST_EVENTS))
        try:
            self._read(past)
        except Exception:
            log.warning("the journal could not be read for offers of rules", exc_info=True)
        self._past = past

    def _read(self, past: PastPrompts) -> None:
        book = RuleBook("", (), default_guard_rails())
        for each in past.read():
            if each.allowed_by_a_person:
                rule = narrowest_rule(each.call, book, self._store.now())
                if rule:
                    self._counts[_key(rule)] += 1


def _key(rule: Rule) -> str:
    parts = (rule.adapter, rule.folder, rule.tool, rule.commands, rule.files, rule.input)
    return json.dumps(parts, sort_keys=True, default=str)
