-- Who calls. A credential costs one statement.

-- Of a token, or of a secret that it had before, with the user it belongs to and what that one may do here today;
-- until when it is good and when it was last used stand behind.
-- columns: caller_token
t.id AS id, t.name AS name, t.role AS role, t.agent_name AS agent_name, t.project_id AS project_id,
t.workspace_id AS workspace_id, w.slug AS slug, t.revoked_at AS revoked_at, t.user_id AS user_id, u.name AS user_name,
u.disabled_at AS user_disabled_at, m.role AS user_role;

-- name: caller_by_token
SELECT {caller_token}, t.expires_at, t.last_used_at
  FROM tokens t
  JOIN workspaces w ON w.id = t.workspace_id
  LEFT JOIN users u ON u.id = t.user_id
  LEFT JOIN members m ON m.user_id = t.user_id AND m.workspace_id = t.workspace_id
 WHERE t.hash = $1;

-- A secret that a rotation has replaced.
-- name: caller_by_old_secret
SELECT {caller_token},
       CASE WHEN t.expires_at < s.good_until THEN t.expires_at ELSE s.good_until END, s.last_used_at
  FROM token_secrets s
  JOIN tokens t ON t.id = s.token_id
  JOIN workspaces w ON w.id = t.workspace_id
  LEFT JOIN users u ON u.id = t.user_id
  LEFT JOIN members m ON m.user_id = t.user_id AND m.workspace_id = t.workspace_id
 WHERE s.hash = $1;

-- columns: caller_session
u.id AS id, u.name AS name, m.role AS role, m.workspace_id AS workspace_id, w.slug AS slug,
s.expires_at AS expires_at, u.disabled_at AS disabled_at;

-- The workspace that was asked for ($2) comes first, then `default`, then the one joined first; whether the
-- first is the one asked for is for the caller to see.
-- name: caller_by_session
SELECT {caller_session}
  FROM sessions s
  JOIN users u ON u.id = s.user_id
  LEFT JOIN members m ON m.user_id = u.id
  LEFT JOIN workspaces w ON w.id = m.workspace_id
 WHERE s.hash = $1
 ORDER BY CASE WHEN w.id = CAST($2 AS TEXT) OR w.slug = CAST($2 AS TEXT) THEN 0
               WHEN w.slug = 'default' THEN 1 ELSE 2 END, m.created_at, m.workspace_id
 LIMIT 1;

-- name: caller_by_ticket
SELECT caller, workspace_id, expires_at FROM tickets WHERE hash = $1;

-- name: caller_solo
SELECT CASE WHEN EXISTS (SELECT 1 FROM users) OR EXISTS (SELECT 1 FROM tokens) THEN 0 ELSE 1 END,
       COALESCE((SELECT id FROM workspaces WHERE slug = $1), (SELECT id FROM workspaces WHERE id = $1));

-- name: caller_is_member
SELECT 1 FROM members WHERE workspace_id = $1 AND user_id = $2;
