-- Logins that last.

-- Only for a user whose password is still the one that was checked.
-- name: session_insert
INSERT INTO sessions (hash, user_id, created_at, expires_at)
SELECT $1, id, CAST($4 AS BIGINT), CAST($5 AS BIGINT)
  FROM users
 WHERE id = $2 AND password = $3 AND disabled_at IS NULL;

-- name: session_delete
DELETE FROM sessions WHERE hash = $1;

-- name: session_delete_of_user
DELETE FROM sessions WHERE user_id = $1 AND hash <> $2;

-- name: session_prune
DELETE FROM sessions
 WHERE hash IN (SELECT hash FROM sessions WHERE expires_at < $1 ORDER BY expires_at LIMIT $2);
