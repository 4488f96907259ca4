-- Questions to people, and the jobs that wait for their answers.
--
-- Whoever changes a question or a job's status has locked the job's row first, always in that order, so a
-- question is only ever ended once and two changes never wait for each other in a circle.

ALTER TABLE jobs ADD COLUMN requested_kind TEXT;                        -- user, token, local: who asked for it
ALTER TABLE jobs ADD COLUMN requested_by   TEXT;
ALTER TABLE jobs ADD COLUMN requested_name TEXT;
ALTER TABLE jobs ADD COLUMN lone           INTEGER NOT NULL DEFAULT 0;  -- made for one question, ends with it
ALTER TABLE jobs ADD COLUMN restart_of     TEXT;
ALTER TABLE jobs ADD COLUMN restart_answer TEXT;                        -- the late answer it starts with
ALTER TABLE jobs ADD COLUMN outcome_source TEXT;
ALTER TABLE jobs ADD COLUMN outcome_by     TEXT;
ALTER TABLE jobs ADD COLUMN log_lines      INTEGER NOT NULL DEFAULT 0;
CREATE INDEX jobs_open ON jobs (workspace_id, status, id)
    WHERE status <> 'completed' AND status <> 'failed' AND status <> 'cancelled';
CREATE INDEX jobs_project ON jobs (project_id, id) WHERE project_id IS NOT NULL;
CREATE INDEX jobs_task ON jobs (task_id, id) WHERE task_id IS NOT NULL;

-- What happened in a job, line by line; questions and answers stand there too.
CREATE TABLE job_logs (
    job_id      TEXT NOT NULL REFERENCES jobs(id) ON DELETE CASCADE,
    seq         INTEGER NOT NULL,           -- 1, 2, 3 ... within the job
    kind        TEXT NOT NULL,              -- log, progress, status, question, answer, timeout, cancelled, ...
    level       TEXT NOT NULL CHECK (level = 'debug' OR level = 'info' OR level = 'warn' OR level = 'error'),
    message     TEXT NOT NULL,
    data        TEXT,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (job_id, seq)
) STRICT;

CREATE TABLE agent_questions (
    id                     TEXT PRIMARY KEY,
    job_id                 TEXT NOT NULL REFERENCES jobs(id) ON DELETE CASCADE,
    workspace_id           TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    project_id             TEXT REFERENCES projects(id) ON DELETE SET NULL,
    type                   TEXT NOT NULL CHECK (type = 'blocking' OR type = 'non_blocking' OR type = 'approval'
                                                OR type = 'error_recovery'),
    question               TEXT NOT NULL,
    context                TEXT,
    status                 TEXT NOT NULL DEFAULT 'pending'
                           CHECK (status = 'pending' OR status = 'answered' OR status = 'timeout'
                                  OR status = 'cancelled'),
    response_type          TEXT NOT NULL CHECK (response_type = 'text' OR response_type = 'choice'
                                                OR response_type = 'boolean' OR response_type = 'approval'),
    options                TEXT,
    response               TEXT,
    responded_by           TEXT,                        -- a user's or token's id, local, system
    responded_at           TEXT,
    timeout_at             TEXT,
    default_response       TEXT,
    metadata               TEXT,
    created_at             TEXT NOT NULL,
    parent_id              TEXT,                        -- the question this one follows up
    question_key           INTEGER NOT NULL,            -- a hash of workspace, type and normalised text
    allow_other            INTEGER NOT NULL DEFAULT 0,
    allow_default_approve  INTEGER NOT NULL DEFAULT 0,
    assigned_to            TEXT,
    required_role          TEXT,
    required_approvals     INTEGER NOT NULL DEFAULT 1,
    approvals              TEXT NOT NULL DEFAULT '[]',  -- [{id, by, at}]: who has approved so far
    action                 TEXT,                        -- {name, args}: what is proposed
    approved_args          TEXT,                        -- what the approvals are for, when edited
    late_answers           TEXT NOT NULL DEFAULT '[]',  -- [{response, by, at}]: came after the deadline
    draft_by               TEXT,
    draft_at               TEXT,
    draft_moves            INTEGER NOT NULL DEFAULT 0,
    asked_by               TEXT NOT NULL,
    requested_by           TEXT,                        -- the user who asked for it, whose approval does not count
    outcome_source         TEXT,
    outcome_by             TEXT,
    ended_at               TEXT,
    restart_job_id         TEXT,                        -- the job that a late answer started
    template               TEXT
) STRICT;
-- Lists of what is open; the columns after id let a filter be decided without reading the row.
CREATE INDEX agent_questions_pending ON agent_questions (workspace_id, created_at, id, type, project_id, timeout_at)
    WHERE status = 'pending';
CREATE INDEX agent_questions_dated ON agent_questions (workspace_id, timeout_at, id, type, project_id)
    WHERE status = 'pending' AND timeout_at IS NOT NULL;
CREATE INDEX agent_questions_due ON agent_questions (timeout_at) WHERE status = 'pending' AND timeout_at IS NOT NULL;
CREATE INDEX agent_questions_job ON agent_questions (job_id, created_at, id);
CREATE INDEX agent_questions_job_open ON agent_questions (job_id, id) WHERE status = 'pending';
CREATE INDEX agent_questions_similar ON agent_questions (question_key, id) WHERE status = 'pending';
CREATE INDEX agent_questions_precedents ON agent_questions (question_key, id) WHERE outcome_source = 'human';
-- For the delete of a project.
CREATE INDEX agent_questions_project ON agent_questions (project_id) WHERE project_id IS NOT NULL;

-- Whole questions, with JSON and times as clients see them; sort_at and due_at are the same times to compare by.
CREATE VIEW question_rows AS
SELECT id, job_id, workspace_id, project_id, type, question, context, status, response_type, options, response,
       responded_by, responded_at, timeout_at, default_response, metadata, created_at, parent_id, allow_other,
       allow_default_approve, assigned_to, required_role, required_approvals, approvals, action, approved_args,
       late_answers, draft_by, draft_at, draft_moves, asked_by, requested_by, outcome_source, outcome_by, ended_at,
       restart_job_id, template, question_key, created_at AS sort_at, timeout_at AS due_at
  FROM agent_questions;

-- Questions that are asked again and again, ready to be asked. Three more are built in.
CREATE TABLE question_templates (
    id            TEXT PRIMARY KEY,
    workspace_id  TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    name          TEXT NOT NULL,
    name_key      TEXT NOT NULL,
    definition    TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    UNIQUE (workspace_id, name_key)
) STRICT;

-- One-time links: whoever holds one answers one question with the right of the person who made it.
CREATE TABLE question_links (
    hash          TEXT PRIMARY KEY,
    question_id   TEXT NOT NULL REFERENCES agent_questions(id) ON DELETE CASCADE,
    workspace_id  TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    maker_kind    TEXT NOT NULL,
    maker_id      TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    expires_at    INTEGER NOT NULL,
    used_at       INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX question_links_question ON question_links (question_id);
CREATE INDEX question_links_expiry ON question_links (expires_at);

-- What is for the people at large is one row; who of them has read it stands beside.
ALTER TABLE notifications ADD COLUMN roles INTEGER NOT NULL DEFAULT 7;    -- whose roles it is for, as a set
CREATE TABLE notification_reads (
    notification_id  TEXT NOT NULL REFERENCES notifications(id) ON DELETE CASCADE,
    person           TEXT NOT NULL,
    read_at          INTEGER NOT NULL,
    PRIMARY KEY (notification_id, person)
) STRICT, WITHOUT ROWID;
DROP INDEX notifications_unread;
CREATE INDEX notifications_unread ON notifications (workspace_id, reader, id, roles)
    WHERE read_at IS NULL AND resolved_at IS NULL;
