-- What is known about questions over a range of time, and the alerts that follow from it.

CREATE INDEX agent_questions_asked ON agent_questions (workspace_id, created_at);
CREATE INDEX jobs_made ON jobs (workspace_id, created_at) WHERE NOT lone;

-- How long a person took, and what analytics count by.
CREATE VIEW question_facts AS
SELECT id, workspace_id, project_id, job_id, type, status, outcome_source, question, question_key, created_at,
       CASE WHEN outcome_source = 'human'
            THEN MAX(0, CAST(ROUND((julianday(ended_at) - julianday(created_at)) * 86400000) AS INTEGER)) END AS took_ms
  FROM agent_questions;

-- Requests to ask that failed, by the minute.
CREATE TABLE ask_errors (
    workspace_id  TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    minute        INTEGER NOT NULL,            -- since 1970
    refused       INTEGER NOT NULL DEFAULT 0,  -- the caller's mistake
    failed        INTEGER NOT NULL DEFAULT 0,  -- ours
    PRIMARY KEY (workspace_id, minute)
) STRICT, WITHOUT ROWID;

-- A condition that holds is one row, whoever finds it, until it holds no more.
CREATE TABLE alerts (
    id            TEXT PRIMARY KEY,
    workspace_id  TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    kind          TEXT NOT NULL CHECK (kind IN ('timeout_rate', 'unanswered', 'ask_errors')),
    since         INTEGER NOT NULL,
    ended_at      INTEGER,
    details       TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX alerts_open ON alerts (workspace_id, kind) WHERE ended_at IS NULL;
