"""Where settings come from, which one holds, and what is said of a wrong one."""

from __future__ import annotations

from datetime import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clawtap_core.config import Settings, clean_environment, default_file, is_loopback
from clawtap_core.config import load_settings as load
from clawtap_core.config.quiet_hours import QuietHours
from clawtap_core.config.schema import SettingsSchema
from clawtap_core.errors import UsageError
from clawtap_core.model import Kind


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A home of the test's own."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.fixture
def write(tmp_path):
    def write(text, path=None):
        file = path or tmp_path / "config.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    return write


def refused(flags=None, environ=None, config_file=None):
    with pytest.raises(UsageError) as caught:
        load(flags or {}, environ or {}, config_file)
    return caught.value


def test_without_anything_the_defaults_hold(home):
    found = load({}, {})
    assert (found.host, found.port, found.protocol) == ("127.0.0.1", 3456, "http")
    assert found.data_dir.is_relative_to(home)
    assert found == Settings()
    assert found.interaction_timeout == dict.fromkeys(Kind, 600.0)
    assert (found.trust_folders, found.load_plugins, found.block_plugins) == ("ask", None, ())


def test_every_setting_but_the_expected_protocol_is_a_field():
    names = set(Settings.__dataclass_fields__)
    assert set(SettingsSchema().fields) == names | {"protocol"}


def test_flags_win_over_the_environment_which_wins_over_the_file(write):
    file = write('port = 1\nhost = "127.0.0.2"\nlog_level = "debug"')
    environ = {"CLAWTAP_PORT": "2", "CLAWTAP_HOST": "127.0.0.3"}
    found = load({"port": 3, "host": None}, environ, file)
    assert (found.port, found.host, found.log_level) == (3, "127.0.0.3", "debug")


def test_old_names_count_where_new_ones_are_missing():
    assert load({}, {"CODETAP_PORT": "4000", "CODETAP_PROTOCOL": "http"}).port == 4000
    assert load({}, {"CODETAP_PORT": "4000", "CLAWTAP_PORT": "5000"}).port == 5000


def test_the_environment_holds_every_kind_of_setting(tmp_path):
    found = load(
        {},
        {
            "CLAWTAP_DATA_DIR": "~/data",
            "CLAWTAP_TOKEN": "t0ken",
            "CLAWTAP_ALLOWED_HOSTS": "a.example, b.example:8443",
            "CLAWTAP_TMUX_SOCKET": "mine",
            "CLAWTAP_INSECURE": "yes",
            "CLAWTAP_TRUST_FOLDERS": "always",
            "CLAWTAP_INTERACTION_TIMEOUT": "default=30,question=0",
            "CLAWTAP_LOAD_PLUGINS": "gemini,webui",
            "CLAWTAP_BLOCK_PLUGINS": "demo",
            "CLAWTAP_JOURNAL_DAYS": "7",
            "CLAWTAP_LOG_LEVEL": "warning",
            "HOME": "/elsewhere",
        },
    )
    assert found == Settings(
        data_dir=tmp_path / "home" / "data",
        token="t0ken",
        allowed_hosts=("a.example", "b.example:8443"),
        tmux_socket="mine",
        insecure=True,
        trust_folders="always",
        interaction_timeout={**dict.fromkeys(Kind, 30.0), Kind.QUESTION: 0.0},
        load_plugins=("gemini", "webui"),
        block_plugins=("demo",),
        journal_days=7,
        log_level="warning",
    )


def test_an_empty_variable_counts_as_none_but_an_empty_allow_list_allows_nothing():
    found = load({}, {"CLAWTAP_HOST": "", "CLAWTAP_TOKEN": "", "CLAWTAP_LOAD_PLUGINS": ""})
    assert (found.host, found.token, found.load_plugins) == ("127.0.0.1", None, ())


def test_the_file_holds_every_kind_of_setting(write):
    file = write(
        "\n".join(
            (
                'allowed_hosts = ["a.example"]',
                "insecure = true",
                'data_dir = "data"',
                "[interaction_timeout]",
                "plan = 5.5",
            )
        )
    )
    found = load({}, {}, file)
    assert found.allowed_hosts == ("a.example",)
    assert found.insecure is True
    assert found.interaction_timeout[Kind.PLAN] == 5.5
    assert found.interaction_timeout[Kind.UNKNOWN] == 600


def test_paths_in_the_file_are_relative_to_it_others_to_the_folder_where_one_is(write, tmp_path):
    file = write('data_dir = "data"', tmp_path / "etc" / "config.toml")
    assert load({}, {}, file).data_dir == tmp_path / "etc" / "data"
    assert load({"data_dir": "data"}, {}, file).data_dir == tmp_path / "data"
    assert load({"data_dir": Path("/data")}, {}, file).data_dir == Path("/data")


def test_the_users_own_file_is_read_and_a_variable_names_another(write):
    write("port = 1", default_file())
    other = write("port = 2")
    assert load({}, {}).port == 1
    assert load({}, {"CLAWTAP_CONFIG": str(other)}).port == 2
    assert load({}, {"CLAWTAP_CONFIG": str(other)}, default_file()).port == 1


def test_a_switch_that_is_off_wins_too():
    assert load({"insecure": False}, {"CLAWTAP_INSECURE": "1"}).insecure is False


def test_one_timeout_is_for_every_kind():
    found = load({}, {"CLAWTAP_INTERACTION_TIMEOUT": "0"})
    assert found.interaction_timeout == dict.fromkeys(Kind, 0.0)


@pytest.mark.parametrize(
    ("environ", "sentence"),
    [
        ({"CLAWTAP_PORT": "http"}, "CLAWTAP_PORT: Not a valid integer."),
        ({"CLAWTAP_PORT": "70000"}, "CLAWTAP_PORT: Must be greater than or equal to 0"),
        ({"CODETAP_PORT": "x"}, "CODETAP_PORT: Not a valid integer."),
        ({"CLAWTAP_INSECURE": "maybe"}, "CLAWTAP_INSECURE: Must be true or false."),
        ({"CLAWTAP_HOST": "a b"}, "CLAWTAP_HOST: Must be printable ASCII without blanks."),
        ({"CLAWTAP_TRUST_FOLDERS": "never"}, "CLAWTAP_TRUST_FOLDERS: Must be one of: ask, always."),
        ({"CLAWTAP_JOURNAL_DAYS": "0"}, "CLAWTAP_JOURNAL_DAYS: Must be greater than or equal to 1"),
        ({"CLAWTAP_TMUX_SOCKET": "a/b"}, "CLAWTAP_TMUX_SOCKET: Must be a name"),
        ({"CLAWTAP_DATA_DIR": "~nobody-here/x"}, "CLAWTAP_DATA_DIR: Not a valid path"),
        ({"CLAWTAP_INTERACTION_TIMEOUT": "-1"}, "CLAWTAP_INTERACTION_TIMEOUT: Must be a number"),
        (
            {"CLAWTAP_INTERACTION_TIMEOUT": "quiz=3"},
            "CLAWTAP_INTERACTION_TIMEOUT: No such kind of prompt: 'quiz'",
        ),
        ({"CLAWTAP_ALLOWED_HOST": "a b"}, "CLAWTAP_ALLOWED_HOST: Must be printable ASCII"),
    ],
)
def test_a_wrong_variable_is_named(environ, sentence):
    error = refused(environ=environ)
    assert error.message.startswith(sentence)
    assert error.code == "bad_setting"


def test_a_wrong_flag_is_named():
    assert refused({"log_level": "loud"}).message.startswith("--log-level: Must be one of: debug")


def test_a_wrong_key_of_the_file_is_named_with_the_file(write):
    file = write('port = "3456x"')
    assert refused(config_file=file).message == f"{file}: port: Not a valid integer."
    for text in ('insecure = "yes"', "allowed_hosts = 'a'", "token = 5", "port = true"):
        error = refused(config_file=write(text))
        assert error.message.startswith(f"{file}: {text.split()[0]}: ")


@pytest.mark.parametrize(
    ("source", "name"),
    [("flags", "--prot"), ("environ", "CLAWTAP_PROT"), ("file", "config.toml: prot")],
)
def test_a_setting_that_does_not_exist_is_named(source, name, write):
    error = {
        "flags": lambda: refused({"prot": 1}),
        "environ": lambda: refused(environ={"CLAWTAP_PROT": "1"}),
        "file": lambda: refused(config_file=write("prot = 1")),
    }[source]()
    assert error.code == "unknown_setting"
    assert f"{name}: no such setting (known: host, port, " in error.message


@pytest.mark.parametrize("text", ["port = ", "port = 1\nport = 2", "\0", f"port = {'[' * 50_000}"])
def test_a_file_that_is_no_toml_is_named(text, write):
    file = write(text)
    error = refused(config_file=file)
    assert error.code == "bad_config_file"
    assert error.message.startswith(f"{file} is not valid TOML: ")


def test_a_file_that_was_named_has_to_be_there(tmp_path):
    missing = tmp_path / "none.toml"
    assert refused(config_file=missing).message == (
        f"{missing} cannot be read: No such file or directory"
    )
    assert str(missing) in refused(environ={"CLAWTAP_CONFIG": str(missing)}).message


def test_a_file_that_is_not_utf8_is_named(tmp_path):
    file = tmp_path / "config.toml"
    file.write_bytes(b"host = '\xff'")
    assert refused(config_file=file).code == "bad_config_file"


def test_a_token_is_given_once_and_the_nearer_source_wins(write):
    file = write('token_file = "secret"')
    assert load({"token": "t"}, {}, file).token_file is None
    assert load({"token_file": "f"}, {"CLAWTAP_TOKEN": "t"}).token is None
    error = refused({"token": "sesame", "token_file": "f"})
    assert error.message == "--token and --token-file are both set; set one of them"


def test_a_token_is_never_shown(caplog):
    assert "sesame" not in repr(load({"token": "sesame"}, {}))
    assert "ses ame" not in str(vars(refused({"token": "ses ame"})))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "example.org", "10.0.0.1"])
def test_beyond_this_machine_it_listens_with_tls_only_unless_allowed(host, tls):
    error = refused({"host": host})
    assert error.code == "insecure_host"
    assert host in error.message
    assert "--insecure" in error.message
    assert load({"host": host, "insecure": True}, {}).host == host
    assert load({"host": host, **tls}, {}).protocol == "https"


@pytest.fixture
def tls(write, tmp_path):
    return {
        "tls_cert": str(write("cert", tmp_path / "cert.pem")),
        "tls_key": str(write("key", tmp_path / "key.pem")),
    }


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost", "LOCALHOST"])
def test_this_machine_itself_is_always_allowed(host):
    assert is_loopback(host)
    assert load({"host": host}, {}).host == host


def test_half_a_tls_pair_is_refused(tls):
    for name, missing in (("tls_cert", "tls_key"), ("tls_key", "tls_cert")):
        error = refused({name: tls[name]})
        assert error.message == f"{name} is set without {missing}; set both"
        assert error.code == "tls_pair"


def test_a_certificate_that_is_not_there_is_named(tls, tmp_path):
    error = refused({**tls, "tls_key": "nothing.pem"})
    assert error.message == f"tls_key: no such file: {tmp_path / 'nothing.pem'}"


def test_the_expected_protocol_has_to_be_the_one_that_is_spoken(tls):
    assert load({**tls, "protocol": "https"}, {}).protocol == "https"
    assert refused(environ={"CODETAP_PROTOCOL": "https"}).code == "tls_pair"
    assert refused(tls, {"CODETAP_PROTOCOL": "http"}).code == "tls_pair"


values = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text())
tables = st.dictionaries(st.text(), values, max_size=3)


@given(st.dictionaries(st.sampled_from(sorted(SettingsSchema().fields)), values | tables))
@settings(max_examples=200, deadline=None)
def test_rubbish_is_a_usage_error_and_nothing_else(tmp_path_factory, flags):
    try:
        found = load(flags, {}, None)
    except UsageError as error:
        assert error.message  # noqa: PT017 - either way out is right
    else:
        assert isinstance(found, Settings)


def test_a_cli_gets_the_environment_without_what_is_ours():
    environ = {
        "PATH": "/bin",
        "HOME": "/home/ada",
        "GEMINI_API_KEY": "k",
        "CLAWTAP_TOKEN": "t",
        "CODETAP_PORT": "1",
        "TMUX": "/tmp/tmux-0/default,1,0",
        "TMUX_PANE": "%1",
        "TERM": "dumb",
        "COLORTERM": "truecolor",
    }
    assert clean_environment(environ) == {
        "PATH": "/bin",
        "HOME": "/home/ada",
        "GEMINI_API_KEY": "k",
        "COLORTERM": "truecolor",
    }


def test_notifications_are_set_in_the_file_and_the_environment(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('notification_grace = 5\nquiet_hours = "22:00-7:00"\n')
    environ = {"CLAWTAP_NOTIFICATION_BUTTONS": "no", "CLAWTAP_NOTIFICATION_GRACE": "0"}
    found = load({}, environ, file)
    assert (found.notification_grace, found.quiet_hours) == (0.0, "22:00-7:00")
    assert found.notification_buttons is False


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("QUIET_HOURS", "22-7"),
        ("QUIET_HOURS", "25:00-07:00"),
        ("QUIET_HOURS", "07:00-07:00"),
        ("NOTIFICATION_GRACE", "-1"),
        ("NOTIFICATION_GRACE", "soon"),
        ("NOTIFICATION_BUTTONS", "perhaps"),
    ],
)
def test_wrong_settings_of_notifications_are_named(name: str, value: str) -> None:
    with pytest.raises(UsageError, match=f"CLAWTAP_{name}"):
        load({}, {f"CLAWTAP_{name}": value})


@pytest.mark.parametrize(
    ("hours", "inside", "outside"),
    [
        ("22:00-07:00", ("22:00", "23:59", "00:00", "06:59"), ("07:00", "12:00", "21:59")),
        ("12:30-13:00", ("12:30", "12:59"), ("13:00", "12:29", "00:00")),
    ],
)
def test_quiet_hours_may_go_over_midnight(
    hours: str, inside: tuple[str, ...], outside: tuple[str, ...]
) -> None:
    quiet = QuietHours.parse(hours)
    assert quiet
    assert [text for text in inside + outside if quiet.contain(time.fromisoformat(text))] == list(
        inside
    )
    assert QuietHours.parse("") is None
