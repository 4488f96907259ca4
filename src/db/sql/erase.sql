-- Taking a person out of the store. Tables are read page by page along their keys, and core/upkeep/erase*.c decides row by row,
-- by ids: no statement here looks for a name within a text. In each list of columns the keys come first, then what is written,
-- then the workspace and what is only looked at; a statement that writes takes the columns before the workspace.

-- Someone who was removed before is still known to the audit log.
-- name: erase_find_removed
SELECT actor_id FROM audit WHERE actor_kind = 'user' AND actor = $1 AND actor_id IS NOT NULL ORDER BY seq DESC LIMIT 1;

-- name: erase_memberships
SELECT workspace_id FROM members WHERE user_id = $1;

-- Where they are, or have done something, or something was done to them.
-- name: erase_workspaces
SELECT workspace_id FROM members WHERE user_id = $1
UNION
SELECT workspace_id FROM audit WHERE actor_id = $1 OR subject = $1;

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
     WHERE workspace_id = $1 AND NOT is_human AND message_type <> 'discussion_prompt' AND (author_id IS NULL OR author_id <> $4)
       AND (agent_name = $2 OR COALESCE(agent_key, lower(agent_name)) = $3)
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
id, agent_name, message, workspace_id, author_id, is_human, message_type, discussion_prompt_id;

-- name: erase_chat_page
SELECT {erase_chat} FROM squad_chat WHERE id > $1 ORDER BY id LIMIT $2;

-- name: erase_chat
UPDATE squad_chat SET agent_name = $2, message = $3 WHERE id = $1;

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
id, requester_agent, prompt_message, outcome_by, workspace_id, requester_id, outcome_by_id;

-- name: erase_prompt_page
SELECT {erase_prompt} FROM discussion_prompts WHERE id > $1 ORDER BY id LIMIT $2;

-- name: erase_prompt
UPDATE discussion_prompts SET requester_agent = $2, prompt_message = $3, outcome_by = $4 WHERE id = $1;

-- columns: erase_question
id, question, CAST(.context AS TEXT) AS context, CAST(.options AS TEXT) AS options, CAST(.response AS TEXT) AS response,
CAST(.default_response AS TEXT) AS default_response, CAST(.metadata AS TEXT) AS metadata, approvals, action, approved_args,
late_answers, draft_by, asked_by, outcome_by, handover, workspace_id, job_id, response_type, responded_by, asked_by_id,
outcome_by_id, draft_by_id, witan_time(.ended_at) AS ended_at, assigned_to, requested_by;

-- name: erase_question_page
SELECT {erase_question} FROM agent_questions WHERE id > $1 ORDER BY id LIMIT $2;

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

-- columns: erase_job
id, requested_name, outcome_by, error, restart_answer, workspace_id, requested_by, outcome_by_id;

-- name: erase_job_page
SELECT {erase_job} FROM jobs WHERE id > $1 ORDER BY id LIMIT $2;

-- name: erase_job
UPDATE jobs SET requested_name = $2, outcome_by = $3, error = $4, restart_answer = $5 WHERE id = $1;

-- columns: erase_feedback
id, author, text, workspace_id, author_id;

-- name: erase_feedback_page
SELECT {erase_feedback} FROM feedback WHERE id > $1 ORDER BY id LIMIT $2;

-- name: erase_feedback
UPDATE feedback SET author = $2, text = $3 WHERE id = $1;

-- A section or a plan is the project's; only who wrote it goes.
-- columns: erase_document
project_id, source, source_id, version, author, workspace_id, author_id;

-- name: erase_document_page
SELECT {erase_document} FROM documents WHERE (project_id, source, source_id, version) > ($1, $2, $3, CAST(CAST($4 AS TEXT) AS BIGINT)) ORDER BY project_id, source, source_id, version LIMIT $5;

-- name: erase_document
UPDATE documents SET author = $5 WHERE project_id = $1 AND source = $2 AND source_id = $3 AND version = $4;

-- columns: erase_set
id, questions, responses, agent, outcome_by, workspace_id, asked_by_id, outcome_by_id, answer_ids, source_id;

-- name: erase_set_page
SELECT {erase_set} FROM open_questions WHERE id > $1 ORDER BY id LIMIT $2;

-- name: erase_set
UPDATE open_questions SET questions = $2, responses = $3, agent = $4, outcome_by = $5 WHERE id = $1;

-- columns: erase_task
id, assignee, workspace_id, assignee_id;

-- name: erase_task_page
SELECT {erase_task} FROM tasks WHERE id > $1 ORDER BY id LIMIT $2;

-- name: erase_task
UPDATE tasks SET assignee = $2 WHERE id = $1;

-- columns: erase_project
id, settings, workspace_id;

-- name: erase_project_page
SELECT {erase_project} FROM projects WHERE id > $1 ORDER BY id LIMIT $2;

-- name: erase_project
UPDATE projects SET settings = $2 WHERE id = $1;

-- What somebody asked a project's autonomy about.
-- columns: erase_decision
id, description, details, agent, workspace_id, asked_by_id;

-- name: erase_decision_page
SELECT {erase_decision} FROM decisions WHERE id > $1 ORDER BY id LIMIT $2;

-- name: erase_decision
UPDATE decisions SET description = $2, details = $3, agent = $4 WHERE id = $1;

-- columns: erase_token
id, name, workspace_id, created_by;

-- name: erase_token_page
SELECT {erase_token} FROM tokens WHERE id > $1 ORDER BY id LIMIT $2;

-- name: erase_token
UPDATE tokens SET name = $2 WHERE id = $1;

-- columns: erase_agent
id, created_by, workspace_id, created_by_id;

-- name: erase_agent_page
SELECT {erase_agent} FROM agent_templates WHERE created_by IS NOT NULL AND id > $1 ORDER BY id LIMIT $2;

-- name: erase_agent
UPDATE agent_templates SET created_by = $2 WHERE id = $1;

-- Discussions: what people said in them, who started and ended them, and who sat there.

-- columns: erase_discussion
id, topic, created_by_name, outcome_by, options, result, workspace_id, discussion_id, created_by_id, outcome_by_id;

-- name: erase_discussion_page
SELECT {erase_discussion} FROM discussion_state WHERE id > $1 ORDER BY id LIMIT $2;

-- name: erase_discussion
UPDATE discussion_state
   SET topic = $2, created_by_name = $3, outcome_by = $4, options = $5, result = $6
 WHERE id = $1;

-- columns: erase_said
id, speaker, content, CAST(.metadata AS TEXT) AS metadata, user_id, workspace_id, role;

-- name: erase_said_page
SELECT {erase_said} FROM discussion_logs WHERE id > $1 ORDER BY id LIMIT $2;

-- name: erase_said @sqlite
UPDATE discussion_logs SET speaker = $2, content = $3, metadata = $4, user_id = $5 WHERE id = $1;

-- name: erase_said @postgres
UPDATE discussion_logs
   SET speaker = $2, content = $3, metadata = CAST(CAST($4 AS TEXT) AS JSONB), user_id = $5
 WHERE id = $1;

-- columns: erase_seat
p.id AS id, p.name AS name, p.user_id AS user_id, p.workspace_id AS workspace_id, p.discussion_id AS discussion_id,
s.created_by_id AS created_by_id;

-- name: erase_seat_page
SELECT {erase_seat} FROM discussion_participants p
  LEFT JOIN discussion_state s ON s.discussion_id = p.discussion_id
 WHERE p.agent_id IS NULL AND p.role = 'user' AND p.id > $1 ORDER BY p.id LIMIT $2;

-- name: erase_seat
UPDATE discussion_participants SET name = $2, user_id = $3 WHERE id = $1;

-- Turns that wait for somebody, and words that wait for the end of one.
-- columns: erase_turn
id, speaker, user_id, workspace_id, discussion_id;

-- name: erase_turn_page
SELECT {erase_turn} FROM discussion_turns WHERE agent_id IS NULL AND id > $1 ORDER BY id LIMIT $2;

-- name: erase_turn
UPDATE discussion_turns SET speaker = $2, user_id = $3 WHERE id = $1;

-- columns: erase_interjection
id, speaker, content, user_id, '' AS workspace_id, discussion_id;

-- name: erase_interjection_page
SELECT {erase_interjection} FROM discussion_interjections WHERE agent_id IS NULL AND id > $1 ORDER BY id LIMIT $2;

-- name: erase_interjection
UPDATE discussion_interjections SET speaker = $2, content = $3, user_id = $4 WHERE id = $1;

-- columns: erase_ruling
discussion_id, seq, inputs, '' AS workspace_id;

-- name: erase_ruling_page
SELECT {erase_ruling} FROM discussion_decisions WHERE (discussion_id, seq) > ($1, CAST(CAST($2 AS TEXT) AS BIGINT)) ORDER BY discussion_id, seq LIMIT $3;

-- name: erase_ruling
UPDATE discussion_decisions SET inputs = $3 WHERE discussion_id = $1 AND seq = $2;

-- What runs were told: what people said of their work stands in the input, answers are results of calls, and notes.
-- columns: erase_run_entry
e.job_id AS job_id, e.seq AS seq, e.text AS text, e.data AS data, '' AS workspace_id, e.kind AS kind, e.call_id AS call_id,
c.question_id AS question_id, c.prompt_id AS prompt_id, c.discussion_id AS discussion_id, c.approved_arguments AS approved_arguments;

-- name: erase_run_entry_page
SELECT {erase_run_entry} FROM run_entries e LEFT JOIN run_calls c ON c.id = e.call_id
 WHERE (e.job_id, e.seq) > ($1, CAST(CAST($2 AS TEXT) AS BIGINT)) AND e.kind IN ('input', 'result', 'note', 'decision')
 ORDER BY e.job_id, e.seq LIMIT $3;

-- name: erase_run_entry
UPDATE run_entries SET text = $3, data = $4 WHERE job_id = $1 AND seq = $2;

-- columns: erase_run_call
c.id AS id, c.output AS output, c.approved_arguments AS approved_arguments, r.workspace_id AS workspace_id,
c.question_id AS question_id, c.prompt_id AS prompt_id, c.discussion_id AS discussion_id, c.state AS state;

-- name: erase_run_call_page
SELECT {erase_run_call} FROM run_calls c JOIN runs r ON r.job_id = c.job_id WHERE c.id > $1 ORDER BY c.id LIMIT $2;

-- name: erase_run_call
UPDATE run_calls SET output = $2, approved_arguments = $3 WHERE id = $1;

-- What repeats it.

-- columns: erase_notification
id, title, body, workspace_id, ref_id;

-- name: erase_notification_page
SELECT {erase_notification} FROM notifications WHERE id > $1 ORDER BY id LIMIT $2;

-- name: erase_notification
UPDATE notifications SET title = $2, body = $3 WHERE id = $1;

-- What a job itself added to its log has no author.
-- columns: erase_line
l.job_id AS job_id, l.seq AS seq, l.message AS message, l.data AS data, j.workspace_id AS workspace_id, l.kind AS kind,
l.actor_id AS actor_id;

-- name: erase_line_page
SELECT {erase_line} FROM job_logs l JOIN jobs j ON j.id = l.job_id WHERE l.kind NOT IN ('log', 'progress') AND (l.job_id, l.seq) > ($1, CAST(CAST($2 AS TEXT) AS BIGINT)) ORDER BY l.job_id, l.seq LIMIT $3;

-- name: erase_line
UPDATE job_logs SET message = $3, data = $4 WHERE job_id = $1 AND seq = $2;

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

-- name: erase_reply
UPDATE idempotency SET reply = NULL WHERE workspace_id = $1 AND caller = $2 AND operation = $3 AND key = $4;

-- columns: erase_event
place, workspace_id, type, data, actor_id;

-- On PostgreSQL events may have no number yet.
-- name: erase_event_page @sqlite
SELECT {erase_event} FROM (SELECT seq AS place, * FROM events) told WHERE place > $1 ORDER BY place LIMIT $2;

-- name: erase_event_page @postgres
SELECT {erase_event} FROM (SELECT id AS place, * FROM events) told WHERE place > $1 ORDER BY place LIMIT $2;

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
