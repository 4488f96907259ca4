-- idempotency.sql: requests that were done before, and what they answered.

-- A claim that has outlived its time is taken over as if it had never been; not while what was asked under it is open,
-- nor for the same time after that has ended ($8 is $7 as a time).
-- name: idempotency_claim
INSERT INTO idempotency (workspace_id, caller, operation, key, body_hash, created_at)
VALUES ($1, $2, $3, $4, $5, $6)
    ON CONFLICT (workspace_id, caller, operation, key) DO UPDATE
       SET body_hash = excluded.body_hash, status = NULL, reply = NULL, created_at = excluded.created_at,
           question_id = NULL, prompt_id = NULL
     WHERE idempotency.created_at < $7
       AND NOT EXISTS (SELECT 1 FROM agent_questions q
                        WHERE q.id = idempotency.question_id AND (q.status = 'pending' OR q.ended_at >= $8))
       AND NOT EXISTS (SELECT 1 FROM discussion_prompts p
                        WHERE p.id = idempotency.prompt_id
                          AND (p.status IN ('pending', 'collecting') OR p.resolved_at >= $8))
RETURNING key;

-- name: idempotency_get
SELECT body_hash, status, reply
  FROM idempotency
 WHERE workspace_id = $1 AND caller = $2 AND operation = $3 AND key = $4;

-- name: idempotency_keep
UPDATE idempotency SET status = $5, reply = $6, question_id = $7, prompt_id = $8
 WHERE workspace_id = $1 AND caller = $2 AND operation = $3 AND key = $4;

-- Of the oldest $2, those that are still needed begin their time anew, so that each is looked at once in a lifetime.
-- name: idempotency_renew
UPDATE idempotency SET created_at = $3
 WHERE (workspace_id, caller, operation, key) IN
       (SELECT workspace_id, caller, operation, key FROM idempotency WHERE created_at < $1 ORDER BY created_at LIMIT $2)
   AND (EXISTS (SELECT 1 FROM agent_questions q
                 WHERE q.id = idempotency.question_id AND (q.status = 'pending' OR q.ended_at >= $4))
        OR EXISTS (SELECT 1 FROM discussion_prompts p
                    WHERE p.id = idempotency.prompt_id
                      AND (p.status IN ('pending', 'collecting') OR p.resolved_at >= $4)));

-- The rest of the oldest, after idempotency_renew. One that was claimed anew meanwhile is not among them any more.
-- name: idempotency_prune
DELETE FROM idempotency
 WHERE (workspace_id, caller, operation, key) IN
       (SELECT workspace_id, caller, operation, key FROM idempotency WHERE created_at < $1 ORDER BY created_at LIMIT $2)
   AND created_at < $1;
