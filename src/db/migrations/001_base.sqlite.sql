-- The tables that everything else refers to. Times are milliseconds since 1970, JSON is text.
--
-- Where rows are written often, a column's words are listed with OR: for more than two of them SQLite fills a
-- table of its own for IN, each time it checks a row.

CREATE TABLE workspaces (
    id          TEXT PRIMARY KEY,
    slug        TEXT NOT NULL UNIQUE,
    name        TEXT NOT NULL,
    settings    TEXT NOT NULL DEFAULT '{}',
    created_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE users (
    id            TEXT PRIMARY KEY,
    name          TEXT NOT NULL,
    name_key      TEXT NOT NULL UNIQUE,     -- folded: logins ignore case
    password      TEXT,                     -- argon2id; NULL: cannot log in
    preferences   TEXT NOT NULL DEFAULT '{}',
    disabled_at   INTEGER,
    created_at    INTEGER NOT NULL
) STRICT;

-- What a user may do, in each workspace.
CREATE TABLE members (
    workspace_id  TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    user_id       TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
    role          TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'agent', 'viewer')),
    created_at    INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX members_user ON members (user_id);

CREATE TABLE tokens (
    id            TEXT PRIMARY KEY,
    workspace_id  TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    hash          TEXT NOT NULL UNIQUE,     -- SHA-256 of the secret; the secret itself is shown once
    name          TEXT NOT NULL,
    role          TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'agent', 'viewer')),
    project_id    TEXT,
    agent_name    TEXT,
    created_by    TEXT,
    created_at    INTEGER NOT NULL,
    expires_at    INTEGER,
    last_used_at  INTEGER,
    revoked_at    INTEGER
) STRICT;
CREATE INDEX tokens_list ON tokens (workspace_id, id);

CREATE TABLE sessions (
    hash          TEXT PRIMARY KEY,
    user_id       TEXT NOT NULL REFERENCES users(id) ON DELETE CASCADE,
    created_at    INTEGER NOT NULL,
    expires_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- Short-lived stand-ins for a caller's credentials, for streams that cannot send headers.
CREATE TABLE tickets (
    hash          TEXT PRIMARY KEY,
    caller        TEXT NOT NULL,            -- which credential it stands for
    workspace_id  TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    expires_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tickets_expiry ON tickets (expires_at);

CREATE TABLE projects (
    id            TEXT PRIMARY KEY,
    workspace_id  TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    name          TEXT NOT NULL,
    hil_config    TEXT NOT NULL DEFAULT '{}',
    settings      TEXT NOT NULL DEFAULT '{}',
    created_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX projects_list ON projects (workspace_id, id);

CREATE TABLE tasks (
    id            TEXT PRIMARY KEY,
    workspace_id  TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    project_id    TEXT REFERENCES projects(id) ON DELETE CASCADE,
    title         TEXT NOT NULL,
    description   TEXT NOT NULL DEFAULT '',
    status        TEXT NOT NULL DEFAULT 'open' CHECK (status = 'open' OR status = 'in_progress'
                                                      OR status = 'blocked' OR status = 'closed'),
    priority      INTEGER NOT NULL DEFAULT 2,
    assignee      TEXT,
    block_reason  TEXT,
    session_id    TEXT,
    result        TEXT,
    created_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX tasks_list ON tasks (workspace_id, project_id, id);

CREATE TABLE jobs (
    id            TEXT PRIMARY KEY,
    workspace_id  TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    project_id    TEXT REFERENCES projects(id) ON DELETE SET NULL,
    task_id       TEXT REFERENCES tasks(id) ON DELETE SET NULL,
    kind          TEXT NOT NULL,
    agent         TEXT,
    status        TEXT NOT NULL DEFAULT 'pending' CHECK (status = 'pending' OR status = 'running'
                                                         OR status = 'waiting_for_input'
                                                         OR status = 'waiting_for_approval'
                                                         OR status = 'completed' OR status = 'failed'
                                                         OR status = 'cancelled'),
    progress      TEXT,
    input         TEXT,
    result        TEXT,
    error         TEXT,
    created_at    INTEGER NOT NULL,
    ended_at      INTEGER
) STRICT;
CREATE INDEX jobs_list ON jobs (workspace_id, id);

CREATE TABLE agent_templates (
    id               TEXT PRIMARY KEY,
    workspace_id     TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    name             TEXT NOT NULL,
    name_key         TEXT NOT NULL,
    role             TEXT NOT NULL DEFAULT '',
    system_prompt    TEXT NOT NULL DEFAULT '',
    ai_model_config  TEXT NOT NULL DEFAULT '{}',
    created_at       INTEGER NOT NULL,
    UNIQUE (workspace_id, name_key)
) STRICT;

-- Each person's and each agent's inbox. A row has one reader: an agent by folded name, a user, or, where
-- neither is named, the people of the workspace at large.
CREATE TABLE notifications (
    id            TEXT PRIMARY KEY,
    workspace_id  TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    project_id    TEXT REFERENCES projects(id) ON DELETE CASCADE,
    user_id       TEXT REFERENCES users(id) ON DELETE CASCADE,
    agent_key     TEXT,
    kind          TEXT NOT NULL,
    priority      TEXT NOT NULL CHECK (priority = 'high' OR priority = 'normal' OR priority = 'low'),
    title         TEXT NOT NULL,
    body          TEXT NOT NULL DEFAULT '',
    ref_type      TEXT NOT NULL,
    ref_id        TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    read_at       INTEGER,
    resolved_at   INTEGER,
    reader        TEXT NOT NULL GENERATED ALWAYS AS (CASE
                      WHEN agent_key IS NOT NULL THEN 'agent:' || agent_key
                      WHEN user_id IS NOT NULL THEN 'user:' || user_id
                      ELSE 'people' END) STORED
) STRICT;
CREATE INDEX notifications_inbox ON notifications (workspace_id, reader, id);
CREATE INDEX notifications_unread ON notifications (workspace_id, reader, id, resolved_at) WHERE read_at IS NULL;
CREATE INDEX notifications_ref ON notifications (ref_type, ref_id);
-- For the delete of a project or a person, which would read the whole table otherwise.
CREATE INDEX notifications_project ON notifications (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX notifications_user ON notifications (user_id) WHERE user_id IS NOT NULL;

-- The one ordered log of what happened. Numbers are given in the order of commits and never used twice: a new
-- row follows the last one, which is never deleted (pruning spares it; audit rows all stay). AUTOINCREMENT
-- would say the same with a read and a write of another table for each row.
CREATE TABLE events (
    seq            INTEGER PRIMARY KEY,
    workspace_id   TEXT NOT NULL,
    type           TEXT NOT NULL,
    project_id     TEXT,
    job_id         TEXT,
    discussion_id  TEXT,
    subject        TEXT,                    -- the id of what it is about: whoever waits for that hears of it
    data           TEXT NOT NULL,           -- a JSON object: the members beside type, at and workspaceId
    created_at     INTEGER NOT NULL
) STRICT;

-- Who did what to which row when, from where. Each row's hash covers the one before it in its workspace.
CREATE TABLE audit (
    seq           INTEGER PRIMARY KEY,
    workspace_id  TEXT NOT NULL,
    actor_kind    TEXT NOT NULL,            -- user, token, local, system, sql
    actor_id      TEXT,
    actor         TEXT NOT NULL,
    operation     TEXT NOT NULL,
    subject       TEXT,
    door          TEXT,
    remote        TEXT,
    request_id    TEXT,
    detail        TEXT NOT NULL DEFAULT '{}',
    created_at    INTEGER NOT NULL,
    hash          TEXT                      -- NULL until sealed
) STRICT;
CREATE INDEX audit_list ON audit (workspace_id, seq);

-- How far each workspace's chain is sealed, and with which hash.
CREATE TABLE audit_heads (
    workspace_id  TEXT PRIMARY KEY,
    seq           INTEGER NOT NULL,
    hash          TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_heads_seq ON audit_heads (seq);

-- What was written stays. Sealing sets the hash alone, so it does not pay for this.
CREATE TRIGGER audit_kept BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'audit rows are never deleted');
END;

CREATE TRIGGER audit_fixed BEFORE UPDATE OF seq, workspace_id, actor_kind, actor_id, actor, operation, subject, door, remote, request_id,
    detail, created_at ON audit
BEGIN
    SELECT RAISE(ABORT, 'audit rows are never changed');
END;

CREATE TABLE idempotency (
    workspace_id  TEXT NOT NULL,
    caller        TEXT NOT NULL,
    operation     TEXT NOT NULL,
    key           TEXT NOT NULL,
    body_hash     TEXT NOT NULL,
    status        INTEGER,
    reply         TEXT,                     -- NULL: the reply held a secret and was not kept
    created_at    INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, caller, operation, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_age ON idempotency (created_at);

-- Facts about this installation that every node shares (such as the test clock's offset).
CREATE TABLE facts (
    name   TEXT PRIMARY KEY,
    value  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO workspaces (id, slug, name, created_at)
VALUES ('00000000-0000-7000-8000-000000000001', 'default', 'Default', CAST(strftime('%s', 'now') AS INTEGER) * 1000);
