-- Who has given an open question to whom, and why: {id, by, at, note}, of the last time. NULL: as it was asked.
ALTER TABLE agent_questions ADD COLUMN handover TEXT COLLATE "C";

-- Names stand beside the ids of those whom a question is for and on whose behalf it is asked, so that lists need not ask.
CREATE OR REPLACE VIEW question_rows AS
SELECT id, job_id, workspace_id, project_id, type, question, CAST(context AS TEXT) AS context, status, response_type,
       CAST(options AS TEXT) AS options, CAST(response AS TEXT) AS response, responded_by,
       witan_time(responded_at) AS responded_at, witan_time(timeout_at) AS timeout_at,
       CAST(default_response AS TEXT) AS default_response, CAST(metadata AS TEXT) AS metadata,
       witan_time(created_at) AS created_at, parent_id, allow_other, allow_default_approve, assigned_to, required_role,
       required_approvals, approvals, action, approved_args, late_answers, draft_by, witan_time(draft_at) AS draft_at,
       draft_moves, asked_by, requested_by, outcome_source, outcome_by, witan_time(ended_at) AS ended_at,
       restart_job_id, template, question_key, created_at AS sort_at, timeout_at AS due_at, asked_by_id, handover,
       (SELECT u.name FROM users u WHERE u.id = agent_questions.assigned_to) AS assignee,
       (SELECT u.name FROM users u WHERE u.id = agent_questions.requested_by) AS requester
  FROM agent_questions;

-- Questions that somebody does not want to be reminded of for a while. A row whose time is over means nothing any more.
CREATE TABLE question_snoozes (
    person       TEXT COLLATE "C" NOT NULL,  -- a user's or token's id, local
    question_id  TEXT COLLATE "C" NOT NULL REFERENCES agent_questions(id) ON DELETE CASCADE,
    until_ms     BIGINT NOT NULL,
    PRIMARY KEY (person, question_id)
);
CREATE INDEX question_snoozes_question ON question_snoozes (question_id);
CREATE INDEX question_snoozes_until ON question_snoozes (until_ms);
