-- What the runtime keeps about a session for the time after a restart, by key.
CREATE TABLE marker (
    session_id TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (session_id, key)
) WITHOUT ROWID;

-- Notes were named `key:session`, or `key:session:more`; of the latter the key is now `key:more`.
INSERT OR IGNORE INTO marker
SELECT
    CASE instr(rest, ':') WHEN 0 THEN rest ELSE substr(rest, 1, instr(rest, ':') - 1) END,
    CASE instr(rest, ':') WHEN 0 THEN key ELSE key || substr(rest, instr(rest, ':')) END,
    value
FROM (
    SELECT
        substr(name, 1, instr(name, ':') - 1) AS key,
        substr(name, instr(name, ':') + 1) AS rest,
        value
    FROM note
    WHERE instr(name, ':') > 1
);

DROP TABLE note;
