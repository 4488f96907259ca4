-- Taking a person out of the store. $1, $2 ... are the person's id, name and folded name; patterns (for LIKE) find
-- at least what they should, and what is found is looked at in C where more than that would be wrong.

-- Someone who was removed before is still known to the audit log.
-- name: erase_find_removed
SELECT actor_id FROM audit WHERE actor_kind = 'user' AND actor = $1 AND actor_id IS NOT NULL ORDER BY seq DESC LIMIT 1;

-- name: erase_memberships
SELECT workspace_id FROM members WHERE user_id = $1;

-- What was told about their messages, but not the newest event, which keeps its number.
-- name: erase_chat_events
DELETE FROM events
 WHERE seq < (SELECT MAX(seq) FROM events)
   AND (subject IN (SELECT CAST(id AS TEXT) FROM squad_chat
                     WHERE is_human AND (agent_name = $1 OR lower(agent_name) = $2))
        OR subject IN (SELECT n.id FROM notifications n JOIN squad_chat c ON CAST(c.id AS TEXT) = n.ref_id
                        WHERE n.ref_type = 'chat' AND c.is_human AND (c.agent_name = $1 OR lower(c.agent_name) = $2)));

-- name: erase_mentions
UPDATE notifications SET title = '[erased]', body = '[erased]'
 WHERE ref_type = 'chat'
   AND ref_id IN (SELECT CAST(id AS TEXT) FROM squad_chat
                   WHERE is_human AND (agent_name = $1 OR lower(agent_name) = $2));

-- name: erase_chat
UPDATE squad_chat SET agent_name = 'erased', message = '[erased]'
 WHERE is_human AND (agent_name = $1 OR lower(agent_name) = $2);

-- name: erase_prompts_find
SELECT CAST(id AS TEXT), requester_agent, prompt_message, CAST(collected_context AS TEXT), voices, outcome_by
  FROM discussion_prompts
 WHERE requester_agent = $1 OR requester_key = $2 OR outcome_by = $1 OR CAST(collected_context AS TEXT) LIKE $3;

-- name: erase_prompt @sqlite
UPDATE discussion_prompts
   SET requester_agent = $2, prompt_message = $3, collected_context = $4, voices = $5, outcome_by = $6,
       reply_by = CASE WHEN reply_by = $7 THEN 'erased' ELSE reply_by END
 WHERE id = $1;

-- name: erase_prompt @postgres
UPDATE discussion_prompts
   SET requester_agent = $2, prompt_message = $3, collected_context = CAST(CAST($4 AS TEXT) AS JSONB), voices = $5,
       outcome_by = $6
 WHERE id = CAST($1 AS UUID) AND CAST($7 AS TEXT) IS NOT NULL;

-- name: erase_questions_find
SELECT id, job_id, CAST(response AS TEXT), response_type, responded_by, approvals, late_answers, asked_by, draft_by,
       outcome_by, restart_job_id
  FROM agent_questions
 WHERE responded_by = $1 OR outcome_by = $2 OR draft_by = $2 OR asked_by = $2 OR approvals LIKE $3
    OR late_answers LIKE $3;

-- name: erase_question @sqlite
UPDATE agent_questions
   SET response = $2, approvals = $3, late_answers = $4, asked_by = $5, draft_by = $6, outcome_by = $7
 WHERE id = $1;

-- name: erase_question @postgres
UPDATE agent_questions
   SET response = CAST(CAST($2 AS TEXT) AS JSONB), approvals = $3, late_answers = $4, asked_by = $5, draft_by = $6,
       outcome_by = $7
 WHERE id = $1;

-- What the server wrote into jobs' logs about them.
-- name: erase_lines
UPDATE job_logs SET message = '[erased]', data = NULL
 WHERE kind IN ('answer', 'late', 'approval', 'cancelled', 'status')
   AND (message LIKE $1 || ' answered%' OR message LIKE $1 || ' approved%' OR message LIKE $1 || ' cancelled%'
        OR data LIKE $2);

-- A job that was made for one question ends with its answer.
-- name: erase_result
UPDATE jobs SET result = $2 WHERE id = $1 AND lone AND result IS NOT NULL;

-- name: erase_restart
UPDATE jobs SET restart_answer = NULL WHERE id = $1;

-- name: erase_jobs
UPDATE jobs SET requested_name = CASE WHEN requested_by = $1 THEN 'erased' ELSE requested_name END,
                outcome_by = CASE WHEN outcome_by = $2 THEN 'erased' ELSE outcome_by END
 WHERE requested_by = $1 OR outcome_by = $2;

-- name: erase_feedback
UPDATE feedback SET author = 'erased', text = '[erased]' WHERE author = $1;

-- A section or a plan is the project's; only who wrote it goes.
-- name: erase_documents
UPDATE documents SET author = 'erased' WHERE author = $1;

-- name: erase_sets_find
SELECT id, responses, outcome_by FROM open_questions WHERE outcome_by = $1 OR responses LIKE $2;

-- name: erase_set
UPDATE open_questions SET responses = $2, outcome_by = $3 WHERE id = $1;

-- name: erase_assignee
UPDATE tasks SET assignee = 'erased' WHERE assignee = $1;

-- Who may answer for a project may be named there.
-- name: erase_projects
UPDATE projects SET hil_config = replace(hil_config, $1, '"erased"'), settings = replace(settings, $1, '"erased"')
 WHERE hil_config LIKE $2 OR settings LIKE $2;

-- name: erase_tokens
UPDATE tokens SET name = 'erased' WHERE name = $1;

-- name: erase_links
DELETE FROM question_links WHERE maker_id = $1;

-- name: erase_replies
DELETE FROM idempotency WHERE caller = $1 OR reply LIKE $2 OR reply LIKE $3;

-- The newest event keeps its number, so that it is not given again.
-- name: erase_newest_event
UPDATE events SET data = '{}'
 WHERE seq = (SELECT MAX(seq) FROM events)
   AND (data LIKE $1 OR data LIKE $2 OR subject IN (SELECT id FROM notifications WHERE body = '[erased]'));

-- name: erase_events
DELETE FROM events WHERE seq < (SELECT MAX(seq) FROM events) AND (data LIKE $1 OR data LIKE $2);

-- What they did, what was done to them, and where their name stands. Records stay as they are, and so does what an
-- earlier erasure has emptied.
-- name: erase_audit
UPDATE audit
   SET actor = CASE WHEN actor_id = $1 OR actor = $2 THEN 'erased' ELSE actor END,
       remote = CASE WHEN actor_id = $1 THEN NULL ELSE remote END, detail = '{}', erasure = $5
 WHERE erasure IS NULL AND hash IS NOT NULL AND operation NOT IN ('audit_purge', 'user_erase')
   AND (actor_id = $1 OR subject = $1 OR (actor = $2 AND actor_kind IN ('user', 'link')) OR detail LIKE $3
        OR detail LIKE $4);

-- name: erase_audit_chains
SELECT DISTINCT workspace_id FROM audit WHERE erasure = $1 ORDER BY workspace_id;

-- A chain's rows of one erasure, each with the hash before it.
-- name: erase_audit_rows
SELECT a.seq, a.workspace_id, a.actor_kind, a.actor_id, a.actor, a.operation, a.subject, a.door, a.remote, a.request_id,
       a.detail, a.created_at, a.hash,
       COALESCE((SELECT p.hash FROM audit p WHERE p.workspace_id = a.workspace_id AND p.seq < a.seq
                  ORDER BY p.seq DESC LIMIT 1),
                (SELECT c.hash FROM audit_checkpoints c WHERE c.workspace_id = a.workspace_id), '')
  FROM audit a
 WHERE a.erasure = $1 AND a.workspace_id = $2 AND a.seq > $3
 ORDER BY a.seq
 LIMIT $4;
