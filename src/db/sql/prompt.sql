-- Discussion prompts. Triggers count, collect, end and tell; what they changed is read again.

-- name: prompt_insert
INSERT INTO discussion_prompts ({prompt_insert}, via) VALUES ({prompt_insert_values}, 'call');

-- name: prompt_get
SELECT {prompt p}
  FROM discussion_prompts p
 WHERE p.id = $1 AND p.workspace_id = $2;

-- What decides whether it may be changed, and how much has been collected; nobody else changes it until this transaction ends. SQLite has one
-- writer anyway.
-- name: prompt_lock @sqlite
SELECT {prompt_lock}, LENGTH(CAST(collected_context AS BLOB)), requester_key, voices
  FROM discussion_prompts
 WHERE id = $1 AND workspace_id = $2;

-- name: prompt_lock @postgres
SELECT {prompt_lock}, octet_length(CAST(collected_context AS TEXT)), requester_key, voices
  FROM discussion_prompts
 WHERE id = $1 AND workspace_id = $2
   FOR NO KEY UPDATE;

-- name: prompt_end
UPDATE discussion_prompts
   SET status = $3, outcome_source = $4, outcome_by = $5, resolved_at = $6, outcome_by_id = $7, ended_via = 'call'
 WHERE id = $1 AND workspace_id = $2 AND status IN ('pending', 'collecting');

-- The lists: $1 workspace, $2 and $3 where the page before ended, $4 rows at most, $5 now, $6 a status or
-- NULL, $7 an agent's folded name or NULL, $8 whether to keep what that agent has answered, $9 the project that a
-- token is bound to or NULL, $10 a task or NULL.
-- What is overdue is not open, whether or not a row says so yet.

-- Those that mention the agent stand first in its list. $11 since when one that is still open may have been made.
-- name: prompt_list_mentions
SELECT {prompt p}
  FROM prompt_mentions m JOIN discussion_prompts p ON p.id = m.prompt_id
 WHERE m.workspace_id = $1 AND m.agent_key = $7 AND (m.created_at, m.prompt_id) < ($2, $3) AND m.created_at >= $11
   AND p.workspace_id = $1 AND p.status IN ('pending', 'collecting') AND p.due_at >= $5
   AND (CAST($6 AS TEXT) IS NULL OR p.status = $6)
   AND (CAST($10 AS TEXT) IS NULL OR p.task_id = $10)
   AND p.requester_key <> $7
   AND ($8 = 1 OR NOT witan_spoke(p.voices, $7))
   AND (CAST($9 AS TEXT) IS NULL OR p.project_id IS NULL OR p.project_id = $9)
 ORDER BY m.created_at DESC, m.prompt_id DESC
 LIMIT $4;

-- name: prompt_list_open
SELECT {prompt p}
  FROM discussion_prompts p
 WHERE p.workspace_id = $1 AND p.status IN ('pending', 'collecting') AND (p.created_at, p.id) < ($2, $3)
   AND p.due_at >= $5
   AND (CAST($6 AS TEXT) IS NULL OR p.status = $6)
   AND (CAST($7 AS TEXT) IS NULL
        OR (p.requester_key <> $7
            AND NOT EXISTS (SELECT 1 FROM prompt_mentions m WHERE m.prompt_id = p.id AND m.agent_key = $7)
            AND ($8 = 1 OR NOT witan_spoke(p.voices, $7))))
   AND (CAST($9 AS TEXT) IS NULL OR p.project_id IS NULL OR p.project_id = $9)
 ORDER BY p.created_at DESC, p.id DESC
 LIMIT $4;

-- No time is asked for here, so the numbers after $4 are one lower.
-- name: prompt_list_ended
SELECT {prompt p}
  FROM discussion_prompts p
 WHERE p.workspace_id = $1 AND p.status = $5 AND (p.created_at, p.id) < ($2, $3)
   AND (CAST($6 AS TEXT) IS NULL
        OR (p.requester_key <> $6
            AND ($7 = 1 OR NOT witan_spoke(p.voices, $6))))
   AND (CAST($8 AS TEXT) IS NULL OR p.project_id IS NULL OR p.project_id = $8)
 ORDER BY p.created_at DESC, p.id DESC
 LIMIT $4;

-- name: prompt_list_task
SELECT {prompt p}
  FROM discussion_prompts p
 WHERE p.workspace_id = $1 AND p.task_id = $10 AND (p.created_at, p.id) < ($2, $3)
   AND (p.status = $6 OR (CAST($6 AS TEXT) IS NULL AND p.status IN ('pending', 'collecting')))
   AND (p.status NOT IN ('pending', 'collecting') OR p.due_at >= $5)
   AND (CAST($7 AS TEXT) IS NULL
        OR (p.requester_key <> $7
            AND NOT EXISTS (SELECT 1 FROM prompt_mentions m WHERE m.prompt_id = p.id AND m.agent_key = $7)
            AND ($8 = 1 OR NOT witan_spoke(p.voices, $7))))
   AND (CAST($9 AS TEXT) IS NULL OR p.project_id IS NULL OR p.project_id = $9)
 ORDER BY p.created_at DESC, p.id DESC
 LIMIT $4;
