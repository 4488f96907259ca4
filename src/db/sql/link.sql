-- One-time links to questions.

-- name: link_insert
INSERT INTO question_links (hash, question_id, workspace_id, maker_kind, maker_id, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7);

-- Who made it, and what that person may do today: a user's name and role here, or a token's; neither for the
-- local owner.
-- name: link_get
SELECT l.workspace_id, l.maker_kind, l.maker_id, l.expires_at, l.used_at, u.name, m.role, u.disabled_at, t.name,
       t.role, t.revoked_at, t.expires_at, t.agent_name, t.project_id
  FROM question_links l
  LEFT JOIN users u ON l.maker_kind = 'user' AND u.id = l.maker_id
  LEFT JOIN members m ON m.user_id = u.id AND m.workspace_id = l.workspace_id
  LEFT JOIN tokens t ON l.maker_kind = 'token' AND t.id = l.maker_id
 WHERE l.hash = $1 AND l.question_id = $2;

-- name: link_use
UPDATE question_links SET used_at = $2 WHERE hash = $1 AND used_at IS NULL;

-- name: link_prune
DELETE FROM question_links
 WHERE hash IN (SELECT hash FROM question_links WHERE expires_at < $1 ORDER BY expires_at LIMIT $2);
