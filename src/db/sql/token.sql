-- Tokens. The secret is not here: only its hash is stored.

-- columns: token
t.id AS id, t.workspace_id AS workspace_id, t.name AS name, t.role AS role, t.project_id AS project_id,
t.agent_name AS agent_name, t.user_id AS user_id, u.name AS user_name, t.created_by AS created_by,
t.created_at AS created_at, t.expires_at AS expires_at, t.last_used_at AS last_used_at, t.revoked_at AS revoked_at,
t.rotated_at AS rotated_at;

-- name: token_insert
INSERT INTO tokens (id, workspace_id, hash, name, role, project_id, agent_name, created_by, created_at, expires_at,
                    notice_at, user_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);

-- name: token_get
SELECT {token}
  FROM tokens t LEFT JOIN users u ON u.id = t.user_id
 WHERE t.workspace_id = $1 AND t.id = $2;

-- name: token_list
SELECT {token}
  FROM tokens t LEFT JOIN users u ON u.id = t.user_id
 WHERE t.workspace_id = $1 AND t.id < $2
 ORDER BY t.id DESC
 LIMIT $3;

-- name: token_of_user
SELECT id FROM tokens WHERE user_id = $2 AND workspace_id = $1 AND revoked_at IS NULL;

-- name: token_revoke
UPDATE tokens SET revoked_at = $3, notice_at = NULL WHERE workspace_id = $1 AND id = $2 AND revoked_at IS NULL;

-- name: token_note_use
UPDATE tokens SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2);

-- name: token_note_use_old
UPDATE token_secrets SET last_used_at = $2 WHERE hash = $1 AND (last_used_at IS NULL OR last_used_at < $2);

-- Rotating begins with the row, so that two that do it at once come one after the other.
-- name: token_hold
UPDATE tokens SET name = name WHERE workspace_id = $1 AND id = $2;

-- name: token_drop_secrets
DELETE FROM token_secrets WHERE token_id = $1;

-- name: token_keep_secret
INSERT INTO token_secrets (hash, token_id, replaced_at, good_until, last_used_at)
SELECT hash, id, CAST($2 AS BIGINT), CAST($3 AS BIGINT), last_used_at FROM tokens WHERE id = $1;

-- name: token_new_secret
UPDATE tokens SET hash = $2, expires_at = $3, notice_at = $4, rotated_at = $5, last_used_at = NULL WHERE id = $1;

-- columns: token_secret
token_id, replaced_at, good_until, last_used_at;

-- The old secrets of a page of tokens: those between two ids.
-- name: token_old_secrets
SELECT {token_secret s}
  FROM token_secrets s JOIN tokens t ON t.id = s.token_id
 WHERE t.workspace_id = $1 AND t.id >= $2 AND t.id <= $3 AND s.good_until >= $4
 ORDER BY s.token_id DESC, s.replaced_at DESC;

-- name: token_prune_secrets
DELETE FROM token_secrets
 WHERE hash IN (SELECT hash FROM token_secrets WHERE good_until < $1 ORDER BY good_until LIMIT $2);

-- name: token_notice_next
SELECT notice_at FROM tokens WHERE notice_at IS NOT NULL ORDER BY notice_at LIMIT 1;

-- columns: token_notice
t.id AS id, t.workspace_id AS workspace_id, t.name AS name, t.agent_name AS agent_name, t.expires_at AS expires_at,
m.user_id AS maker_id;

-- Who shall be told that a token is about to expire: beside those who manage the workspace, the agent it
-- speaks as, and whose it is, or else whoever made it, if they are here but do not manage it ($3 the roles that do,
-- each between spaces).
-- name: token_notice_due @sqlite
SELECT {token_notice}
  FROM tokens t
  LEFT JOIN members m ON m.workspace_id = t.workspace_id AND m.user_id = COALESCE(t.user_id, t.created_by)
                     AND $3 NOT LIKE '% ' || m.role || ' %'
 WHERE t.notice_at < $1
 ORDER BY t.notice_at
 LIMIT $2;

-- name: token_notice_due @postgres
SELECT {token_notice}
  FROM tokens t
  LEFT JOIN members m ON m.workspace_id = t.workspace_id AND m.user_id = COALESCE(t.user_id, t.created_by)
                     AND $3 NOT LIKE '% ' || m.role || ' %'
 WHERE t.notice_at < $1
 ORDER BY t.notice_at
 LIMIT $2
   FOR NO KEY UPDATE OF t SKIP LOCKED;

-- name: token_notice_done
UPDATE tokens SET notice_at = NULL WHERE id = $1 AND notice_at IS NOT NULL;

-- name: token_project
SELECT 1 FROM projects WHERE id = $1 AND workspace_id = $2;
