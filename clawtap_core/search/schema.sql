-- A conversation that a CLI keeps, and which state of its file was read.
CREATE TABLE conversation (
    id INTEGER PRIMARY KEY,
    adapter TEXT NOT NULL,
    cli_session_id TEXT NOT NULL,
    path TEXT NOT NULL,
    title TEXT NOT NULL,
    cwd TEXT,
    changed_at INTEGER NOT NULL,
    stamp TEXT NOT NULL,
    UNIQUE (adapter, cli_session_id)
);

-- Its messages. `position` begins with the time: the newest are found first without sorting.
CREATE TABLE message (
    position INTEGER PRIMARY KEY,
    conversation INTEGER NOT NULL,
    id TEXT NOT NULL,
    role TEXT NOT NULL,
    at INTEGER NOT NULL,
    digest INTEGER NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (conversation, id)
);

-- Their words. Symbols (So) are words too: emoji are searched for.
CREATE VIRTUAL TABLE word USING fts5 (
    text,
    content = '',
    columnsize = 0,
    prefix = '1 2 3',
    tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co So'"
);

CREATE TABLE meta (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
