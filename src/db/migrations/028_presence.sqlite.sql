-- Who has which page open: one row for each tab of a browser, said anew every while by the tab itself. A row counts for a minute and
-- a half after it was last said and is gone some minutes later; what somebody looked at is kept nowhere else.
CREATE TABLE presence (
    workspace_id  TEXT NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    person        TEXT NOT NULL,            -- a user's or a token's id, or 'local'
    tab           TEXT NOT NULL,
    page          TEXT NOT NULL CHECK (page IN ('inbox', 'question', 'approvals', 'chat', 'discussions', 'discussion',
                                                'jobs', 'job', 'projects', 'project', 'other')),
    subject       TEXT,                     -- what a page of one thing shows
    state         TEXT NOT NULL CHECK (state IN ('here', 'away', 'gone')),
    changed_at    INTEGER NOT NULL,
    seen_at       INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, person, tab)
);
CREATE INDEX presence_seen ON presence (seen_at);
