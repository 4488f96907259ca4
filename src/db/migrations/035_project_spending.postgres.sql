-- What the runs of a project have taken in each hour, for what they may take in a day. An hour has a slot, which a later one
-- takes over: rows are never removed, and there are no more than slots.
CREATE TABLE project_spending (
    project_id  TEXT COLLATE "C" NOT NULL REFERENCES projects(id) ON DELETE CASCADE,
    slot        BIGINT NOT NULL,
    hour        BIGINT NOT NULL,
    steps       BIGINT NOT NULL,
    tokens      BIGINT NOT NULL,
    ms          BIGINT NOT NULL, -- where time is bounded
    money       BIGINT NOT NULL,
    PRIMARY KEY (project_id, slot)
);
