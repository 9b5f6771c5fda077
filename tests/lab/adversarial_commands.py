"""Commands that must not slip through a rule that was meant for something else.

Those of one line stand in tests/policy/hostile_commands, by what they abuse.
"""

from __future__ import annotations

from pathlib import Path

_LISTS = Path(__file__).parents[1] / "policy" / "hostile_commands"


def _listed(*names: str) -> list[str]:
    texts = [(_LISTS / f"{name}.txt").read_text(encoding="utf-8") for name in names]
    return [line for text in texts for line in text.rstrip("\n").split("\n")]


# Rules such as people write: each names a program, and leaves its arguments open.
MEANT_WELL = (
    *(
        "npm test",
        "npm run build",
        "npm run lint",
        "make test",
        "make",
        "pytest ...",
        "go test ...",
    ),
    *("python -m pytest ...", "cargo test ...", "node server.js", "tsc ...", "eslint ..."),
    *(
        "git status ...",
        "git diff ...",
        "git log ...",
        "git add ...",
        "git commit ...",
        "git show ...",
    ),
    *("git push ...", "git fetch ...", "git checkout ...", "git branch ...", "git grep ..."),
    *(
        "ls ...",
        "cat ...",
        "head ...",
        "tail ...",
        "wc ...",
        "echo ...",
        "printf ...",
        "pwd",
        "test ...",
    ),
    *(
        "grep ...",
        "rg ...",
        "find ...",
        "fd ...",
        "sort ...",
        "uniq ...",
        "cut ...",
        "tr ...",
        "diff ...",
    ),
    *(
        "cp ...",
        "mv ...",
        "rm ...",
        "mkdir ...",
        "touch ...",
        "chmod ...",
        "ln ...",
        "tee ...",
        "cd ...",
    ),
    *("curl ...", "tar ...", "zip ...", "unzip ...", "jq ...", "date ...", "which ...", "file ..."),
    *("docker ps ...", "gh pr view ...", "rsync ...", "split ...", "dd ...", "sed ...", "awk ..."),
)

DOCUMENTS = [
    "sh <<EOF\nrm -rf /\nEOF",
    "bash <<'EOF'\nrm -rf /\nEOF",
    "bash <<-EOF\n\trm -rf /\n\tEOF",
    "cat <<EOF | sh\nrm -rf /\nEOF",
    "cat <<EOF\n$(rm -rf /)\nEOF",
    "cat <<EOF\n`rm -rf /`\nEOF",
    "cat <<EOF > .git/hooks/pre-commit\nrm -rf /\nEOF",
    "python <<EOF\nimport os\nEOF",
    "tee Makefile <<EOF\ntest:\n\trm -rf /\nEOF",
    "ls\nrm -rf /",
    "ls \\\n; rm -rf /",
    "ls\r\nrm -rf /",
    "ls\rrm -rf /",
    "npm test\n\n\n\n\nrm -rf /",
    "echo 'a\nb'\nrm -rf /",
    "ls\x00rm -rf /",
    "ls \x1b[2K rm",
    "ls\x0brm -rf /",
    "ls #\nrm -rf /",
    "ls '\nrm -rf /",
    'ls "',
    "ls $(",
    "ls `",
    "ls ${",
    "ls )",
    "ls ;;",
]

LOOK_ALIKES = [
    "\u0433m -rf /",
    "r\uff4d -rf /",
    "\uff52\uff4d -rf /",
    "l\u0455 -la",
    "\u217cs",
    "np\u217f test",
    "npm\u00a0test",
    "npm\u2003test",
    "npm test\u200b",
    "npm te\u00adst",
    "npm te\u0455t",
    "\u2028rm -rf /",
    "git pu\u0455h",
    "git push \u2013-force",
    "cat \u2215etc\u2215passwd",
    "cat \uff0fetc\uff0fpasswd",
    "cat a\u202etxt.exe",
    "ls \u2060/etc",
    "cat ~\u2044.ssh",
    "echo \u037e rm -rf /",
    "ls \uff1b rm -rf /",
    "ls \uff5c sh",
    "\u202els",
    "\ufeffls",
    "e\u0441ho hi",
    "cat /etc/p\u0430sswd",
]

COMMANDS = [
    *_listed("quoting", "variables", "shells"),
    *(DOCUMENTS + LOOK_ALIKES),
    *_listed("wrappers", "git", "secrets", "options", "abbreviations"),
]

# Programs that a careless rule allows with any arguments.
BROAD = tuple(
    f"{program} ..."
    for program in (
        *("git", "npm", "pnpm", "yarn", "make", "cmake", "mvn", "rake", "go", "cargo", "rustc"),
        *("python", "python3", "perl", "ruby", "node", "deno", "bun", "php", "lua", "tox", "just"),
        *("pytest", "jest", "mocha", "vitest", "eslint", "prettier", "mypy", "ruff", "pylint"),
        *("ls", "cat", "head", "tail", "grep", "rg", "find", "fd", "sort", "diff", "date", "jq"),
        *("cp", "mv", "rm", "mkdir", "touch", "chmod", "ln", "tee", "install", "tar", "zip"),
        *("unzip", "rsync", "curl", "ssh", "scp", "sed", "awk", "gawk", "less", "man", "vim"),
        *("env", "xargs", "timeout", "command", "exec", "builtin", "eval", "trap", "coproc"),
        *("echo", "printf", "read", "test", "history", "fc", "jobs", "cd", "bat", "nm", "gcc"),
        *("yq", "ps", "tree", "compgen", "chdir", "emulate", "repeat", "sched", "wait"),
        *("docker", "gh", "pandoc", "pdflatex", "gs", "mail", "claude", "codex", "gemini", "sudo"),
    )
)

AGAINST_BROAD_RULES = [*COMMANDS, *_listed("expansions", "broad_git", "broad_programs")]
# A rule with these patterns does name them: it allows code of the project.
NAMED_BY_BROAD = ("python evil.py", "npm run evil")
