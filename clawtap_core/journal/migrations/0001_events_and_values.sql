-- What names this journal: its epoch, and when it was made.
CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

-- What happened, in order. `at` counts microseconds since 1970, `data` is JSON.
CREATE TABLE event (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    session_id TEXT,
    data TEXT NOT NULL
);

CREATE INDEX event_of_session ON event (session_id, seq) WHERE session_id IS NOT NULL;

-- What is true now: sessions, prompts and queued messages, each as JSON, in the order in which
-- they came. `open` holds what retention must not drop; `at` is when the others ended.
CREATE TABLE kept (
    position INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    alias TEXT,
    open INTEGER NOT NULL,
    at INTEGER NOT NULL,
    value TEXT NOT NULL,
    UNIQUE (kind, id)
);

CREATE INDEX kept_alias ON kept (kind, alias) WHERE alias IS NOT NULL;

CREATE INDEX kept_open ON kept (kind, open);

-- What the agent side wants to find again, by name.
CREATE TABLE note (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
