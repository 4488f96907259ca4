-- Keys of names that have to be made anew. What is not ASCII is longer in bytes than in characters.

-- columns: refold
id, scope, name, stored;

-- Within a scope no two have one key.
-- name: refold_users
SELECT id, '', name, name_key FROM users WHERE id > $1 AND octet_length(name) <> LENGTH(name) ORDER BY id LIMIT $2;

-- name: refold_user_holder
SELECT id FROM users WHERE CAST($1 AS TEXT) = '' AND name_key = $2;

-- name: refold_user
UPDATE users SET name_key = $2 WHERE id = $1;

-- name: refold_agents
SELECT id, workspace_id, name, name_fold
  FROM agent_templates
 WHERE deleted_at IS NULL AND id > $1 AND octet_length(name) <> LENGTH(name)
 ORDER BY id
 LIMIT $2;

-- Those that another program wrote or gave another name; by an index that is empty nearly always.
-- name: refold_agents_new @sqlite
SELECT id, workspace_id, name, name_fold
  FROM agent_templates
 WHERE name_fold IS NULL AND deleted_at IS NULL AND LENGTH(CAST(name AS BLOB)) <> LENGTH(name) AND id > $1
 ORDER BY id
 LIMIT $2;

-- name: refold_agents_new @postgres
SELECT id, workspace_id, name, name_fold
  FROM agent_templates
 WHERE name_fold IS NULL AND deleted_at IS NULL AND octet_length(name) <> char_length(name) AND id > $1
 ORDER BY id
 LIMIT $2;

-- name: refold_agent_holder
SELECT id FROM agent_templates WHERE workspace_id = $1 AND name_key = $2 AND deleted_at IS NULL;

-- name: refold_agent
UPDATE agent_templates SET name_fold = $2 WHERE id = $1;

-- Whose names are others' too: their keys are behind $1 and before $2 (str_fold_apart).
-- columns: refold_apart
kind, name;

-- name: refold_apart
SELECT 'user', name FROM users WHERE name_key >= $1 AND name_key < $2
UNION ALL
SELECT 'agent', name FROM agent_templates WHERE name_key >= $1 AND name_key < $2 AND deleted_at IS NULL
 ORDER BY 1, 2;

-- name: refold_notifications
SELECT id, '', agent_key, agent_key
  FROM notifications
 WHERE id > $1 AND octet_length(agent_key) <> LENGTH(agent_key)
 ORDER BY id
 LIMIT $2;

-- name: refold_notification
UPDATE notifications SET agent_key = $2 WHERE id = $1;

-- name: refold_turns
SELECT id, '', agent_key, agent_key
  FROM discussion_turns
 WHERE id > $1 AND octet_length(agent_key) <> LENGTH(agent_key)
 ORDER BY id
 LIMIT $2;

-- name: refold_turn
UPDATE discussion_turns SET agent_key = $2 WHERE id = $1;

-- name: refold_prompts
SELECT p.id
  FROM discussion_prompts p
 WHERE p.id > $1
   AND (octet_length(p.requester_agent) <> LENGTH(p.requester_agent) OR octet_length(p.voices) <> LENGTH(p.voices)
        OR EXISTS (SELECT 1 FROM prompt_mentions m
                    WHERE m.prompt_id = p.id AND octet_length(m.agent_key) <> LENGTH(m.agent_key)))
 ORDER BY p.id
 LIMIT $2;

-- name: refold_mentions
SELECT agent_key, workspace_id, witan_time(created_at) FROM prompt_mentions WHERE prompt_id = $1;

-- name: refold_unmention
DELETE FROM prompt_mentions WHERE prompt_id = $1 AND agent_key = $2;

-- What has words that are not ASCII is to be found by the words that they become now.
-- name: refold_search
INSERT INTO search_queue (kind, ref_id)
SELECT kind, id
  FROM (SELECT 'agent' AS kind, 1 AS place, id, name || role AS words FROM agent_templates WHERE deleted_at IS NULL
        UNION ALL
        SELECT 'task', 2, id, title || description FROM tasks
        UNION ALL
        SELECT 'project', 3, id, name || COALESCE(description, '') FROM projects
        UNION ALL
        SELECT 'discussion', 4, id, topic FROM discussion_state
        UNION ALL
        SELECT 'job', 5, id, kind || COALESCE(agent, '') || COALESCE(input, '') FROM jobs WHERE NOT lone
        UNION ALL
        SELECT 'question', 6, id, question || COALESCE(asked_by, '') FROM agent_questions) things
 WHERE octet_length(words) <> LENGTH(words)
 ORDER BY place, id;
