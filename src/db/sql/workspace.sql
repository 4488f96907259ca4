-- Workspaces, and which of them a caller sees.

-- columns: workspace
id, slug, name, settings, created_at;

-- name: workspace_get
SELECT {workspace} FROM workspaces WHERE id = $1 OR slug = $1 LIMIT 1;

-- name: workspace_insert
INSERT INTO workspaces (id, slug, name, settings, created_at) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (slug) DO NOTHING
RETURNING {workspace};

-- What is NULL stays as it is. A slug that another workspace has changes nothing.
-- name: workspace_update
UPDATE workspaces
   SET slug = COALESCE(CAST($2 AS TEXT), slug), name = COALESCE(CAST($3 AS TEXT), name),
       settings = COALESCE(CAST($4 AS TEXT), settings)
 WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM workspaces o WHERE o.slug = CAST($2 AS TEXT) AND o.id <> $1)
RETURNING {workspace};

-- name: workspace_delete
DELETE FROM workspaces WHERE id = $1;

-- name: workspace_delete_lone_users
DELETE FROM users
 WHERE id IN (SELECT m.user_id FROM members m
               WHERE m.workspace_id = $1
                 AND NOT EXISTS (SELECT 1 FROM members o
                                  WHERE o.user_id = m.user_id AND o.workspace_id <> m.workspace_id));

-- Whether anybody would be left to come in by a login or a token.
-- name: workspace_others_have_credentials
SELECT CASE WHEN EXISTS (SELECT 1 FROM tokens WHERE workspace_id <> $1 AND revoked_at IS NULL)
              OR EXISTS (SELECT 1 FROM members WHERE workspace_id <> $1) THEN 1 ELSE 0 END;

-- name: workspace_list
SELECT {workspace} FROM workspaces WHERE id < $1 ORDER BY id DESC LIMIT $2;

-- name: workspace_members
SELECT user_id FROM members WHERE workspace_id = $1 ORDER BY user_id LIMIT $2;

-- name: workspace_list_of_user
SELECT {workspace w}
  FROM members m JOIN workspaces w ON w.id = m.workspace_id
 WHERE m.user_id = $3 AND w.id < $1
 ORDER BY w.id DESC
 LIMIT $2;
