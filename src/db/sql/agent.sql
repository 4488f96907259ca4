-- Agents that take part in discussions. One that was deleted stays for what it has said.

-- name: agent_insert
INSERT INTO agent_templates ({agent_insert}) VALUES ({agent_insert_values});

-- name: agent_get
SELECT {agent} FROM agent_templates WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL;

-- By its name, folded; $3 is the key of one whose name was another's too.
-- name: agent_named
SELECT {agent} FROM agent_templates
 WHERE workspace_id = $1 AND name_key IN ($2, $3) AND deleted_at IS NULL
 ORDER BY CASE name_key WHEN $3 THEN 0 ELSE 1 END
 LIMIT 1;

-- name: agent_list
SELECT {agent} FROM agent_templates
 WHERE workspace_id = $1 AND deleted_at IS NULL AND id < $2
 ORDER BY id DESC
 LIMIT $3;

-- Only one that was found in its workspace is written back.
-- name: agent_save
UPDATE agent_templates SET {agent_update} WHERE id = $1 AND deleted_at IS NULL;

-- A new name has no key yet.
-- name: agent_fold
UPDATE agent_templates SET name_fold = $2 WHERE id = $1 AND name_fold IS NULL;

-- name: agent_delete
UPDATE agent_templates SET deleted_at = $3 WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL;
