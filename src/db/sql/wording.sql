-- What models are told, where a workspace has words of its own.

-- columns: wording
name, text, updated_at;

-- name: wording_list
SELECT {wording} FROM wordings WHERE workspace_id = $1 ORDER BY name;

-- name: wording_get
SELECT {wording} FROM wordings WHERE workspace_id = $1 AND name = $2;

-- name: wording_put
INSERT INTO wordings (workspace_id, name, text, updated_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (workspace_id, name) DO UPDATE SET text = excluded.text, updated_at = excluded.updated_at;

-- name: wording_delete
DELETE FROM wordings WHERE workspace_id = $1 AND name = $2;
