-- Who has which page open: one row for each tab of a browser, said anew every while by the tab itself. A row counts for a minute and
-- a half after it was last said and is gone some minutes later; what somebody looked at is kept nowhere else. Unlogged: it costs no
-- write-ahead log, and after a crash everybody says it again.
CREATE UNLOGGED TABLE presence (
    workspace_id  TEXT COLLATE "C" NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    person        TEXT COLLATE "C" NOT NULL,    -- a user's or a token's id, or 'local'
    tab           TEXT COLLATE "C" NOT NULL,
    page          TEXT COLLATE "C" NOT NULL CHECK (page IN ('inbox', 'question', 'approvals', 'chat', 'discussions',
                                                            'discussion', 'jobs', 'job', 'projects', 'project', 'other')),
    subject       TEXT COLLATE "C",             -- what a page of one thing shows
    state         TEXT COLLATE "C" NOT NULL CHECK (state IN ('here', 'away', 'gone')),
    changed_at    BIGINT NOT NULL,
    seen_at       BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, person, tab)
);
CREATE INDEX presence_seen ON presence (seen_at);
