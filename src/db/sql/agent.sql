-- Agents that take part in discussions. One that was deleted stays for what it has said.

-- columns: agent
id, workspace_id, name, role, system_prompt, ai_model_config, created_by, created_at, updated_at, deleted_at;

-- name: agent_insert
INSERT INTO agent_templates (id, workspace_id, name, role, system_prompt, ai_model_config, created_by, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8);

-- name: agent_get
SELECT {agent} FROM agent_templates WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL;

-- By its name, folded.
-- name: agent_named
SELECT {agent} FROM agent_templates WHERE workspace_id = $1 AND name_key = $2 AND deleted_at IS NULL;

-- name: agent_list
SELECT {agent} FROM agent_templates
 WHERE workspace_id = $1 AND deleted_at IS NULL AND id < $2
 ORDER BY id DESC
 LIMIT $3;

-- name: agent_save
UPDATE agent_templates
   SET name = $3, role = $4, system_prompt = $5, ai_model_config = $6, updated_at = $7
 WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL;

-- name: agent_delete
UPDATE agent_templates SET deleted_at = $3 WHERE id = $1 AND workspace_id = $2 AND deleted_at IS NULL;
