-- The first owner's way in.

-- name: setup_insert
INSERT INTO setup_codes (hash, expires_at) VALUES ($1, $2);

-- name: setup_prune
DELETE FROM setup_codes WHERE expires_at < $1;

-- $1 a code's hash, or NULL: any; $2 now.
-- name: setup_find
SELECT COUNT(*) FROM setup_codes WHERE (CAST($1 AS TEXT) IS NULL OR hash = $1) AND expires_at >= $2;

-- name: setup_take
DELETE FROM setup_codes WHERE hash = $1 AND expires_at >= $2;

-- name: setup_clear
DELETE FROM setup_codes;
