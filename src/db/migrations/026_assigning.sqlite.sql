-- Who has given an open question to whom, and why: {id, by, at, note}, of the last time. NULL: as it was asked.
ALTER TABLE agent_questions ADD COLUMN handover TEXT;

-- Names stand beside the ids of those whom a question is for and on whose behalf it is asked, so that lists need not ask.
DROP VIEW question_rows;
CREATE VIEW question_rows AS
SELECT id, job_id, workspace_id, project_id, type, question, context, status, response_type, options, response,
       responded_by, responded_at, timeout_at, default_response, metadata, created_at, parent_id, allow_other,
       allow_default_approve, assigned_to, required_role, required_approvals, approvals, action, approved_args,
       late_answers, draft_by, draft_at, draft_moves, asked_by, requested_by, outcome_source, outcome_by, ended_at,
       restart_job_id, template, question_key, created_at AS sort_at, timeout_at AS due_at, asked_by_id, handover,
       (SELECT u.name FROM users u WHERE u.id = agent_questions.assigned_to) AS assignee,
       (SELECT u.name FROM users u WHERE u.id = agent_questions.requested_by) AS requester
  FROM agent_questions;

-- Questions that somebody does not want to be reminded of for a while. A row whose time is over means nothing any more.
CREATE TABLE question_snoozes (
    person       TEXT NOT NULL,              -- a user's or token's id, local
    question_id  TEXT NOT NULL REFERENCES agent_questions(id) ON DELETE CASCADE,
    until_ms     INTEGER NOT NULL,
    PRIMARY KEY (person, question_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX question_snoozes_question ON question_snoozes (question_id);
CREATE INDEX question_snoozes_until ON question_snoozes (until_ms);
