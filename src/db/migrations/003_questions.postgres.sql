-- Questions to people, and the jobs that wait for their answers.
--
-- Whoever changes a question or a job's status has locked the job's row first, always in that order, so a
-- question is only ever ended once and two changes never wait for each other in a circle.

ALTER TABLE jobs ADD COLUMN requested_kind TEXT COLLATE "C";    -- user, token, local: who asked for it
ALTER TABLE jobs ADD COLUMN requested_by   TEXT COLLATE "C";
ALTER TABLE jobs ADD COLUMN requested_name TEXT COLLATE "C";
ALTER TABLE jobs ADD COLUMN lone           BOOLEAN NOT NULL DEFAULT FALSE;  -- made for one question, ends with it
ALTER TABLE jobs ADD COLUMN restart_of     TEXT COLLATE "C";
ALTER TABLE jobs ADD COLUMN restart_answer TEXT COLLATE "C";    -- the late answer it starts with
ALTER TABLE jobs ADD COLUMN outcome_source TEXT COLLATE "C";
ALTER TABLE jobs ADD COLUMN outcome_by     TEXT COLLATE "C";
ALTER TABLE jobs ADD COLUMN log_lines      INTEGER NOT NULL DEFAULT 0;
CREATE INDEX jobs_open ON jobs (workspace_id, status, id)
    WHERE status <> 'completed' AND status <> 'failed' AND status <> 'cancelled';
CREATE INDEX jobs_project ON jobs (project_id, id) WHERE project_id IS NOT NULL;
CREATE INDEX jobs_task ON jobs (task_id, id) WHERE task_id IS NOT NULL;

-- What happened in a job, line by line; questions and answers stand there too.
CREATE TABLE job_logs (
    job_id      TEXT COLLATE "C" NOT NULL REFERENCES jobs(id) ON DELETE CASCADE,
    seq         INTEGER NOT NULL,    -- 1, 2, 3 ... within the job
    kind        TEXT COLLATE "C" NOT NULL,    -- log, progress, status, question, answer, timeout, cancelled, ...
    level       TEXT COLLATE "C" NOT NULL CHECK (level IN ('debug', 'info', 'warn', 'error')),
    message     TEXT COLLATE "C" NOT NULL,
    data        TEXT COLLATE "C",
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (job_id, seq)
);

CREATE TABLE agent_questions (
    id                     TEXT COLLATE "C" PRIMARY KEY,
    job_id                 TEXT COLLATE "C" NOT NULL REFERENCES jobs(id) ON DELETE CASCADE,
    workspace_id           TEXT COLLATE "C" NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    project_id             TEXT COLLATE "C" REFERENCES projects(id) ON DELETE SET NULL,
    type                   TEXT COLLATE "C" NOT NULL CHECK (type IN ('blocking', 'non_blocking', 'approval', 'error_recovery')),
    question               TEXT COLLATE "C" NOT NULL,
    context                JSONB,
    status                 TEXT COLLATE "C" NOT NULL DEFAULT 'pending'
                           CHECK (status IN ('pending', 'answered', 'timeout', 'cancelled')),
    response_type          TEXT COLLATE "C" NOT NULL CHECK (response_type IN ('text', 'choice', 'boolean', 'approval')),
    options                JSONB,
    response               JSONB,
    responded_by           TEXT COLLATE "C",    -- a user's or token's id, local, system
    responded_at           TIMESTAMPTZ(3),
    timeout_at             TIMESTAMPTZ(3),
    default_response       JSONB,
    metadata               JSONB,
    created_at             TIMESTAMPTZ(3) NOT NULL,
    parent_id              TEXT COLLATE "C",    -- the question this one follows up
    question_key           BIGINT NOT NULL,    -- a hash of workspace, type and normalised text
    allow_other            BOOLEAN NOT NULL DEFAULT FALSE,
    allow_default_approve  BOOLEAN NOT NULL DEFAULT FALSE,
    assigned_to            TEXT COLLATE "C",
    required_role          TEXT COLLATE "C",
    required_approvals     INTEGER NOT NULL DEFAULT 1,
    approvals              TEXT COLLATE "C" NOT NULL DEFAULT '[]',  -- [{id, by, at}]: who has approved so far
    action                 TEXT COLLATE "C",    -- {name, args}: what is proposed
    approved_args          TEXT COLLATE "C",    -- what the approvals are for, when edited
    late_answers           TEXT COLLATE "C" NOT NULL DEFAULT '[]',  -- [{response, by, at}]: came after the deadline
    draft_by               TEXT COLLATE "C",
    draft_at               TIMESTAMPTZ(3),
    draft_moves            INTEGER NOT NULL DEFAULT 0,
    asked_by               TEXT COLLATE "C" NOT NULL,
    requested_by           TEXT COLLATE "C",    -- the user who asked for it, whose approval does not count
    outcome_source         TEXT COLLATE "C",
    outcome_by             TEXT COLLATE "C",
    ended_at               TIMESTAMPTZ(3),
    restart_job_id         TEXT COLLATE "C",    -- the job that a late answer started
    template               TEXT COLLATE "C"
);
-- Lists of what is open; the columns after id let a filter be decided without reading the row. IS NOT NULL says
-- nothing new, but keeps each index to those who ask by its first column: a planner who believes that hardly
-- anything is open would read any of them from end to end.
CREATE INDEX agent_questions_pending ON agent_questions (workspace_id, created_at, id, type, project_id, timeout_at)
    WHERE status = 'pending' AND workspace_id IS NOT NULL;
CREATE INDEX agent_questions_dated ON agent_questions (workspace_id, timeout_at, id, type, project_id)
    WHERE status = 'pending' AND timeout_at IS NOT NULL;
CREATE INDEX agent_questions_due ON agent_questions (timeout_at) WHERE status = 'pending' AND timeout_at IS NOT NULL;
CREATE INDEX agent_questions_job ON agent_questions (job_id, created_at, id);
CREATE INDEX agent_questions_job_open ON agent_questions (job_id, id) WHERE status = 'pending';
CREATE INDEX agent_questions_similar ON agent_questions (question_key, id)
    WHERE status = 'pending' AND question_key IS NOT NULL;
CREATE INDEX agent_questions_precedents ON agent_questions (question_key, id) WHERE outcome_source = 'human';
-- For the delete of a project.
CREATE INDEX agent_questions_project ON agent_questions (project_id) WHERE project_id IS NOT NULL;

-- Whole questions, with JSON and times as clients see them; sort_at and due_at are the same times to compare by.
CREATE VIEW question_rows AS
SELECT id, job_id, workspace_id, project_id, type, question, CAST(context AS TEXT) AS context, status, response_type,
       CAST(options AS TEXT) AS options, CAST(response AS TEXT) AS response, responded_by,
       witan_time(responded_at) AS responded_at, witan_time(timeout_at) AS timeout_at,
       CAST(default_response AS TEXT) AS default_response, CAST(metadata AS TEXT) AS metadata,
       witan_time(created_at) AS created_at, parent_id, allow_other, allow_default_approve, assigned_to, required_role,
       required_approvals, approvals, action, approved_args, late_answers, draft_by, witan_time(draft_at) AS draft_at,
       draft_moves, asked_by, requested_by, outcome_source, outcome_by, witan_time(ended_at) AS ended_at,
       restart_job_id, template, question_key, created_at AS sort_at, timeout_at AS due_at
  FROM agent_questions;

-- Questions that are asked again and again, ready to be asked. Three more are built in.
CREATE TABLE question_templates (
    id            TEXT COLLATE "C" PRIMARY KEY,
    workspace_id  TEXT COLLATE "C" NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    name          TEXT COLLATE "C" NOT NULL,
    name_key      TEXT COLLATE "C" NOT NULL,
    definition    TEXT COLLATE "C" NOT NULL,
    created_at    BIGINT NOT NULL,
    UNIQUE (workspace_id, name_key)
);

-- One-time links: whoever holds one answers one question with the right of the person who made it.
CREATE TABLE question_links (
    hash          TEXT COLLATE "C" PRIMARY KEY,
    question_id   TEXT COLLATE "C" NOT NULL REFERENCES agent_questions(id) ON DELETE CASCADE,
    workspace_id  TEXT COLLATE "C" NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    maker_kind    TEXT COLLATE "C" NOT NULL,
    maker_id      TEXT COLLATE "C" NOT NULL,
    created_at    BIGINT NOT NULL,
    expires_at    BIGINT NOT NULL,
    used_at       BIGINT
);
CREATE INDEX question_links_question ON question_links (question_id);
CREATE INDEX question_links_expiry ON question_links (expires_at);

-- What is for the people at large is one row; who of them has read it stands beside.
ALTER TABLE notifications ADD COLUMN roles INTEGER NOT NULL DEFAULT 7;    -- whose roles it is for, as a set
CREATE TABLE notification_reads (
    notification_id  TEXT COLLATE "C" NOT NULL REFERENCES notifications(id) ON DELETE CASCADE,
    person           TEXT COLLATE "C" NOT NULL,
    read_at          BIGINT NOT NULL,
    PRIMARY KEY (notification_id, person)
);
DROP INDEX notifications_unread;
CREATE INDEX notifications_unread ON notifications (workspace_id, reader, id, roles)
    WHERE read_at IS NULL AND resolved_at IS NULL;
