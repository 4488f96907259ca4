-- What the runs of a project have taken in each hour, for what they may take in a day. An hour has a slot, which a later one
-- takes over: rows are never removed, and there are no more than slots.
CREATE TABLE project_spending (
    project_id  TEXT    NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    slot        INTEGER NOT NULL,
    hour        INTEGER NOT NULL,
    steps       INTEGER NOT NULL,
    tokens      INTEGER NOT NULL,
    ms          INTEGER NOT NULL, -- where time is bounded
    money       INTEGER NOT NULL,
    PRIMARY KEY (project_id, slot)
) STRICT;
