-- Who is mentioned where.

-- name: mention_insert_prompt
INSERT INTO prompt_mentions (prompt_id, agent_key, workspace_id, created_at)
VALUES ($1, $2, $3, $4)
ON CONFLICT DO NOTHING;

-- $1 is a list of the same values for each row. SQLite runs mention_insert_prompt for each.
-- name: mention_insert_prompt_many @postgres only
INSERT INTO prompt_mentions (prompt_id, agent_key, workspace_id, created_at)
SELECT CAST(r.value ->> 0 AS UUID), r.value ->> 1, r.value ->> 2, CAST(r.value ->> 3 AS TIMESTAMPTZ)
  FROM jsonb_array_elements(CAST($1 AS JSONB)) AS r(value)
ON CONFLICT DO NOTHING;

-- What other programs wrote, lowest id first, with what is needed to tell of it. A prompt that has ended
-- meanwhile asks nobody any more, and a workspace that is not there has nobody to tell.
-- name: mention_queued @sqlite
SELECT {mention_source}
  FROM mention_queue q
  LEFT JOIN squad_chat c ON q.ref_type = 'chat' AND c.id = q.ref_id
  LEFT JOIN discussion_prompts p ON q.ref_type = 'prompt' AND p.id = q.ref_id
                                AND p.status IN ('pending', 'collecting')
  LEFT JOIN workspaces w ON w.id = COALESCE(c.workspace_id, p.workspace_id)
 ORDER BY q.ref_type, q.ref_id
 LIMIT $1;

-- name: mention_queued @postgres
SELECT {mention_source}
  FROM mention_queue q
  LEFT JOIN squad_chat c ON q.ref_type = 'chat' AND c.id = q.ref_id
  LEFT JOIN discussion_prompts p ON q.ref_type = 'prompt' AND p.id = q.ref_id
                                AND p.status IN ('pending', 'collecting')
  LEFT JOIN workspaces w ON w.id = COALESCE(c.workspace_id, p.workspace_id)
 ORDER BY q.ref_type, q.ref_id
 LIMIT $1
   FOR UPDATE OF q SKIP LOCKED;

-- name: mention_unqueue
DELETE FROM mention_queue WHERE ref_type = $1 AND ref_id = $2;

-- name: mention_project
SELECT 1 FROM projects WHERE id = $1;

-- name: mention_waiting
SELECT 1 FROM mention_queue LIMIT 1;
