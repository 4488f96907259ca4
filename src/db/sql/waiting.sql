-- What waits for people, from every table that holds such things, in the columns of one list. $1 the workspace, $2 a
-- project or NULL, $3 how many at most.

-- columns: inbox_item
type, id, text, agent, project_id, project, assigned_to, assignee, due, asked, source, default_response, discussion_id,
response_type, required_role, requested_by, asked_by_id, required_approvals, approvals, task;

-- Questions come in two parts, each in the order of an index, however many there are: those with a deadline, the nearest
-- first ($4 now, $5 a type or NULL), and then the others, for whom no time is asked ($4 a type or NULL).
-- Names are looked up for the rows that are shown: of a join PostgreSQL may think that it pays to read all jobs first.
-- name: waiting_dated
SELECT q.type AS type, q.id AS id, q.question AS text, (SELECT j.agent FROM jobs j WHERE j.id = q.job_id) AS agent,
       q.project_id AS project_id, (SELECT p.name FROM projects p WHERE p.id = q.project_id) AS project,
       q.assigned_to AS assigned_to, q.assignee AS assignee,
       q.timeout_at AS due, q.created_at AS asked, CAST(NULL AS TEXT) AS source,
       q.default_response AS default_response, CAST(NULL AS TEXT) AS discussion_id, q.response_type AS response_type,
       q.required_role AS required_role, q.requested_by AS requested_by, q.asked_by_id AS asked_by_id,
       q.required_approvals AS required_approvals, q.approvals AS approvals,
       (SELECT t.title FROM jobs j JOIN tasks t ON t.id = j.task_id WHERE j.id = q.job_id) AS task
  FROM question_rows q
 WHERE q.workspace_id = $1 AND q.status = 'pending' AND q.due_at IS NOT NULL AND q.due_at >= $4
   AND (CAST($2 AS TEXT) IS NULL OR q.project_id = $2)
   AND (CAST($5 AS TEXT) IS NULL OR q.type = $5)
 ORDER BY q.due_at, q.id
 LIMIT $3;

-- Reached only when few are dated, so passing over those costs little.
-- name: waiting_undated
SELECT q.type AS type, q.id AS id, q.question AS text, (SELECT j.agent FROM jobs j WHERE j.id = q.job_id) AS agent,
       q.project_id AS project_id, (SELECT p.name FROM projects p WHERE p.id = q.project_id) AS project,
       q.assigned_to AS assigned_to, q.assignee AS assignee,
       q.timeout_at AS due, q.created_at AS asked, CAST(NULL AS TEXT) AS source,
       q.default_response AS default_response, CAST(NULL AS TEXT) AS discussion_id, q.response_type AS response_type,
       q.required_role AS required_role, q.requested_by AS requested_by, q.asked_by_id AS asked_by_id,
       q.required_approvals AS required_approvals, q.approvals AS approvals,
       (SELECT t.title FROM jobs j JOIN tasks t ON t.id = j.task_id WHERE j.id = q.job_id) AS task
  FROM question_rows q
 WHERE q.workspace_id = $1 AND q.status = 'pending' AND q.due_at IS NULL
   AND (CAST($2 AS TEXT) IS NULL OR q.project_id = $2)
   AND (CAST($4 AS TEXT) IS NULL OR q.type = $4)
 ORDER BY q.sort_at, q.id
 LIMIT $3;

-- All of them, the oldest first: $4 now, $5 a type or NULL.
-- name: waiting_oldest
SELECT q.type AS type, q.id AS id, q.question AS text, (SELECT j.agent FROM jobs j WHERE j.id = q.job_id) AS agent,
       q.project_id AS project_id, (SELECT p.name FROM projects p WHERE p.id = q.project_id) AS project,
       q.assigned_to AS assigned_to, q.assignee AS assignee,
       q.timeout_at AS due, q.created_at AS asked, CAST(NULL AS TEXT) AS source,
       q.default_response AS default_response, CAST(NULL AS TEXT) AS discussion_id, q.response_type AS response_type,
       q.required_role AS required_role, q.requested_by AS requested_by, q.asked_by_id AS asked_by_id,
       q.required_approvals AS required_approvals, q.approvals AS approvals,
       (SELECT t.title FROM jobs j JOIN tasks t ON t.id = j.task_id WHERE j.id = q.job_id) AS task
  FROM question_rows q
 WHERE q.workspace_id = $1 AND q.status = 'pending' AND (q.due_at IS NULL OR q.due_at >= $4)
   AND (CAST($2 AS TEXT) IS NULL OR q.project_id = $2)
   AND (CAST($5 AS TEXT) IS NULL OR q.type = $5)
 ORDER BY q.sort_at, q.id
 LIMIT $3;

-- Its text is the list of its questions. Their tasks stand still until somebody answers; there is no deadline.
-- name: waiting_sets
SELECT 'open_questions' AS type, s.id AS id, s.questions AS text, s.agent AS agent, s.project_id AS project_id,
       p.name AS project, CAST(NULL AS TEXT) AS assigned_to, CAST(NULL AS TEXT) AS assignee, CAST(NULL AS TEXT) AS due,
       s.created_at AS asked, s.source AS source, CAST(NULL AS TEXT) AS default_response,
       CAST(NULL AS TEXT) AS discussion_id,
       CAST(NULL AS TEXT) AS response_type, CAST(NULL AS TEXT) AS required_role, CAST(NULL AS TEXT) AS requested_by,
       CAST(NULL AS TEXT) AS asked_by_id, 1 AS required_approvals, CAST(NULL AS TEXT) AS approvals,
       (SELECT t.title FROM tasks t WHERE s.source = 'execute' AND t.id = s.source_id) AS task
  FROM projects p JOIN open_questions s ON s.project_id = p.id AND s.status = 'open'
 WHERE p.workspace_id = $1 AND (CAST($2 AS TEXT) IS NULL OR p.id = $2)
 ORDER BY s.id
 LIMIT $3;

-- Prompts that mention the caller, who has not answered them: $4 now, $5 the folded name, $6 since when one that is still
-- open may have been made, $7 whether the oldest come first.
-- name: waiting_prompts
SELECT 'prompt' AS type, p.id AS id, p.prompt_message AS text, p.requester_agent AS agent, p.project_id AS project_id,
       o.name AS project, CAST(NULL AS TEXT) AS assigned_to, CAST(NULL AS TEXT) AS assignee, p.due_at AS due,
       witan_time(p.created_at) AS asked, CAST(NULL AS TEXT) AS source, CAST(NULL AS TEXT) AS default_response,
       CAST(NULL AS TEXT) AS discussion_id,
       CAST(NULL AS TEXT) AS response_type, CAST(NULL AS TEXT) AS required_role, CAST(NULL AS TEXT) AS requested_by,
       CAST(NULL AS TEXT) AS asked_by_id, 1 AS required_approvals, CAST(NULL AS TEXT) AS approvals,
       CAST(NULL AS TEXT) AS task
  FROM prompt_mentions m JOIN discussion_prompts p ON p.id = m.prompt_id
       LEFT JOIN projects o ON o.id = p.project_id
 WHERE m.workspace_id = $1 AND m.agent_key = $5 AND m.created_at >= $6 AND p.status IN ('pending', 'collecting') AND p.due_at >= $4
   AND p.requester_key <> $5 AND NOT witan_spoke(p.voices, $5)
   AND (CAST($2 AS TEXT) IS NULL OR p.project_id = $2)
 ORDER BY CASE WHEN $7 = 1 THEN 0 ELSE p.due_at END, p.created_at, p.id
 LIMIT $3;

-- Turns that people owe a discussion: $4 now, $5 whether the oldest come first. A person of another program goes by the name at the table.
-- name: waiting_turns
SELECT 'turn' AS type, t.id AS id, s.topic AS text, CAST(NULL AS TEXT) AS agent, s.project_id AS project_id,
       p.name AS project, t.user_id AS assigned_to,
       CASE WHEN t.user_id IS NULL THEN NULL ELSE COALESCE(u.name, t.speaker) END AS assignee, t.due_ms AS due,
       t.created_at AS asked, CAST(NULL AS TEXT) AS source, CAST(NULL AS TEXT) AS default_response,
       t.discussion_id AS discussion_id,
       CAST(NULL AS TEXT) AS response_type, CAST(NULL AS TEXT) AS required_role, CAST(NULL AS TEXT) AS requested_by,
       CAST(NULL AS TEXT) AS asked_by_id, 1 AS required_approvals, CAST(NULL AS TEXT) AS approvals,
       CAST(NULL AS TEXT) AS task
  FROM discussion_turns t JOIN discussion_state s ON s.discussion_id = t.discussion_id
       LEFT JOIN projects p ON p.id = s.project_id
       LEFT JOIN members m ON m.workspace_id = t.workspace_id AND m.user_id = t.user_id
       LEFT JOIN users u ON u.id = m.user_id
 WHERE t.workspace_id = $1 AND t.state = 'outside' AND t.agent_key IS NULL AND s.status = 'active' AND t.due_ms >= $4
   AND (CAST($2 AS TEXT) IS NULL OR s.project_id = $2)
 ORDER BY CASE WHEN $5 = 1 THEN 0 ELSE t.due_ms END, t.id
 LIMIT $3;

-- How much waits, by all that decides whether it needs somebody: only where there is more than is shown. $1 the workspace,
-- $2 a project or NULL. What the caller ($4) has snoozed is left out: $3 and $5 now, $6 the time up to which a deadline
-- is near, which wakes it; $7 a type or NULL.
-- columns: inbox_kind
type, response_type, assigned_to, required_role, requested_by, asked_by_id, project_id, required_approvals, approvals,
COUNT(*) AS n;

-- name: waiting_kinds
SELECT {inbox_kind q}
  FROM question_rows q
 WHERE q.workspace_id = $1 AND q.status = 'pending' AND (q.due_at IS NULL OR q.due_at >= $3)
   AND (CAST($2 AS TEXT) IS NULL OR q.project_id = $2)
   AND (CAST($7 AS TEXT) IS NULL OR q.type = $7)
   AND ((q.due_at IS NOT NULL AND q.due_at <= $6)
        OR NOT EXISTS (SELECT 1 FROM question_snoozes s
                        WHERE s.person = $4 AND s.question_id = q.id AND s.until_ms > $5))
 GROUP BY q.type, q.response_type, q.assigned_to, q.required_role, q.requested_by, q.asked_by_id, q.project_id,
          q.required_approvals, q.approvals;

-- name: waiting_set_kinds
SELECT p.id, COUNT(*)
  FROM projects p JOIN open_questions s ON s.project_id = p.id AND s.status = 'open'
 WHERE p.workspace_id = $1 AND (CAST($2 AS TEXT) IS NULL OR p.id = $2)
 GROUP BY p.id;

-- $3 now, $4 the folded name, $5 since when one that is still open may have been made.
-- name: waiting_prompt_count
SELECT COUNT(*)
  FROM prompt_mentions m JOIN discussion_prompts p ON p.id = m.prompt_id
 WHERE m.workspace_id = $1 AND m.agent_key = $4 AND m.created_at >= $5 AND p.status IN ('pending', 'collecting') AND p.due_at >= $3
   AND p.requester_key <> $4 AND NOT witan_spoke(p.voices, $4)
   AND (CAST($2 AS TEXT) IS NULL OR p.project_id = $2);

-- $3 now.
-- name: waiting_turn_kinds
SELECT t.user_id, COUNT(*)
  FROM discussion_turns t JOIN discussion_state s ON s.discussion_id = t.discussion_id
 WHERE t.workspace_id = $1 AND t.state = 'outside' AND t.agent_key IS NULL AND s.status = 'active' AND t.due_ms >= $3
   AND (CAST($2 AS TEXT) IS NULL OR s.project_id = $2)
 GROUP BY t.user_id;
