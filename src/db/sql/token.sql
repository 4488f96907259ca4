-- Tokens. The secret is not here: only its hash is stored.

-- name: token_insert
INSERT INTO tokens (id, workspace_id, hash, name, role, project_id, agent_name, created_by, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- name: token_get
SELECT id, workspace_id, name, role, project_id, agent_name, created_by, created_at, expires_at, last_used_at,
       revoked_at
  FROM tokens
 WHERE workspace_id = $1 AND id = $2;

-- name: token_list
SELECT id, workspace_id, name, role, project_id, agent_name, created_by, created_at, expires_at, last_used_at,
       revoked_at
  FROM tokens
 WHERE workspace_id = $1 AND id < $2
 ORDER BY id DESC
 LIMIT $3;

-- name: token_revoke
UPDATE tokens SET revoked_at = $3 WHERE workspace_id = $1 AND id = $2 AND revoked_at IS NULL;

-- name: token_touch
UPDATE tokens SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2);

-- name: token_project
SELECT 1 FROM projects WHERE id = $1 AND workspace_id = $2;
