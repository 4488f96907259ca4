-- What is known about questions over a range of time, and the alerts that follow from it.

CREATE INDEX agent_questions_asked ON agent_questions (workspace_id, created_at);
CREATE INDEX jobs_made ON jobs (workspace_id, created_at) WHERE NOT lone;

-- How long a person took, and what analytics count by.
CREATE VIEW question_facts AS
SELECT id, workspace_id, project_id, job_id, type, status, outcome_source, question, question_key, created_at,
       CASE WHEN outcome_source = 'human'
            THEN GREATEST(0, CAST(ROUND(EXTRACT(EPOCH FROM ended_at - created_at) * 1000) AS BIGINT)) END AS took_ms
  FROM agent_questions;

-- Requests to ask that failed, by the minute.
CREATE TABLE ask_errors (
    workspace_id  TEXT COLLATE "C" NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    minute        BIGINT NOT NULL,             -- since 1970
    refused       BIGINT NOT NULL DEFAULT 0,   -- the caller's mistake
    failed        BIGINT NOT NULL DEFAULT 0,   -- ours
    PRIMARY KEY (workspace_id, minute)
);

-- A condition that holds is one row, whoever finds it, until it holds no more.
CREATE TABLE alerts (
    id            TEXT COLLATE "C" PRIMARY KEY,
    workspace_id  TEXT COLLATE "C" NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    kind          TEXT COLLATE "C" NOT NULL CHECK (kind IN ('timeout_rate', 'unanswered', 'ask_errors')),
    since         BIGINT NOT NULL,
    ended_at      BIGINT,
    details       TEXT COLLATE "C" NOT NULL
);
CREATE UNIQUE INDEX alerts_open ON alerts (workspace_id, kind) WHERE ended_at IS NULL;
