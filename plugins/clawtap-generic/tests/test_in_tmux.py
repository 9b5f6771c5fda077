"""Programs that nobody wrote an adapter for are answered in their pane."""

from __future__ import annotations

import subprocess
import threading

import pytest
from patience import until

from clawtap_core import Kind, PromptState, SessionState
from clawtap_core.errors import BadRequest, Conflict, Impossible, NotConfirmed

pytestmark = pytest.mark.tmux


@pytest.mark.parametrize(("decision", "got"), [("approve", "y"), ("deny", "n")])
def test_a_shell_script_that_wants_yes_or_no(shell, decision, got):
    program = shell('echo "This removes build/."\nread -p "Continue? [y/N] " a\necho "got:$a."')
    prompt = program.prompt()
    assert (prompt.form.kind, prompt.form.title) == (Kind.PERMISSION, "Continue?")
    assert prompt.form.description == "This removes build/."
    assert [option.label for option in prompt.form.options] == ["Yes", "No"]
    ended = PromptState.ANSWERED if decision == "approve" else PromptState.DENIED
    assert program.answer(prompt, decision=decision) is ended
    program.until_text(f"got:{got}.")
    until(lambda: program.transport.session(program.id).state is SessionState.BUSY)


def test_a_program_that_takes_the_key_at_once_gets_no_enter(shell):
    program = shell('read -n 1 -p "Sure? [y/n] " a; echo; read -p "Next? [y/N] " b; echo "$a-$b."')
    assert program.answer(program.prompt(), selected_option="yes") is PromptState.ANSWERED
    second = program.prompt()
    assert second.form.title == "Next?"
    assert program.answer(second, selected_option="no") is PromptState.DENIED
    program.until_text("y-n.")


SINGLE_KEY = """import os, termios, tty
def key(line):
    before = termios.tcgetattr(0)
    print(line, end='', flush=True)
    tty.setraw(0)
    held = os.read(0, 1).decode()
    termios.tcsetattr(0, termios.TCSADRAIN, before)
    print(held, end='', flush=True)
    time.sleep(2)
    print()
    return held
"""


@pytest.mark.parametrize("asks", ["Sure? [y/n] ", "Sure (yes/no)? ", "Stage it [y,n,q]? "])
@pytest.mark.parametrize("kind", ["shell", "python"])
def test_a_program_that_shows_its_key_and_works_on_gets_no_enter(shell, python, kind, asks):
    if kind == "shell":
        program = shell(
            # For a moment after a command such as `sleep` nothing is typed.
            f'read -n 1 -p "{asks}" a; until [ $((SECONDS > 5)) = 1 ]; do :; done; echo\n'
            'read -p "Delete all? [Y/n] " b; echo "$a-$b."'
        )
    else:
        program = python(SINGLE_KEY, f"print(key({asks!r}) + '-' + input('Delete all? [Y/n] '))")
    answer = {"answers": {"0": "y"}} if "," in asks else {"selected_option": "yes"}
    assert program.answer(program.prompt(), **answer) is PromptState.ANSWERED
    second = program.prompt()
    assert second.form.title == "Delete all?"
    assert program.answer(second, selected_option="no") is PromptState.DENIED
    program.until_text("y-n")


def test_a_word_for_a_program_that_takes_a_key_answers_no_later_question(shell):
    program = shell('for i in 1 2 3; do read -n 1 -p "Sure (yes/no)? " a; echo; echo "$i:$a"; done')
    assert program.answer(program.prompt(), selected_option="yes") is PromptState.ANSWERED
    program.until_text("1:y")
    assert program.answer(program.prompt(), selected_option="no") is PromptState.DENIED
    program.until_text("2:n")
    assert program.prompt()
    assert "3:" not in program.screen()


def test_a_word_that_begins_with_the_key_of_another_option_is_not_begun(shell):
    program = shell('read -n 1 -p "Sure? [y/n/never] " a; echo; echo "got:$a."')
    prompt = program.prompt()
    with pytest.raises(Impossible):
        program.answer(prompt, selected_option="never")
    assert program.answer(prompt, selected_option="no") is PromptState.DENIED
    program.until_text("got:n.")


@pytest.mark.parametrize("word", ["yes", "no"])
def test_a_word_is_entered_where_the_program_edits_its_line_itself(shell, word):
    program = shell('read -e -p "Sure (yes/no)? " a; echo "got:$a."')
    assert program.answer(program.prompt(), selected_option=word)
    program.until_text(f"got:{word}.")


def test_an_answer_to_a_prompt_of_before_reaches_no_other_that_reads_the_same(shell):
    program = shell(
        'for f in a b c; do\n  clear; echo "About $f"; read -p "Delete it? [y/N] " x\n'
        '  all="$all$f$x "\ndone; echo "got:$all."'
    )
    first = program.prompt()
    program.types("n\r")
    until(lambda: "About b" in program.screen(), what=program.screen)
    with pytest.raises(Conflict):
        program.answer(first, selected_option="yes")
    second = program.prompt()
    assert second.form.description == "About b"
    assert program.answer(second, selected_option="no") is PromptState.DENIED
    until(lambda: "About c" in program.screen(), what=program.screen)
    third = program.prompt()
    assert program.answer(third, selected_option="yes") is PromptState.ANSWERED
    program.until_text("got:an bn cy .")


def test_a_question_keeps_its_id_in_panes_of_other_sizes(shell):
    program = shell('seq 500; read -p "Delete it? [y/N] " x; echo "got:$x."')
    prompt = program.prompt()
    for size in ((40, 10), (120, 40), (30, 6)):
        program.resize(*size)
        until(lambda size=size: program.transport.screen(program.id).size == size)
    assert program.answer(prompt, selected_option="yes") is PromptState.ANSWERED
    program.until_text("got:y.")


def test_two_equal_questions_are_two_prompts(shell):
    program = shell('for i in 1 2; do read -p "Again? [y/N] " a; echo "got:$a."; done')
    first = program.prompt()
    program.answer(first, selected_option="yes")
    second = program.prompt()
    assert second.request_id != first.request_id
    program.answer(second, selected_option="no")
    program.until_text("got:n.")


def test_a_numbered_list_of_python(python):
    program = python(
        "print('Which database?')",
        "for at, name in enumerate(('SQLite', 'Postgres', 'None'), 1): print(f'  {at}) {name}')",
        "",
        "print('got:' + input('Choose [1-3]: ') + '.')",
    )
    prompt = program.prompt()
    (question,) = prompt.form.questions
    assert prompt.form.title == "Which database?"
    assert [option.label for option in question.options] == ["SQLite", "Postgres", "None"]
    assert program.answer(prompt, answers={"0": "Postgres"}) is PromptState.ANSWERED
    program.until_text("got:2.")


def test_a_text_that_read_asks_for(shell):
    program = shell('read -p "Your name: " name; echo "got:$name."')
    prompt = program.prompt()
    assert (prompt.form.kind, prompt.form.title) == (Kind.QUESTION, "Your name")
    assert program.answer(prompt, answers={"0": "Ann B."}) is PromptState.ANSWERED
    program.until_text("got:Ann B..")


@pytest.mark.parametrize(
    "asks", ["description: ", "Code word (empty for none): ", "License key (optional): "]
)
@pytest.mark.parametrize("hidden", ["", "-s"])
def test_a_text_may_be_left_empty(shell, asks, hidden):
    hidden = hidden if "(" in asks else ""
    program = shell(f'read {hidden} -p "{asks}" text; echo "got:$text."')
    prompt = program.prompt()
    assert not prompt.form.questions[0].required
    assert program.answer(prompt, answers={"0": ""}) is PromptState.ANSWERED
    program.until_text("got:.")


def test_a_password_is_not_left_empty_by_mistake(shell):
    program = shell('read -s -p "Password: " word; echo; echo "got ${#word} characters"')
    prompt = program.prompt()
    assert prompt.form.questions[0].required
    with pytest.raises(BadRequest) as refused:
        program.answer(prompt, answers={"0": ""})
    assert refused.value.code == "answer_required"


@pytest.mark.parametrize(("given", "got"), [("", ""), ("mine", "mine")])
def test_a_text_with_a_default_may_be_left_empty(shell, given, got):
    program = shell('read -p "package name: (demo) " name; echo "got:$name."')
    prompt = program.prompt()
    assert prompt.form.title == "package name"
    assert prompt.form.questions[0].question == "package name (demo)"
    assert program.answer(prompt, answers={"0": given}) is PromptState.ANSWERED
    program.until_text(f"got:{got}.")


def test_a_default_may_end_the_line(python):
    program = python("many = input('How many? [10] ')", "print(f'got:{many}.')")
    prompt = program.prompt()
    assert prompt.form.questions[0].question == "How many (10)"
    assert program.answer(prompt, answers={"0": "5"}) is PromptState.ANSWERED
    program.until_text("got:5.")


def test_an_indented_line_below_an_empty_row_asks_about_what_stands_above(shell):
    # As `terraform apply` asks.
    program = shell(
        "printf \"Apply it?\\n  Only 'yes' will do.\\n\\n  Enter a value: \"\n"
        'read value; echo "got:$value."'
    )
    prompt = program.prompt()
    assert (prompt.form.kind, prompt.form.title) == (Kind.QUESTION, "Enter a value")
    assert prompt.form.description == "Apply it?\n  Only 'yes' will do."
    assert program.answer(prompt, answers={"0": "yes"}) is PromptState.ANSWERED
    program.until_text("got:yes.")


def test_a_box_that_is_drawn_by_letters_of_another_character_set_is_a_box(shell):
    # As programs draw that use ncurses, such as dialog.
    rows = r"\033(0lqk\n\033[1mx \033[0mx\nmqj\033(B\n"
    program = shell(f'printf "{rows}Go on? [y/N] "; read a; echo "got:$a."')
    assert program.prompt().form.description == "┌─┐\n│ │\n└─┘"


def test_choices_below_their_question_ask_that(shell):
    program = shell('printf "It is ready.\\nShip it?\\n[Y/n]: "\nread a; echo "got:$a."')
    prompt = program.prompt()
    assert (prompt.form.kind, prompt.form.title) == (Kind.PERMISSION, "Ship it?")
    assert prompt.form.description == "It is ready."
    assert program.answer(prompt, decision="deny") is PromptState.DENIED
    program.until_text("got:n.")


def test_a_change_that_git_asks_about_is_shown_whole(run, tmp_path):
    git = ("git", "-C", str(tmp_path), "-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    (tmp_path / "poem").write_text("an old line\n")
    for command in ("init", "--quiet"), ("add", "poem"), ("commit", "--quiet", "-m", "begin"):
        subprocess.run([*git, *command], check=True)
    (tmp_path / "poem").write_text("".join(f"line {number}\n" for number in range(12)))
    program = run(*git, "add", "-p")
    prompt = program.prompt()
    lines = prompt.form.description.splitlines()
    assert [line for line in lines if line[0] in "+-"][2:] == [
        "-an old line",
        *(f"+line {number}" for number in range(12)),
    ]


@pytest.mark.parametrize("asks", ["Password: ", "Passwort: ", "Vault key [prod]: ", "Enter it? "])
def test_what_the_terminal_does_not_show_is_secret_whatever_it_is_called(shell, asks):
    program = shell(f'read -s -p "{asks}" word; echo; echo "got ${{#word}} characters"')
    prompt = program.prompt()
    assert prompt.form.questions[0].secret
    assert program.answer(prompt, answers={"0": "correct horse"}) is PromptState.ANSWERED
    program.until_text("got 13 characters")
    written = program.transport.journal(session_id=program.id, limit=500).events
    assert "correct horse" not in str(written)


def test_a_yes_that_the_terminal_does_not_show_is_entered(shell):
    program = shell('read -s -p "Go on? [yes/no] " word; echo; echo "got:$word."')
    assert program.answer(program.prompt(), decision="approve") is PromptState.ANSWERED
    program.until_text("got:yes.")


def test_a_password_of_python_is_secret(python):
    program = python(
        "import getpass", "print('got', len(getpass.getpass('Enter your code word: ')))"
    )
    prompt = program.prompt()
    assert prompt.form.questions[0].secret
    assert program.answer(prompt, answers={"0": "correct horse"}) is PromptState.ANSWERED
    program.until_text("got 13")


@pytest.mark.parametrize("blank", [68, 69, 70])
def test_an_answer_may_wrap_at_a_blank(shell, blank):
    program = shell('read -p "Your name: " name; echo "got ${#name}."')
    text = "x" * blank + " and more"
    assert program.answer(program.prompt(), answers={"0": text}) is PromptState.ANSWERED
    program.until_text(f"got {len(text)}.")


MASKED = """import os, termios, tty
def ask(line, mask):
    before = termios.tcgetattr(0)
    tty.setraw(0)
    print(line, end='', flush=True)
    held = ''
    while '\\r' not in held:
        read = os.read(0, 99).decode()
        held += read
        print(mask * len(read.rstrip('\\r')), end='', flush=True)
    termios.tcsetattr(0, termios.TCSADRAIN, before)
    print('\\ngot', len(held) - 1)
"""


@pytest.mark.parametrize("mask", ["*", "•", ""])
def test_a_password_that_shows_as_asterisks_or_not_at_all_is_entered(python, mask):
    program = python(MASKED, f"ask('Password: ', {mask!r})")
    assert program.answer(program.prompt(), answers={"0": "a horse"}) is PromptState.ANSWERED
    program.until_text("got 7")
    written = program.transport.journal(session_id=program.id, limit=500).events
    assert "a horse" not in str(written)


def test_a_secret_that_the_program_shows_is_entered_and_kept_out_of_the_journal(shell):
    program = shell('read -p "API key: " key; clear; echo "got ${#key} characters"')
    prompt = program.prompt()
    assert prompt.form.questions[0].secret
    assert program.answer(prompt, answers={"0": "sk-12 34"}) is PromptState.ANSWERED
    program.until_text("got 8 characters")
    written = program.transport.journal(session_id=program.id, limit=500).events
    assert "sk-12 34" not in str(written)


def test_a_password_among_more_asterisks_than_it_has_letters_is_not_entered(python):
    program = python(MASKED, "ask('Password: ', '**')")
    with pytest.raises(NotConfirmed):
        program.answer(program.prompt(), answers={"0": "horse"})
    assert "got" not in program.screen()


def test_the_rows_of_select_in_bash_are_read_in_all_columns(shell):
    program = shell(
        'select x in "a first long label" second third fourth "and a fifth, long label"; do\n'
        '  echo "got:$x."; break\ndone'
    )
    prompt = program.prompt()
    (question,) = prompt.form.questions
    assert [option.label for option in question.options][2:4] == ["third", "fourth"]
    assert program.answer(prompt, answers={"0": "fourth"}) is PromptState.ANSWERED
    program.until_text("got:fourth.")


@pytest.mark.parametrize("length", [60, 76, 77, 78, 200])
def test_a_message_may_be_longer_than_the_row(python, length):
    program = python("import readline", "print('you said', len(input('> ')))")
    until(lambda: program.transport.session(program.id).state is SessionState.IDLE)
    program.transport.message(program.id, "x" * length)
    program.until_text(f"you said {length}")


def test_a_message_goes_to_a_program_that_waits_at_its_mark(python):
    program = python("while True: print('you said ' + input('> '))", "")
    until(lambda: program.transport.session(program.id).state is SessionState.IDLE)
    program.transport.message(program.id, "hello there")
    program.until_text("you said hello there")


def test_what_it_does_not_understand_comes_with_its_screen_and_a_key_pad(shell):
    program = shell('read -n 1 -s -p "Press any key to continue..."; echo; echo "gone on."')
    prompt = program.prompt()
    assert prompt.form.kind is Kind.UNKNOWN
    assert "Press any key" in (prompt.form.screen or "")
    screen = program.transport.screen(program.id)
    program.transport.keys(program.id, screen.revision, keys=["Space"])
    program.until_text("gone on.")
    until(lambda: not program.transport.pending(program.id))


def test_a_menu_that_hides_the_cursor_comes_with_its_screen(python):
    program = python(
        "import sys, tty",
        "tty.setraw(0)",
        "print('◆  Delete all files?\\r\\n│  ● Yes / ○ No\\r\\n└\\r')",
        "print('\\x1b[?25l', end='', flush=True)",
        "print('got:' + sys.stdin.read(1) + '.')",
    )
    prompt = program.prompt()
    assert prompt.form.kind is Kind.UNKNOWN
    assert "Delete all files?" in (prompt.form.screen or "")
    screen = program.transport.screen(program.id)
    program.transport.keys(program.id, screen.revision, text="y")
    program.until_text("got:y.")


def test_a_program_that_works_in_silence_asks_nothing(shell):
    program = shell("echo Building; sleep 600")
    until(lambda: program.transport.session(program.id).state is SessionState.BUSY)
    assert not program.transport.pending(program.id)


@pytest.mark.parametrize(
    ("decision", "word", "state"),
    [("approve", "y", PromptState.ANSWERED), ("deny", "n", PromptState.DENIED)],
)
def test_a_program_that_ends_with_the_answer_has_taken_it(run, decision, word, state):
    script = """bash -c 'read -p "Continue? [y/N] " a; echo "got:$a."'"""
    program = run("bash", "--norc", "-i", typed=script, asks="\nContinue? [y/N]")
    assert program.answer(program.prompt(), decision=decision) is state
    program.until_text(f"got:{word}.")
    until(lambda: program.transport.session(program.id).state is SessionState.ENDED)


def test_a_shell_in_which_nothing_runs_is_not_adopted(run):
    with pytest.raises(Conflict, match="shows a shell; start the program in it") as refused:
        run("bash", "--norc", "-i")
    assert refused.value.code == "cli_not_there"


LATE = """import os, select, tty
def ask(line):
    tty.setraw(0)
    held = ''
    while True:
        print('\\r\\x1b[K' + line + held, end='', flush=True)
        select.select([0], [], [])
        time.sleep(1.5)
        held += os.read(0, 99).decode()
"""


@pytest.mark.parametrize("asks", ["Continue? [y/N] ", "Your name: "])
def test_an_answer_between_letters_of_the_desk_is_not_claimed(python, asks):
    program = python(LATE, f"ask({asks!r})")
    prompt = program.prompt()
    desk = threading.Timer(0.7, program.types, ["q"])
    desk.start()
    answer = {"decision": "approve"} if "[" in asks else {"answers": {"0": "Ann"}}
    with pytest.raises(NotConfirmed):
        program.answer(prompt, **answer)
    desk.join()


def test_an_answer_that_keeps_standing_after_enter_is_not_claimed(shell):
    program = shell(
        'stty -icanon -echo; printf "Your name: "\n'
        'while IFS= read -rsn1 c && [ "$c" ]; do\n'
        '  [ "$c" = $\'\\x7f\' ] && printf "\\b \\b" || printf %s "$c"\ndone'
    )
    with pytest.raises(NotConfirmed) as refused:
        program.answer(program.prompt(), answers={"0": "Ann"})
    assert refused.value.code == "not_confirmed"
    assert "Your name: Ann" in program.screen()


def test_a_hidden_answer_with_letters_of_the_desk_in_it_is_not_entered(shell):
    program = shell('read -s -p "Password: " word; echo; echo "got:$word."')
    prompt = program.prompt()
    desk = threading.Timer(0.05, program.types, ["q"])
    desk.start()
    try:
        program.answer(prompt, answers={"0": "correct horse"})
    except NotConfirmed:
        assert "got:" not in program.screen()
        program.types("\r")
        program.until_text("got:.")
    else:
        program.until_text("got:correct horse.")
    desk.join()
