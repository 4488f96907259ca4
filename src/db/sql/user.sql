-- People. A user is shown as a member of one workspace.

-- columns: user
u.id AS id, u.name AS name, m.role AS role, CASE WHEN u.password IS NULL THEN 0 ELSE 1 END AS has_password,
u.disabled_at AS disabled_at, u.created_at AS created_at;

-- What a login is checked against.
-- columns: account
id, name, password, disabled_at;

-- $6 is the key that somebody has whose name was another's too (str_fold_apart).
-- name: user_insert
INSERT INTO users (id, name, name_key, password, created_at)
SELECT $1, $2, $3, $4, CAST($5 AS BIGINT) WHERE NOT EXISTS (SELECT 1 FROM users WHERE name_key = $6)
ON CONFLICT (name_key) DO NOTHING;

-- name: user_get
SELECT {user}
  FROM members m JOIN users u ON u.id = m.user_id
 WHERE m.workspace_id = $1 AND u.id = $2;

-- name: user_list
SELECT {user}
  FROM members m JOIN users u ON u.id = m.user_id
 WHERE m.workspace_id = $1 AND m.user_id < $2
 ORDER BY m.user_id DESC
 LIMIT $3;

-- What a login needs. The password is a hash.
-- name: user_by_name
SELECT {account} FROM users WHERE name_key IN ($1, $2) ORDER BY CASE name_key WHEN $2 THEN 0 ELSE 1 END LIMIT 1;

-- name: user_account
SELECT {account} FROM users WHERE id = $1;

-- name: user_set_password
UPDATE users SET password = $2 WHERE id = $1;

-- Only if it is still the one that was checked.
-- name: user_change_password
UPDATE users SET password = $2 WHERE id = $1 AND password = $3;

-- name: user_set_disabled
UPDATE users SET disabled_at = $2 WHERE id = $1;

-- name: user_delete_if_alone
DELETE FROM users WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM members WHERE user_id = $1);

-- name: user_preferences
SELECT preferences FROM users WHERE id = $1;

-- name: user_set_preferences
UPDATE users SET preferences = $2 WHERE id = $1;

-- The local owner of solo mode has no row among the users.
-- name: user_local_preferences
SELECT value FROM facts WHERE name = 'local_preferences';

-- name: user_set_local_preferences
INSERT INTO facts (name, value) VALUES ('local_preferences', $1)
ON CONFLICT (name) DO UPDATE SET value = excluded.value;
