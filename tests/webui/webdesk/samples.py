"""One prompt of every form (design section 4), as CLIs ask them."""

from __future__ import annotations

from dataclasses import replace

from clawtap_core.model import (
    Effect,
    Kind,
    Option,
    Position,
    PromptForm,
    Question,
    QuestionOption,
    TextInput,
)

ONCE = Option("allow-once", "Allow once", Effect.ALLOW_ONCE)
SESSION = Option("allow-for-this-session", "Allow for this session", Effect.ALLOW_ALWAYS)
NO = Option("no-suggest-changes", "No, suggest changes", Effect.DENY, "esc")
YES = Option("yes", "Yes", Effect.ALLOW_ONCE, "y")
ALWAYS = Option("yes-always", "Yes, and don't ask again for: git push", Effect.ALLOW_ALWAYS, "p")

DIFF = """src/session.py
12   def expires(self) -> datetime:
13       \"\"\"When the session ends.\"\"\"
14 -     return self.started + timedelta(hours=1)
14 +     return self.started + timedelta(hours=self.hours)
15 +
16 +     # the default stands in settings.py
17   @property
18   def name(self) -> str:"""

PLAN = """## Add a logout button

1. **Header**: add a `LogoutButton` next to the avatar.
2. **API**: `POST /api/logout` drops the cookie.
3. **Tests**: one for the button, one for the route.

```python
@app.post("/api/logout")
def logout():
    session.clear()          # the cookie goes with it
    return {"ok": True}
```

| file | change |
|---|---|
| `src/header.tsx` | new button |
| `src/api.py` | new route |

> The migration is *not* part of this plan."""

SCREEN = """ Gemini CLI update available! 0.61.0 -> 0.62.0

 ? What do you want to do

 ● Update now
   Remind me tomorrow
   Never ask again

 (Use arrow keys, Enter to choose)"""

HOSTILE = (
    '<script>alert(1)</script><img src=x onerror="alert(2)">'
    " [link](javascript:alert(3)) \x1b[31mred\x1b[0m \u202eevil\u202c"
    " {{ 7*7 }} ' \" </pre></ct-prompt>"
)

COLOUR = Question(
    "Which database should the service use?",
    "Database",
    (
        QuestionOption("PostgreSQL", "Relational, strict, a server of its own"),
        QuestionOption("SQLite", "One file, nothing to run", preview="app.db\n└── users, sessions"),
        QuestionOption("MongoDB", "Documents without a schema"),
    ),
    other=True,
)
FEATURES = Question(
    "Which features should the first release have?",
    "Features",
    (
        QuestionOption("Login", "With e-mail and password"),
        QuestionOption("Search", "Over titles and texts"),
        QuestionOption("Export", "As CSV"),
    ),
    multi_select=True,
    other=True,
)
NAME = Question("What should the project be called?", "Name", placeholder="my-project")

FORMS = {
    "shell": PromptForm(
        Kind.PERMISSION,
        "Allow execution of [Shell]?",
        "git push --force-with-lease origin main",
        tool_name="run_shell_command",
        tool_input={"command": "git push --force-with-lease origin main"},
        options=(ONCE, SESSION, NO),
    ),
    "long": PromptForm(
        Kind.PERMISSION,
        "Allow execution of [Shell]?",
        "set -eu\n" + "\n".join(f"cp 'build/part {n}.bin' /srv/release/" for n in range(40)),
        tool_name="run_shell_command",
        options=(YES, ALWAYS, NO),
    ),
    "edit": PromptForm(
        Kind.PERMISSION,
        "Apply this change?",
        DIFF,
        tool_name="replace",
        options=(
            ONCE,
            SESSION,
            Option("modify", "Modify with external editor", Effect.OTHER),
            NO,
        ),
    ),
    "write": PromptForm(
        Kind.PERMISSION,
        "Do you want to create notes.md?",
        tool_name="Write",
        tool_input={"file_path": "docs/notes.md", "content": "# Notes\n\n- one\n- two\n"},
        options=(YES, Option("no", "No", Effect.DENY)),
    ),
    "replace": PromptForm(
        Kind.PERMISSION,
        "Do you want to make this edit to app.py?",
        tool_name="Edit",
        tool_input={
            "file_path": "app.py",
            "old_string": "port = 80\nhost = 'a'\n",
            "new_string": "port = 8080\nhost = 'a'\n",
            "replace_all": False,
        },
        options=(YES, Option("no", "No", Effect.DENY)),
    ),
    "mcp": PromptForm(
        Kind.PERMISSION,
        'Allow execution of MCP tool "create_ticket" from server "tracker"?',
        tool_name="mcp__tracker__create_ticket",
        tool_input={"title": "Login fails", "labels": ["bug", "auth"], "priority": 2},
        origin="reviewer",
        options=(
            ONCE,
            Option("server", "Allow all server tools for this session", Effect.ALLOW_ALWAYS),
            NO,
        ),
    ),
    "single": PromptForm(Kind.QUESTION, "Database", questions=(COLOUR,)),
    "noted": PromptForm(
        Kind.QUESTION, "Database", questions=(replace(COLOUR, notes=True, other=False),)
    ),
    "several": PromptForm(
        Kind.QUESTION, "A few questions about the project", questions=(COLOUR, FEATURES, NAME)
    ),
    "multi": PromptForm(Kind.QUESTION, "Features", questions=(FEATURES,)),
    "positioned": PromptForm(
        Kind.QUESTION, "Database", questions=(COLOUR,), position=Position(2, 3)
    ),
    "text": PromptForm(Kind.QUESTION, "Enter your API key name", text_input=TextInput("my-key")),
    "buttons": PromptForm(
        Kind.QUESTION,
        "Continue in this folder?",
        "It was changed by another program.",
        options=(Option("yes", "Yes"), Option("no", "No")),
    ),
    "form": PromptForm(
        Kind.QUESTION,
        "tracker asks for details",
        "The ticket needs a few more fields.",
        questions=(
            Question("Your e-mail", "E-mail", input_type="email"),
            Question("How urgent, 1 to 5?", "Urgency", input_type="number"),
            Question("Tell the team?", "Tell", input_type="boolean"),
            Question("Access token", "Token", secret=True),
            Question("Due date", "Due", input_type="date", required=False),
        ),
        options=(
            Option("accept", "Accept", Effect.ALLOW_ONCE),
            Option("decline", "Decline", Effect.DENY),
            Option("cancel", "Cancel", Effect.DENY),
        ),
    ),
    "plan": PromptForm(
        Kind.PLAN,
        "Ready to start implementation?",
        PLAN,
        options=(
            Option(
                "yes-auto",
                "Yes, automatically accept edits",
                Effect.ALLOW_ALWAYS,
                description="Approves plan and allows tools to run automatically",
            ),
            Option(
                "yes-manual",
                "Yes, manually accept edits",
                Effect.ALLOW_ONCE,
                description="Approves plan but requires confirmation for each tool",
            ),
        ),
        text_input=TextInput("Type your feedback..."),
    ),
    "loop": PromptForm(
        Kind.LOOP,
        "A potential loop was detected",
        "This can happen due to repetitive tool calls or other model behavior.",
        options=(
            Option("keep", "Keep loop detection enabled", hint="esc"),
            Option("disable", "Disable loop detection for this session"),
        ),
    ),
    "unknown": PromptForm(Kind.UNKNOWN, "Gemini CLI needs you in the terminal", screen=SCREEN),
    "scrolling": PromptForm(
        Kind.QUESTION,
        "Which model?",
        options=(Option("pro", "Pro"), Option("flash", "Flash")),
        more_options=True,
    ),
    "cut": PromptForm(
        Kind.PERMISSION,
        "Allow execution of [Shell]?",
        "echo line 48\necho line 49",
        truncated=True,
        tool_name="run_shell_command",
        options=(ONCE, NO),
    ),
    "hostile": PromptForm(
        Kind.PERMISSION,
        HOSTILE,
        HOSTILE,
        tool_name=HOSTILE,
        tool_input={"command": HOSTILE, HOSTILE: HOSTILE},
        origin=HOSTILE,
        options=(Option('a"><script>', HOSTILE, Effect.ALLOW_ONCE, HOSTILE, HOSTILE), NO),
    ),
}
