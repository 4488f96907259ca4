-- idempotency.sql: requests that were done before, and what they answered.

-- A claim that has outlived its time is taken over as if it had never been.
-- name: idempotency_claim
INSERT INTO idempotency (workspace_id, caller, operation, key, body_hash, created_at)
VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (workspace_id, caller, operation, key) DO UPDATE
       SET body_hash = excluded.body_hash, status = NULL, reply = NULL, created_at = excluded.created_at
     WHERE idempotency.created_at < $7
RETURNING key;

-- name: idempotency_get
SELECT body_hash, status, reply
  FROM idempotency
 WHERE workspace_id = $1 AND caller = $2 AND operation = $3 AND key = $4;

-- name: idempotency_keep
UPDATE idempotency SET status = $5, reply = $6
 WHERE workspace_id = $1 AND caller = $2 AND operation = $3 AND key = $4;

-- name: idempotency_prune
DELETE FROM idempotency
 WHERE (workspace_id, caller, operation, key) IN
       (SELECT workspace_id, caller, operation, key FROM idempotency WHERE created_at < $1 ORDER BY created_at LIMIT $2);
