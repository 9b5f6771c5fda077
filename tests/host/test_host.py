"""The host: whatever a plugin does, the start goes on and other sessions are untouched."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
import time
import types
from importlib.metadata import EntryPoint

import pytest

from clawtap_core import (
    AdapterInfo,
    Kind,
    Parsed,
    Press,
    Previous,
    PromptForm,
    Response,
    Screen,
    SeenState,
    SessionState,
    Steps,
    hookimpl,
)
from clawtap_core.errors import BadRequest, UsageError
from clawtap_core.host import Host, discovery
from clawtap_core.host.adapter import SLOWEST

SCREEN = Screen.from_text("hello")


def plugin(name="mine", **hooks):
    """A plugin module with these hooks; adapter_info comes by itself unless it is given."""

    @hookimpl
    def adapter_info():
        return AdapterInfo(name, name.title())

    module = types.ModuleType(name)
    for hook, function in {"adapter_info": adapter_info, **hooks}.items():
        if function is not None:
            setattr(module, hook, hookimpl(function))
    return module


def entry(monkeypatch, name, module=None, value=None):
    """An entry point as an installed distribution has it."""
    if module is not None:
        monkeypatch.setitem(sys.modules, f"fake_{name}", module)
    return EntryPoint(name, value or f"fake_{name}", "clawtap")


def test_an_adapter_is_found_by_its_id():
    host = Host()
    assert host.add(plugin(), "mine").status == "loaded"
    assert host.adapter("mine").info.name == "Mine"


def test_an_unknown_adapter_is_refused_with_the_names_there_are():
    host = Host()
    host.add(plugin(), "mine")
    with pytest.raises(BadRequest, match="installed: mine"):
        host.adapter("other")


def test_broken_missing_and_blocked_plugins_are_distinguished(monkeypatch, tmp_path):
    (tmp_path / "fake_breaks.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(str(tmp_path))
    entries = [
        entry(monkeypatch, "good", plugin("good")),
        entry(monkeypatch, "breaks"),
        entry(monkeypatch, "nowhere"),
        entry(monkeypatch, "unwanted", plugin("unwanted")),
    ]
    statuses = {s.name: s for s in Host(entries, blocked=["unwanted"]).statuses()}
    assert {name: status.status for name, status in statuses.items()} == {
        "good": "loaded",
        "breaks": "broken",
        "nowhere": "missing",
        "unwanted": "blocked",
    }
    where = "fake_breaks.py, line 1"
    assert statuses["breaks"].error == f"ZeroDivisionError: division by zero ({where})"
    assert "fake_nowhere" in (statuses["nowhere"].error or "")


def test_a_plugin_that_lacks_one_of_its_own_modules_is_broken_not_missing(monkeypatch, tmp_path):
    package = tmp_path / "fake_half"
    package.mkdir()
    (package / "__init__.py").write_text("import fake_half.other")
    monkeypatch.syspath_prepend(str(tmp_path))
    (status,) = Host([entry(monkeypatch, "half")]).statuses()
    assert status.status == "broken"
    assert "fake_half.other" in (status.error or "")


def imported(monkeypatch, tmp_path, source):
    """The status of a plugin whose module has this source, imported after a good one."""
    (tmp_path / "fake_source.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "fake_source", raising=False)
    entries = [entry(monkeypatch, "good", plugin("good")), entry(monkeypatch, "source")]
    good, status = Host(entries).statuses()
    assert good.status == "loaded"
    return status


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import sys\nsys.exit(3)", "HookExited: it called sys.exit(3) (fake_source.py, line 2)"),
        ("raise SystemExit", "HookExited: it called sys.exit() (fake_source.py, line 1)"),
        ("input('name: ')", "EOFError: EOF when reading a line (fake_source.py, line 1)"),
        ("detect_prompt = 1", "no function of it is marked with @hookimpl"),
    ],
)
def test_a_script_is_no_plugin_and_stops_nothing(monkeypatch, tmp_path, source, said):
    status = imported(monkeypatch, tmp_path, source)
    assert (status.status, status.error) == ("broken", said)


def test_what_a_plugin_prints_when_it_is_imported_is_not_our_output(monkeypatch, tmp_path, capsys):
    imported(monkeypatch, tmp_path, "print('debug')")
    printed = capsys.readouterr()
    assert "debug" not in printed.out
    assert "debug" in printed.err


def test_a_slow_import_is_reported_and_one_that_does_not_end_is_broken(monkeypatch, tmp_path):
    monkeypatch.setattr(discovery, "SLOW_IMPORT", 0.1)
    monkeypatch.setattr(discovery, "LONGEST_IMPORT", 1.0)
    hook = "from clawtap_core import hookimpl\n@hookimpl\ndef launch(request): pass\n"
    slow = imported(monkeypatch, tmp_path, f"{hook}import time\ntime.sleep(0.2)")
    assert slow.status == "loaded"
    assert re.fullmatch(r"its import took 0\.[2-9] s", slow.error or "")
    endless = imported(monkeypatch, tmp_path, f"{hook}import time\nwhile True: time.sleep(0.01)")
    assert (endless.status, endless.error) == ("broken", "its import takes longer than 1 s")


def test_only_the_plugins_of_the_allow_list_are_loaded(monkeypatch):
    entries = [entry(monkeypatch, name, plugin(name)) for name in ("one", "two")]
    assert [adapter.id for adapter in Host(entries, only=["two"]).adapters] == ["two"]


@pytest.mark.parametrize("settings", [{"only": ["nope"]}, {"blocked": ["nope"]}])
def test_an_unknown_name_in_the_settings_is_a_usage_error(settings):
    with pytest.raises(UsageError, match="no such plugin: nope"):
        Host([], **settings)


def test_a_misspelt_hook_is_reported():
    status = Host().add(plugin(detect_promt=lambda screen: None), "mine")
    assert status.status == "broken"
    assert "no such hook: detect_promt" in (status.error or "")


def test_a_hook_with_an_argument_nobody_gives_is_reported():
    status = Host().add(plugin(detect_prompt=lambda screen, colour: None), "mine")
    assert status.status == "broken"
    assert status.error == "detect_prompt gets no argument colour (its arguments: screen)"
    assert Host().add(plugin(detect_prompt=lambda screen, mine=1: None), "mine").adapter == "mine"


@pytest.mark.parametrize("info", [lambda: None, lambda: "rubbish", lambda: 1 / 0])
def test_an_adapter_that_cannot_say_who_it_is_is_broken(info):
    status = Host().add(plugin(adapter_info=info), "mine")
    assert status.status == "broken"
    assert (status.error or "").startswith("adapter_info")


def test_an_adapter_that_fails_to_say_who_it_is_is_reported_with_the_place():
    def info():
        raise KeyError("brand")

    line = info.__code__.co_firstlineno + 1
    status = Host().add(plugin(adapter_info=info), "mine")
    assert status.error == f"adapter_info: KeyError: 'brand' (test_host.py, line {line})"


def test_the_second_adapter_with_an_id_is_refused():
    host = Host()
    host.add(plugin(), "mine")
    status = host.add(plugin(), "again")
    assert status.status == "broken"
    assert "already" in (status.error or "")


def test_a_plugin_without_adapter_info_is_no_adapter_but_may_add_commands():
    seen = []
    host = Host()
    host.add(plugin(adapter_info=None, register_commands=lambda cli: seen.append(cli)), "extra")
    host.register_commands("the group")
    assert seen == ["the group"]
    assert host.adapters == []


def test_hooks_are_called_through_their_own_adapter_only():
    calls = []
    host = Host()
    host.add(plugin("one", detect_prompt=lambda screen: calls.append("one")), "one")
    host.add(plugin("two", detect_prompt=lambda screen: calls.append("two")), "two")
    host.adapter("one").detect_prompt(SCREEN)
    assert calls == ["one"]


def test_an_adapter_without_a_hook_has_nothing_to_say():
    host = Host()
    host.add(plugin(), "mine")
    assert host.adapter("mine").detect_state(SCREEN, None) is None


def another(number: int) -> Screen:
    return Screen.from_text(f"screen {number}")


def test_a_raising_hook_is_caught_and_named_once(caplog):
    def raises(screen):
        raise KeyError("oops")

    host = Host()
    host.add(plugin(detect_prompt=raises), "mine")
    with caplog.at_level(logging.WARNING):
        for number in range(20):
            assert host.adapter("mine").detect_prompt(another(number)) is None
    (record,) = caplog.records
    assert (record.plugin, record.hook) == ("mine", "detect_prompt")
    assert "KeyError" in (host.statuses()[0].error or "")


def test_a_hook_that_failed_is_asked_again_about_the_next_screen():
    def hostile(screen):
        if "hostile" in screen.text:
            raise IndexError("a question without options")
        return PromptForm(Kind.PLAN, "Go?")

    host = Host()
    host.add(plugin(detect_prompt=hostile), "mine")
    adapter = host.adapter("mine")
    for number in range(50):
        assert adapter.detect_prompt(Screen.from_text(f"hostile {number}")) is None
    assert adapter.detect_prompt(SCREEN) == PromptForm(Kind.PLAN, "Go?")


def test_a_hook_that_failed_is_not_asked_about_the_same_screen_again():
    calls = []

    def raises(screen):
        calls.append(screen)
        raise KeyError("oops")

    host = Host()
    host.add(plugin(detect_prompt=raises), "mine")
    for _ in range(3):
        assert host.adapter("mine").detect_prompt(SCREEN) is None
    assert len(calls) == 1


def test_what_was_read_from_a_screen_is_not_read_again():
    calls = []

    def detect_prompt(screen):
        calls.append("prompt")

    def detect_state(screen, previous):
        calls.append("state")
        return SeenState(SessionState.IDLE)

    host = Host()
    host.add(plugin(detect_prompt=detect_prompt, detect_state=detect_state), "mine")
    adapter, previous = host.adapter("mine"), Previous(SeenState(SessionState.BUSY), 1.0)
    for _ in range(3):
        assert adapter.detect_prompt(SCREEN) is None
        assert adapter.detect_state(SCREEN, None) == SeenState(SessionState.IDLE)
    assert calls == ["prompt", "state"]
    adapter.detect_state(SCREEN, previous)
    adapter.detect_prompt(another(1))
    adapter.detect_prompt(SCREEN)
    assert calls[2:] == ["state", "prompt", "prompt"]


def test_what_a_hook_does_in_one_session_costs_no_other_session_anything():
    def hangs(screen):
        while "hostile" in screen.text:
            pass
        return PromptForm(Kind.PLAN, "Go?")

    host = Host(hook_seconds=0.02)
    host.add(plugin(detect_prompt=hangs), "mine")
    one, other = (host.adapter("mine").for_session(name) for name in ("one", "other"))
    for number in range(30):
        assert one.detect_prompt(Screen.from_text(f"hostile {number}")) is None
    assert other.detect_prompt(SCREEN) == PromptForm(Kind.PLAN, "Go?")
    assert "took longer" in (host.adapter("mine").health or "")


def test_a_hook_that_hangs_again_and_again_rests_longer_each_time():
    calls = []

    def hangs(screen):
        calls.append(screen.text)
        while True:
            pass

    host = Host(hook_seconds=0.02)
    host.add(plugin(detect_prompt=hangs), "mine")
    for number in range(30):
        host.adapter("mine").detect_prompt(another(number))
    assert calls == [f"screen {number}" for number in (0, 1, 5, 21)]


def test_one_good_call_makes_up_for_failures():
    answers = iter([1 / 1, None] * 20)

    def sometimes(screen):
        if next(answers):
            raise ValueError
        return PromptForm(Kind.PLAN, "Go?")

    host = Host()
    host.add(plugin(detect_prompt=sometimes), "mine")
    found = [host.adapter("mine").detect_prompt(another(number)) for number in range(20)]
    assert found[1::2] == [PromptForm(Kind.PLAN, "Go?")] * 10


@pytest.mark.parametrize("rubbish", ["text", 3, [], SeenState(SessionState.IDLE)])
def test_rubbish_is_refused(rubbish):
    host = Host()
    host.add(plugin(detect_prompt=lambda screen: rubbish), "mine")
    assert host.adapter("mine").detect_prompt(SCREEN) is None
    assert "not PromptForm" in (host.adapter("mine").health or "")


def test_the_place_of_an_error_is_told():
    def fails(screen):
        return len(screen.nothing)

    host = Host()
    host.add(plugin(detect_prompt=fails), "mine")
    assert host.adapter("mine").detect_prompt(SCREEN) is None
    line = fails.__code__.co_firstlineno + 1
    assert str(host.adapter("mine").health).endswith(f" (test_host.py, line {line})")


def test_a_hook_that_wants_to_end_the_process_fails_like_any_other():
    host = Host()
    host.add(plugin(detect_prompt=lambda screen: sys.exit("bye")), "mine")
    assert host.adapter("mine").detect_prompt(SCREEN) is None
    assert "it called sys.exit('bye')" in str(host.adapter("mine").health)
    host.add(plugin("routes", adapter_info=None, register_routes=lambda app: sys.exit()), "routes")
    host.register_routes(None)
    assert "it called sys.exit()" in str(host.statuses()[-1].error)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"permission_modes": ("default",)}, "AdapterInfo.permission_modes must be a tuple of Cho"),
        ({"commands": "mycli"}, "AdapterInfo.commands must be a tuple of str: 'mycli'"),
        ({"models": None}, "AdapterInfo.models must be a tuple of Choice"),
        ({"name": 5}, "AdapterInfo.name must be a str: 5"),
        ({"id": "My CLI"}, "AdapterInfo.id must be letters, digits, '-', '_' and '.': 'My CLI'"),
        ({"id": "../x"}, "AdapterInfo.id must be letters, digits, '-', '_' and '.': '../x'"),
        ({"capabilities": {}}, "AdapterInfo.capabilities must be a Capabilities: {}"),
    ],
)
def test_an_adapter_that_describes_itself_wrongly_is_not_loaded(wrong, said):
    class Wrong:
        @hookimpl
        def adapter_info(self):
            return AdapterInfo(**{"id": "wrong", "name": "Wrong", **wrong})

    status = Host().add(Wrong(), "wrong")
    assert status.status == "broken"
    assert status.error.startswith(said)


def test_a_long_piece_of_a_transcript_may_take_longer_and_a_parser_that_hangs_is_ended():
    def works(data):
        while len(data) == 1:
            pass
        time.sleep(0.1)
        return Parsed(len(data))

    host = Host(hook_seconds=0.02)
    host.add(plugin(parse_transcript=works), "mine")
    adapter = host.adapter("mine")
    assert adapter.parse_transcript(bytes(SLOWEST), None) == Parsed(SLOWEST)
    assert adapter.health is None
    assert adapter.parse_transcript(b"x", None) is None
    assert "took longer than 0.02" in str(adapter.health)


def test_a_hanging_hook_is_ended_and_not_called_again():
    calls = []

    def hangs(screen):
        calls.append(screen)
        while True:
            pass

    host = Host(hook_seconds=0.1)
    host.add(
        plugin(detect_prompt=hangs, detect_state=lambda screen: SeenState(SessionState.IDLE)),
        "mine",
    )
    adapter = host.adapter("mine")
    assert adapter.detect_prompt(SCREEN) is None
    assert adapter.detect_prompt(SCREEN) is None
    assert calls == [SCREEN]
    assert adapter.detect_state(SCREEN, None) == SeenState(SessionState.IDLE)


def test_one_failing_contribution_does_not_stop_the_others():
    seen = []

    def fails(event, session):
        raise RuntimeError

    host = Host()
    host.add(plugin("one", notify=fails), "one")
    host.add(plugin("two", notify=lambda event, session: seen.append(event)), "two")
    host.notify("event", "session")
    assert seen == ["event"]


def test_a_notifier_that_hangs_does_not_hold_up_the_others():
    seen = []

    def hangs(event, session):
        while True:
            pass

    host = Host(notify_seconds=0.1)
    host.add(plugin("one", notify=hangs), "one")
    host.add(plugin("two", notify=lambda event, session: seen.append(event)), "two")
    host.notify("event", "session")
    assert seen == ["event"]


def test_the_core_loads_neither_flask_nor_gevent_nor_a_plugin():
    code = (
        "import sys, clawtap_core;"
        "print([m for m in ('flask', 'gevent', 'libtmux', 'webui', 'clawtap_demo')"
        " if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        ("Enter", "respond: TypeError: returned str, not Steps or None"),
        (Steps(("Enter",)), "respond: TypeError: Steps.steps must be a tuple of Press, Type"),
        (Steps("Enter"), "respond: TypeError: Steps.steps must be a tuple of Press, Type"),
        (Steps(Press("Enter")), "respond: TypeError: Steps.steps must be a tuple of Press, Type"),
    ],
)
def test_an_author_reads_what_came_from_a_hook_and_what_is_expected(returned, said, caplog):
    host = Host()
    host.add(plugin(respond=lambda: returned), "mine")
    form = PromptForm(Kind.PERMISSION, "Run it?")
    assert host.adapter("mine").respond(form, Response("r1", "yes"), SCREEN, None) is None
    assert said in (host.adapter("mine").health or "")
    assert "plugin mine: hook failed: respond" in caplog.text
