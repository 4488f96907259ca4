-- One-time links to questions.

-- columns: link
l.hash AS hash, l.workspace_id AS workspace_id, l.maker_kind AS maker_kind, l.maker_id AS maker_id,
l.used_at AS used_at, u.name AS user_name, m.role AS user_role, u.disabled_at AS user_disabled_at,
t.name AS token_name, t.role AS token_role, t.revoked_at AS token_revoked_at, t.expires_at AS token_expires_at,
t.agent_name AS token_agent_name, t.project_id AS token_project_id, t.user_id AS token_user_id;

-- name: link_insert
INSERT INTO question_links (hash, question_id, workspace_id, maker_kind, maker_id, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, $7);

-- Who made it, and what that person may do today: a user's name and role here, or a token's, or both of a token that
-- belongs to a user; neither for the local owner.
-- name: link_get
SELECT {link}
  FROM question_links l
  LEFT JOIN tokens t ON l.maker_kind = 'token' AND t.id = l.maker_id
  LEFT JOIN users u ON u.id = CASE WHEN l.maker_kind = 'user' THEN l.maker_id ELSE t.user_id END
  LEFT JOIN members m ON m.user_id = u.id AND m.workspace_id = l.workspace_id
 WHERE l.hash = $1 AND l.question_id = $2;

-- The same for the cookie that somebody got for it.
-- name: link_get_visited
SELECT {link}
  FROM link_visits v
  JOIN question_links l ON l.hash = v.link_hash
  LEFT JOIN tokens t ON l.maker_kind = 'token' AND t.id = l.maker_id
  LEFT JOIN users u ON u.id = CASE WHEN l.maker_kind = 'user' THEN l.maker_id ELSE t.user_id END
  LEFT JOIN members m ON m.user_id = u.id AND m.workspace_id = l.workspace_id
 WHERE v.hash = $1 AND l.question_id = $2;

-- name: link_visit
INSERT INTO link_visits (hash, link_hash, opened_at) VALUES ($1, $2, $3);

-- name: link_forget_visits
DELETE FROM link_visits
 WHERE link_hash = $1 AND hash NOT IN (SELECT hash FROM link_visits WHERE link_hash = $1
                                        ORDER BY opened_at DESC, hash LIMIT $2);

-- name: link_use
UPDATE question_links SET used_at = $2 WHERE hash = $1 AND used_at IS NULL;

-- A link lives as long as its question: one that is still open is looked at again later.
-- name: link_look_later
UPDATE question_links SET expires_at = $3
 WHERE hash IN (SELECT l.hash FROM question_links l JOIN agent_questions q ON q.id = l.question_id
                 WHERE l.expires_at < $1 AND q.status = 'pending' ORDER BY l.expires_at LIMIT $2);

-- name: link_prune
DELETE FROM question_links
 WHERE hash IN (SELECT l.hash FROM question_links l JOIN agent_questions q ON q.id = l.question_id
                 WHERE l.expires_at < $1 AND q.status <> 'pending' ORDER BY l.expires_at LIMIT $2);
