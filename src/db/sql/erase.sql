-- Taking a person out of the store. Tables are read page by page along their keys, and core/upkeep/erase*.c decides row by row,
-- by ids and by what the audit log says they did: no statement here looks for a name within a text.

-- Someone who was removed before is still known to the audit log.
-- name: erase_find_removed
SELECT actor_id FROM audit WHERE actor_kind = 'user' AND actor = $1 AND actor_id IS NOT NULL ORDER BY seq DESC LIMIT 1;

-- name: erase_memberships
SELECT workspace_id FROM members WHERE user_id = $1;

-- columns: erase_deed
seq, workspace_id, actor_id, operation, subject, created_at, detail;

-- What they did ($1), where and when; and who has taken which task.
-- name: erase_deeds
SELECT {erase_deed}
  FROM audit
 WHERE seq > $2 AND (actor_id = $1 OR subject = $1 OR operation IN ('task_claim', 'task_update'))
 ORDER BY seq
 LIMIT $3;

-- The same of rows that are not sealed yet.
-- name: erase_deeds_unsealed
SELECT {erase_deed}
  FROM audit
 WHERE hash IS NULL AND (actor_id = $1 OR subject = $1 OR operation IN ('task_claim', 'task_update'))
 ORDER BY created_at;

-- Since when a purged chain knows what was done.
-- name: erase_known_since
SELECT COALESCE(MIN(created_at), 0) FROM audit
 WHERE workspace_id = $1 AND EXISTS (SELECT 1 FROM audit_checkpoints c WHERE c.workspace_id = $1);

-- Whether a token or an agent of this workspace ($1) has the same name ($2), or ($3) folded; a token
-- that the person ($4) made for themselves does not count. The messages that show
-- prompts do not say whether a person asks.
-- name: erase_namesakes
SELECT COUNT(*) FROM (
    SELECT 1 FROM tokens
     WHERE workspace_id = $1 AND (created_by IS NULL OR created_by <> $4 OR agent_name IS NOT NULL)
       AND (name = $2 OR lower(name) = $3 OR agent_name = $2 OR lower(agent_name) = $3)
    UNION ALL
    SELECT 1 FROM agent_templates WHERE workspace_id = $1 AND name_key = $3
    UNION ALL
    SELECT 1 FROM squad_chat
     WHERE workspace_id = $1 AND NOT is_human AND message_type <> 'discussion_prompt'
       AND (agent_name = $2 OR lower(agent_name) = $3)
) same;

-- name: erase_disable
UPDATE users SET disabled_at = COALESCE(disabled_at, CAST($2 AS BIGINT)), password = NULL WHERE id = $1;

-- name: erase_sessions
DELETE FROM sessions WHERE user_id = $1;

-- name: erase_links
DELETE FROM question_links WHERE maker_id = $1;

-- name: erase_snoozes
DELETE FROM question_snoozes WHERE person = $1;

-- name: erase_presence
DELETE FROM presence WHERE person = $1;

-- columns: erase_chat
id, workspace_id, agent_name, message, is_human, message_type, discussion_prompt_id,
witan_time(.created_at) AS created_at;

-- name: erase_chat_page
SELECT {erase_chat}
  FROM squad_chat
 WHERE id > $1
 ORDER BY id
 LIMIT $2;

-- name: erase_chat
UPDATE squad_chat SET agent_name = $2, message = '[erased]' WHERE id = $1;

-- name: erase_context
SELECT CAST(collected_context AS TEXT), voices FROM discussion_prompts WHERE id = $1;

-- name: erase_set_context @sqlite
UPDATE discussion_prompts
   SET collected_context = $2, voices = $3, reply_by = CASE WHEN reply_id = $4 THEN $5 ELSE reply_by END
 WHERE id = $1;

-- name: erase_set_context @postgres
UPDATE discussion_prompts
   SET collected_context = CAST(CAST($2 AS TEXT) AS JSONB), voices = $3
 WHERE id = $1 AND CAST($4 AS TEXT) IS NOT NULL AND CAST($5 AS TEXT) IS NOT NULL;

-- columns: erase_prompt
id, workspace_id, requester_agent, prompt_message, witan_time(.created_at) AS created_at, outcome_by,
witan_time(.resolved_at) AS resolved_at;

-- name: erase_prompt_page
SELECT {erase_prompt}
  FROM discussion_prompts
 WHERE id > $1
 ORDER BY id
 LIMIT $2;

-- name: erase_prompt
UPDATE discussion_prompts SET requester_agent = $2, prompt_message = $3, outcome_by = $4 WHERE id = $1;

-- What was told about something that is theirs.
-- name: erase_notifications
UPDATE notifications SET title = '[erased]', body = '[erased]' WHERE ref_type = $1 AND ref_id = $2;

-- columns: erase_question
id, job_id, workspace_id, question, CAST(.context AS TEXT) AS context, response_type, CAST(.options AS TEXT) AS options,
CAST(.response AS TEXT) AS response, responded_by, CAST(.default_response AS TEXT) AS default_response,
CAST(.metadata AS TEXT) AS metadata, approvals, action, approved_args, late_answers, draft_by, asked_by, asked_by_id,
outcome_by, witan_time(.created_at) AS created_at, witan_time(.ended_at) AS ended_at, restart_job_id, assigned_to,
requested_by, handover;

-- name: erase_question_page
SELECT {erase_question}
  FROM agent_questions
 WHERE id > $1
 ORDER BY id
 LIMIT $2;

-- name: erase_question @sqlite
UPDATE agent_questions
   SET question = $2, context = $3, options = $4, response = $5, default_response = $6, metadata = $7, approvals = $8,
       action = $9, approved_args = $10, late_answers = $11, draft_by = $12, asked_by = $13, outcome_by = $14,
       handover = $15
 WHERE id = $1;

-- name: erase_question @postgres
UPDATE agent_questions
   SET question = $2, context = CAST(CAST($3 AS TEXT) AS JSONB), options = CAST(CAST($4 AS TEXT) AS JSONB),
       response = CAST(CAST($5 AS TEXT) AS JSONB), default_response = CAST(CAST($6 AS TEXT) AS JSONB),
       metadata = CAST(CAST($7 AS TEXT) AS JSONB), approvals = $8, action = $9, approved_args = $10, late_answers = $11,
       draft_by = $12, asked_by = $13, outcome_by = $14, handover = $15
 WHERE id = $1;

-- A job that was made for one question ends with its answer.
-- name: erase_result
UPDATE jobs SET result = $2 WHERE id = $1 AND lone AND result IS NOT NULL;

-- name: erase_restart_answer
SELECT restart_answer FROM jobs WHERE id = $1;

-- name: erase_restart
UPDATE jobs SET restart_answer = $2 WHERE id = $1;

-- columns: erase_job
id, workspace_id, requested_by, requested_name, outcome_by, ended_at, error, log_lines;

-- name: erase_job_page
SELECT {erase_job}
  FROM jobs
 WHERE id > $1
 ORDER BY id
 LIMIT $2;

-- name: erase_job
UPDATE jobs SET requested_name = $2, outcome_by = $3, error = $4 WHERE id = $1;

-- columns: erase_line
l.seq AS seq, l.kind AS kind, l.message AS message, l.data AS data, l.created_at AS created_at,
j.workspace_id AS workspace_id;

-- name: erase_line_page
SELECT {erase_line}
  FROM job_logs l JOIN jobs j ON j.id = l.job_id
 WHERE l.job_id = $1 AND l.seq > $2
 ORDER BY l.seq
 LIMIT $3;

-- name: erase_line
UPDATE job_logs SET message = $3, data = $4 WHERE job_id = $1 AND seq = $2;

-- columns: erase_feedback
id, workspace_id, author, text, created_at;

-- name: erase_feedback_page
SELECT {erase_feedback} FROM feedback WHERE id > $1 ORDER BY id LIMIT $2;

-- name: erase_feedback
UPDATE feedback SET author = $2, text = '[erased]' WHERE id = $1;

-- Its keys come first.
-- columns: erase_document
project_id, source, source_id, version, workspace_id, author, created_at;

-- name: erase_document_page
SELECT {erase_document}
  FROM documents
 WHERE (project_id, source, source_id, version) > ($1, $2, $3, $4)
 ORDER BY project_id, source, source_id, version
 LIMIT $5;

-- A section or a plan is the project's; only who wrote it goes.
-- name: erase_document
UPDATE documents SET author = 'erased' WHERE project_id = $1 AND source = $2 AND source_id = $3 AND version = $4;

-- columns: erase_set
id, workspace_id, questions, responses, agent, asked_by_id, outcome_by, resolved_at;

-- name: erase_set_page
SELECT {erase_set}
  FROM open_questions
 WHERE id > $1
 ORDER BY id
 LIMIT $2;

-- name: erase_set
UPDATE open_questions SET questions = $2, responses = $3, agent = $4, outcome_by = $5 WHERE id = $1;

-- columns: erase_task
id, workspace_id, assignee;

-- name: erase_task_page
SELECT {erase_task} FROM tasks WHERE id > $1 ORDER BY id LIMIT $2;

-- name: erase_task
UPDATE tasks SET assignee = 'erased' WHERE id = $1;

-- columns: erase_project
id, workspace_id, settings;

-- name: erase_project_page
SELECT {erase_project} FROM projects WHERE id > $1 ORDER BY id LIMIT $2;

-- name: erase_project
UPDATE projects SET settings = $2 WHERE id = $1;

-- columns: erase_token
id, name, created_by;

-- name: erase_token_page
SELECT {erase_token} FROM tokens WHERE id > $1 ORDER BY id LIMIT $2;

-- name: erase_token
UPDATE tokens SET name = 'erased' WHERE id = $1;

-- Its keys come first.
-- columns: erase_reply
workspace_id, caller, operation, key, reply;

-- name: erase_reply_page
SELECT {erase_reply}
  FROM idempotency
 WHERE (workspace_id, caller, operation, key) > ($1, $2, $3, $4)
 ORDER BY workspace_id, caller, operation, key
 LIMIT $5;

-- name: erase_own_reply
DELETE FROM idempotency WHERE workspace_id = $1 AND caller = $2 AND operation = $3 AND key = $4;

-- Whoever repeats that request is told that it was done, and that its reply was not kept.
-- name: erase_reply
UPDATE idempotency SET reply = NULL WHERE workspace_id = $1 AND caller = $2 AND operation = $3 AND key = $4;

-- columns: erase_event
workspace_id, type, data, created_at;

-- The key stands behind the columns. On PostgreSQL events may have no number yet.
-- name: erase_event_page @sqlite
SELECT {erase_event}, seq FROM events WHERE seq > $1 ORDER BY seq LIMIT $2;

-- name: erase_event_page @postgres
SELECT {erase_event}, id FROM events WHERE id > $1 ORDER BY id LIMIT $2;

-- The newest event keeps its number, so that it is not given again.
-- name: erase_event @sqlite
DELETE FROM events WHERE seq = $1 AND seq < (SELECT MAX(seq) FROM events);

-- name: erase_event @postgres
DELETE FROM events WHERE id = $1 AND (seq IS NULL OR seq < (SELECT MAX(seq) FROM events));

-- name: erase_newest_event @sqlite
UPDATE events SET data = '{}' WHERE seq = $1;

-- name: erase_newest_event @postgres
UPDATE events SET data = '{}' WHERE id = $1;

-- Records stay as they are, and so does what an earlier erasure has changed.
-- name: erase_audit_page
SELECT {audit}
  FROM audit
 WHERE seq > $1 AND hash IS NOT NULL AND erasure IS NULL AND operation NOT IN ('audit_purge', 'user_erase')
 ORDER BY seq
 LIMIT $2;

-- name: erase_audit
UPDATE audit SET actor = $2, remote = $3, detail = $4, erasure = $5 WHERE seq = $1;

-- name: erase_audit_chains
SELECT DISTINCT workspace_id FROM audit WHERE erasure = $1 ORDER BY workspace_id;

-- A chain's rows of one erasure, each with the hash before it.
-- name: erase_audit_rows
SELECT {audit a}, a.hash,
       COALESCE((SELECT p.hash FROM audit p WHERE p.workspace_id = a.workspace_id AND p.seq < a.seq
                  ORDER BY p.seq DESC LIMIT 1),
                (SELECT c.hash FROM audit_checkpoints c WHERE c.workspace_id = a.workspace_id), '')
  FROM audit a
 WHERE a.erasure = $1 AND a.workspace_id = $2 AND a.seq > $3
 ORDER BY a.seq
 LIMIT $4;

-- Discussions: what people said in them, who started and ended them, and who sat there.

-- columns: erase_said
id, workspace_id, user_id, speaker, role, content, created_at, CAST(.metadata AS TEXT) AS metadata;

-- name: erase_said_page
SELECT {erase_said} FROM discussion_logs WHERE id > $1 ORDER BY id LIMIT $2;

-- name: erase_said @sqlite
UPDATE discussion_logs SET speaker = $2, content = $3, metadata = $4, user_id = NULL WHERE id = $1;

-- name: erase_said @postgres
UPDATE discussion_logs
   SET speaker = $2, content = $3, metadata = CAST(CAST($4 AS TEXT) AS JSONB), user_id = NULL
 WHERE id = $1;

-- columns: erase_discussion
id, workspace_id, discussion_id, topic, options, result, created_by_id, created_by_name, outcome_by, created_at,
ended_at;

-- name: erase_discussion_page
SELECT {erase_discussion} FROM discussion_state WHERE id > $1 ORDER BY id LIMIT $2;

-- name: erase_discussion
UPDATE discussion_state
   SET topic = $2, created_by_id = $3, created_by_name = $4, outcome_by = $5, options = $6, result = $7
 WHERE id = $1;

-- columns: erase_seat
id, workspace_id, user_id, name, created_at, discussion_id;

-- name: erase_seat_page
SELECT {erase_seat} FROM discussion_participants WHERE agent_id IS NULL AND role = 'user' AND id > $1 ORDER BY id LIMIT $2;

-- name: erase_seat_of_agent
SELECT 1 FROM discussion_participants WHERE discussion_id = $1 AND agent_id IS NOT NULL AND name = $2;

-- name: erase_seat
UPDATE discussion_participants SET user_id = NULL, name = $2 WHERE id = $1;

-- Turns that wait for somebody, and words that wait for the end of one.
-- columns: erase_turn
id, workspace_id, discussion_id, user_id, speaker, role;

-- name: erase_turn_page
SELECT {erase_turn} FROM discussion_turns WHERE agent_id IS NULL AND id > $1 ORDER BY id LIMIT $2;

-- name: erase_turn
UPDATE discussion_turns SET user_id = NULL, speaker = $2 WHERE id = $1;

-- columns: erase_interjection
i.id AS id, s.workspace_id AS workspace_id, i.discussion_id AS discussion_id, i.user_id AS user_id,
i.speaker AS speaker, i.content AS content;

-- name: erase_interjection_page
SELECT {erase_interjection}
  FROM discussion_interjections i JOIN discussion_state s ON s.discussion_id = i.discussion_id
 WHERE i.agent_id IS NULL AND i.id > $1
 ORDER BY i.id
 LIMIT $2;

-- name: erase_interjection
UPDATE discussion_interjections SET user_id = NULL, speaker = $2, content = '[erased]' WHERE id = $1;

-- Its keys come first.
-- columns: erase_ruling
discussion_id, seq, inputs;

-- name: erase_ruling_page
SELECT {erase_ruling}
  FROM discussion_decisions
 WHERE (discussion_id, seq) > ($1, $2)
 ORDER BY discussion_id, seq
 LIMIT $3;

-- name: erase_ruling
UPDATE discussion_decisions SET inputs = $3 WHERE discussion_id = $1 AND seq = $2;

-- What somebody asked a project's autonomy about.
-- columns: erase_decision
id, workspace_id, description, agent, created_at;

-- name: erase_decision_page
SELECT {erase_decision} FROM decisions WHERE id > $1 ORDER BY id LIMIT $2;

-- name: erase_decision
UPDATE decisions SET description = '[erased]', details = NULL, agent = $2 WHERE id = $1;

-- columns: erase_agent
id, workspace_id, created_by, created_at;

-- name: erase_agent_page
SELECT {erase_agent} FROM agent_templates WHERE created_by IS NOT NULL AND id > $1 ORDER BY id LIMIT $2;

-- What it was told stays: it is the workspace's agent.
-- name: erase_agent
UPDATE agent_templates SET created_by = NULL WHERE id = $1;
