-- The tables that everything else refers to. Times are milliseconds since 1970, JSON is text.

CREATE TABLE workspaces (
    id          TEXT COLLATE "C" PRIMARY KEY,
    slug        TEXT COLLATE "C" NOT NULL UNIQUE,
    name        TEXT COLLATE "C" NOT NULL,
    settings    TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    created_at  BIGINT NOT NULL
);

CREATE TABLE users (
    id            TEXT COLLATE "C" PRIMARY KEY,
    name          TEXT COLLATE "C" NOT NULL,
    name_key      TEXT COLLATE "C" NOT NULL UNIQUE,     -- folded: logins ignore case
    password      TEXT COLLATE "C",                     -- argon2id; NULL: cannot log in
    preferences   TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    disabled_at   BIGINT,
    created_at    BIGINT NOT NULL
);

-- What a user may do, in each workspace.
CREATE TABLE members (
    workspace_id  TEXT COLLATE "C" NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    user_id       TEXT COLLATE "C" NOT NULL REFERENCES users(id) ON DELETE CASCADE,
    role          TEXT COLLATE "C" NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'agent', 'viewer')),
    created_at    BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, user_id)
);
CREATE INDEX members_user ON members (user_id);

CREATE TABLE tokens (
    id            TEXT COLLATE "C" PRIMARY KEY,
    workspace_id  TEXT COLLATE "C" NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    hash          TEXT COLLATE "C" NOT NULL UNIQUE,     -- SHA-256 of the secret; the secret itself is shown once
    name          TEXT COLLATE "C" NOT NULL,
    role          TEXT COLLATE "C" NOT NULL CHECK (role IN ('owner', 'admin', 'member', 'agent', 'viewer')),
    project_id    TEXT COLLATE "C",
    agent_name    TEXT COLLATE "C",
    created_by    TEXT COLLATE "C",
    created_at    BIGINT NOT NULL,
    expires_at    BIGINT,
    last_used_at  BIGINT,
    revoked_at    BIGINT
);
CREATE INDEX tokens_list ON tokens (workspace_id, id);

CREATE TABLE sessions (
    hash          TEXT COLLATE "C" PRIMARY KEY,
    user_id       TEXT COLLATE "C" NOT NULL REFERENCES users(id) ON DELETE CASCADE,
    created_at    BIGINT NOT NULL,
    expires_at    BIGINT NOT NULL
);
CREATE INDEX sessions_user ON sessions (user_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- Short-lived stand-ins for a caller's credentials, for streams that cannot send headers.
CREATE TABLE tickets (
    hash          TEXT COLLATE "C" PRIMARY KEY,
    caller        TEXT COLLATE "C" NOT NULL,            -- which credential it stands for
    workspace_id  TEXT COLLATE "C" NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    expires_at    BIGINT NOT NULL
);
CREATE INDEX tickets_expiry ON tickets (expires_at);

CREATE TABLE projects (
    id            TEXT COLLATE "C" PRIMARY KEY,
    workspace_id  TEXT COLLATE "C" NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    name          TEXT COLLATE "C" NOT NULL,
    hil_config    TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    settings      TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    created_at    BIGINT NOT NULL
);
CREATE INDEX projects_list ON projects (workspace_id, id);

CREATE TABLE tasks (
    id            TEXT COLLATE "C" PRIMARY KEY,
    workspace_id  TEXT COLLATE "C" NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    project_id    TEXT COLLATE "C" REFERENCES projects(id) ON DELETE CASCADE,
    title         TEXT COLLATE "C" NOT NULL,
    description   TEXT COLLATE "C" NOT NULL DEFAULT '',
    status        TEXT COLLATE "C" NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'in_progress', 'blocked', 'closed')),
    priority      INTEGER NOT NULL DEFAULT 2,
    assignee      TEXT COLLATE "C",
    block_reason  TEXT COLLATE "C",
    session_id    TEXT COLLATE "C",
    result        TEXT COLLATE "C",
    created_at    BIGINT NOT NULL
);
CREATE INDEX tasks_list ON tasks (workspace_id, project_id, id);

CREATE TABLE jobs (
    id            TEXT COLLATE "C" PRIMARY KEY,
    workspace_id  TEXT COLLATE "C" NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    project_id    TEXT COLLATE "C" REFERENCES projects(id) ON DELETE SET NULL,
    task_id       TEXT COLLATE "C" REFERENCES tasks(id) ON DELETE SET NULL,
    kind          TEXT COLLATE "C" NOT NULL,
    agent         TEXT COLLATE "C",
    status        TEXT COLLATE "C" NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'running', 'waiting_for_input',
                  'waiting_for_approval', 'completed', 'failed', 'cancelled')),
    progress      TEXT COLLATE "C",
    input         TEXT COLLATE "C",
    result        TEXT COLLATE "C",
    error         TEXT COLLATE "C",
    created_at    BIGINT NOT NULL,
    ended_at      BIGINT
);
CREATE INDEX jobs_list ON jobs (workspace_id, id);

CREATE TABLE agent_templates (
    id               TEXT COLLATE "C" PRIMARY KEY,
    workspace_id     TEXT COLLATE "C" NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    name             TEXT COLLATE "C" NOT NULL,
    name_key         TEXT COLLATE "C" NOT NULL,
    role             TEXT COLLATE "C" NOT NULL DEFAULT '',
    system_prompt    TEXT COLLATE "C" NOT NULL DEFAULT '',
    ai_model_config  TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    created_at       BIGINT NOT NULL,
    UNIQUE (workspace_id, name_key)
);

-- Each person's and each agent's inbox. A row has one reader: an agent by folded name, a user, or, where
-- neither is named, the people of the workspace at large.
CREATE TABLE notifications (
    id            TEXT COLLATE "C" PRIMARY KEY,
    workspace_id  TEXT COLLATE "C" NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    project_id    TEXT COLLATE "C" REFERENCES projects(id) ON DELETE CASCADE,
    user_id       TEXT COLLATE "C" REFERENCES users(id) ON DELETE CASCADE,
    agent_key     TEXT COLLATE "C",
    kind          TEXT COLLATE "C" NOT NULL,
    priority      TEXT COLLATE "C" NOT NULL CHECK (priority IN ('high', 'normal', 'low')),
    title         TEXT COLLATE "C" NOT NULL,
    body          TEXT COLLATE "C" NOT NULL DEFAULT '',
    ref_type      TEXT COLLATE "C" NOT NULL,
    ref_id        TEXT COLLATE "C" NOT NULL,
    created_at    BIGINT NOT NULL,
    read_at       BIGINT,
    resolved_at   BIGINT,
    reader        TEXT COLLATE "C" NOT NULL GENERATED ALWAYS AS (CASE
                      WHEN agent_key IS NOT NULL THEN 'agent:' || agent_key
                      WHEN user_id IS NOT NULL THEN 'user:' || user_id
                      ELSE 'people' END) STORED
);
CREATE INDEX notifications_inbox ON notifications (workspace_id, reader, id);
CREATE INDEX notifications_unread ON notifications (workspace_id, reader, id, resolved_at) WHERE read_at IS NULL;
CREATE INDEX notifications_ref ON notifications (ref_type, ref_id);
-- For the delete of a project or a person, which would read the whole table otherwise.
CREATE INDEX notifications_project ON notifications (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX notifications_user ON notifications (user_id) WHERE user_id IS NOT NULL;

-- The one ordered log of what happened. Numbers are given in the order of commits and never used twice.
--
-- Operations append rows without a number; one node at a time numbers what has been committed, so that
-- readers, who see numbered rows only, never step over a number that is still in flight.
CREATE TABLE events (
    id             BIGSERIAL PRIMARY KEY,
    seq            BIGINT UNIQUE,
    workspace_id   TEXT COLLATE "C" NOT NULL,
    type           TEXT COLLATE "C" NOT NULL,
    project_id     TEXT COLLATE "C",
    job_id         TEXT COLLATE "C",
    discussion_id  TEXT COLLATE "C",
    subject        TEXT COLLATE "C",                    -- the id of what it is about: whoever waits for that hears of it
    data           TEXT COLLATE "C" NOT NULL,           -- a JSON object: the members beside type, at and workspaceId
    created_at     BIGINT NOT NULL
);

CREATE INDEX events_unnumbered ON events (id) WHERE seq IS NULL;

-- Who did what to which row when, from where. Each row's hash covers the one before it in its workspace.
CREATE TABLE audit (
    id            BIGSERIAL PRIMARY KEY,
    seq           BIGINT UNIQUE,
    workspace_id  TEXT COLLATE "C" NOT NULL,
    actor_kind    TEXT COLLATE "C" NOT NULL,            -- user, token, local, system, sql
    actor_id      TEXT COLLATE "C",
    actor         TEXT COLLATE "C" NOT NULL,
    operation     TEXT COLLATE "C" NOT NULL,
    subject       TEXT COLLATE "C",
    door          TEXT COLLATE "C",
    remote        TEXT COLLATE "C",
    request_id    TEXT COLLATE "C",
    detail        TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    created_at    BIGINT NOT NULL,
    hash          TEXT COLLATE "C"                      -- NULL until sealed
);
CREATE INDEX audit_list ON audit (workspace_id, seq);
CREATE INDEX audit_unsealed ON audit (id) WHERE seq IS NULL;

-- How far each workspace's chain is sealed, and with which hash.
CREATE TABLE audit_heads (
    workspace_id  TEXT COLLATE "C" PRIMARY KEY,
    seq           BIGINT NOT NULL,
    hash          TEXT COLLATE "C" NOT NULL
);
CREATE INDEX audit_heads_seq ON audit_heads (seq);

-- What was written stays. Sealing sets number and hash alone, so it does not pay for this.
CREATE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit rows are never changed or deleted';
END
$$;

CREATE TRIGGER audit_kept BEFORE DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_refuse();

CREATE TRIGGER audit_fixed BEFORE UPDATE OF workspace_id, actor_kind, actor_id, actor, operation, subject, door, remote, request_id,
    detail, created_at ON audit
    FOR EACH ROW EXECUTE FUNCTION audit_refuse();

CREATE TABLE idempotency (
    workspace_id  TEXT COLLATE "C" NOT NULL,
    caller        TEXT COLLATE "C" NOT NULL,
    operation     TEXT COLLATE "C" NOT NULL,
    key           TEXT COLLATE "C" NOT NULL,
    body_hash     TEXT COLLATE "C" NOT NULL,
    status        INTEGER,
    reply         TEXT COLLATE "C",                     -- NULL: the reply held a secret and was not kept
    created_at    BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, caller, operation, key)
);
CREATE INDEX idempotency_age ON idempotency (created_at);

-- Facts about this installation that every node shares (such as the test clock's offset).
CREATE TABLE facts (
    name   TEXT COLLATE "C" PRIMARY KEY,
    value  TEXT COLLATE "C" NOT NULL
);

INSERT INTO workspaces (id, slug, name, created_at)
VALUES ('00000000-0000-7000-8000-000000000001', 'default', 'Default', CAST(extract(epoch FROM now()) * 1000 AS BIGINT));
