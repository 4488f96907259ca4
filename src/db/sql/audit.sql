-- The audit log: rows are only ever added, and sealed once.

-- In the order in which they are hashed. What a statement reads beside a row stands behind it.
-- columns: audit
seq, workspace_id, actor_kind, actor_id, actor, operation, subject, door, remote, request_id, detail, created_at;

-- name: audit_insert
INSERT INTO audit (workspace_id, actor_kind, actor_id, actor, operation, subject, door, remote, request_id, detail,
                   created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11);

-- What the server did by itself.
-- name: audit_insert_system
INSERT INTO audit (workspace_id, actor_kind, actor, operation, subject, detail, created_at)
VALUES ($1, 'system', 'system', $2, $3, $4, $5);

-- $1 is a list of the same values for each row. SQLite runs audit_insert_system for each.
-- name: audit_insert_system_many @postgres only
INSERT INTO audit (workspace_id, actor_kind, actor, operation, subject, detail, created_at)
SELECT r.value ->> 0, 'system', 'system', r.value ->> 1, r.value ->> 2, r.value ->> 3, CAST(r.value ->> 4 AS BIGINT)
  FROM jsonb_array_elements(CAST($1 AS JSONB)) WITH ORDINALITY AS r(value, place)
 ORDER BY r.place;

-- Whether there is anything to seal.
-- name: audit_waiting @sqlite
SELECT CASE WHEN COALESCE((SELECT MAX(seq) FROM audit), 0) > COALESCE((SELECT MAX(seq) FROM audit_heads), 0)
            THEN 1 ELSE 0 END;

-- name: audit_waiting @postgres
SELECT CASE WHEN EXISTS (SELECT 1 FROM audit WHERE seq IS NULL) THEN 1 ELSE 0 END;

-- What is to be sealed, with the number each row has or gets, the hash its chain ends with, and its key.
-- name: audit_unsealed @sqlite
SELECT {audit a}, h.hash, a.seq
  FROM audit a LEFT JOIN audit_heads h ON h.workspace_id = a.workspace_id
 WHERE a.seq > COALESCE((SELECT MAX(seq) FROM audit_heads), 0)
 ORDER BY a.seq
 LIMIT $1;

-- name: audit_unsealed @postgres
SELECT row_number() OVER (ORDER BY a.id) + (SELECT COALESCE(MAX(seq), 0) FROM audit_heads), a.workspace_id,
       a.actor_kind, a.actor_id, a.actor, a.operation, a.subject, a.door, a.remote, a.request_id, a.detail,
       a.created_at, h.hash, a.id
  FROM audit a LEFT JOIN audit_heads h ON h.workspace_id = a.workspace_id
 WHERE a.seq IS NULL
 ORDER BY a.id
 LIMIT $1;

-- SQLite seals inside the batch: $1 is the row's key, $2 its number, $3 its hash.
-- name: audit_seal_row @sqlite only
UPDATE audit SET hash = $3 WHERE seq = $1 AND seq = $2;

-- name: audit_seal_head @sqlite only
INSERT INTO audit_heads (workspace_id, seq, hash) VALUES ($1, $2, $3)
ON CONFLICT (workspace_id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash;

-- PostgreSQL is given all of it at once: $1 is a list of the rows' values, $2 of the chains', $3 the last number that
-- was sealed when they were read. -1: somebody else was quicker, and nothing was changed.
-- name: audit_seal_all @postgres only
SELECT witan_seal_audit($1, $2, CAST($3 AS BIGINT));

-- Verifying walks one chain after the other. A chain is any workspace that has rows, a head or a checkpoint.
-- name: audit_next_chain
SELECT (SELECT workspace_id FROM audit WHERE workspace_id > $1 ORDER BY workspace_id LIMIT 1),
       (SELECT workspace_id FROM audit_heads WHERE workspace_id > $1 ORDER BY workspace_id LIMIT 1),
       (SELECT workspace_id FROM audit_checkpoints WHERE workspace_id > $1 ORDER BY workspace_id LIMIT 1);

-- name: audit_head
SELECT seq, hash FROM audit_heads WHERE workspace_id = $1;

-- name: audit_heads
SELECT workspace_id, seq, hash FROM audit_heads ORDER BY workspace_id;

-- name: audit_checkpoint
SELECT seq, hash FROM audit_checkpoints WHERE workspace_id = $1;

-- name: audit_hash_at
SELECT hash FROM audit WHERE workspace_id = $1 AND seq = $2;

-- name: audit_chain
SELECT {audit}, hash, erasure
  FROM audit
 WHERE workspace_id = $1 AND seq > $2 AND seq <= $3
 ORDER BY seq
 LIMIT $4;

-- A row with a hash in a chain without a head.
-- name: audit_headless
SELECT seq FROM audit WHERE workspace_id = $1 AND hash IS NOT NULL ORDER BY seq LIMIT 1;

-- How many rows wait for their seal, the last number that has one, the last that was purged, and the first that
-- is there.
-- name: audit_extent @sqlite
SELECT (SELECT COUNT(*) FROM audit WHERE seq > COALESCE((SELECT MAX(seq) FROM audit_heads), 0)),
       COALESCE((SELECT MAX(seq) FROM audit_heads), 0), COALESCE((SELECT MAX(seq) FROM audit_checkpoints), 0),
       (SELECT MIN(seq) FROM audit);

-- name: audit_extent @postgres
SELECT (SELECT COUNT(*) FROM audit WHERE seq IS NULL), COALESCE((SELECT MAX(seq) FROM audit_heads), 0),
       COALESCE((SELECT MAX(seq) FROM audit_checkpoints), 0), (SELECT MIN(seq) FROM audit);

-- The first number after $1 that is missing, when some are.
-- name: audit_first_gap
SELECT CASE WHEN NOT EXISTS (SELECT 1 FROM audit WHERE seq = CAST($1 AS BIGINT) + 1) THEN CAST($1 AS BIGINT) + 1
            ELSE (SELECT MIN(a.seq) + 1 FROM audit a
                   WHERE a.seq > CAST($1 AS BIGINT) AND NOT EXISTS (SELECT 1 FROM audit b WHERE b.seq = a.seq + 1)) END;

-- For the rest of the transaction, with 1: this one purges or erases, the guards let it through. With 0: no more.
-- name: audit_unlock @sqlite
SELECT witan_may_change_audit($1);

-- name: audit_unlock @postgres
SELECT set_config('witan.may_change_audit', CASE WHEN CAST($1 AS BIGINT) = 1 THEN 'yes' ELSE '' END, true);

-- Whoever changes the log's past keeps the sealers away meanwhile. SQLite has one writer.
-- name: audit_hold @postgres
SELECT pg_advisory_xact_lock(7117, 3);

-- name: audit_hold @sqlite
SELECT 1;

-- Looks at the oldest $2 rows: the first that is not older than $1, the last looked at, the last that is sealed
-- and the oldest.
-- name: audit_purge_range
SELECT (SELECT MIN(f.seq) FROM (SELECT seq, created_at FROM audit WHERE seq IS NOT NULL ORDER BY seq LIMIT $2) f
         WHERE f.created_at >= $1),
       (SELECT MAX(f.seq) FROM (SELECT seq FROM audit WHERE seq IS NOT NULL ORDER BY seq LIMIT $2) f),
       (SELECT MAX(seq) FROM audit_heads), (SELECT MIN(seq) FROM audit);

-- columns: audit_cut
a.workspace_id AS workspace_id, a.seq AS seq, a.hash AS hash, g.rows_gone AS rows_gone;

-- Where each chain that has rows up to $1 will begin, and how many it loses.
-- name: audit_purge_chains
SELECT {audit_cut}
  FROM audit a JOIN (SELECT workspace_id, MAX(seq) AS last_seq, COUNT(*) AS rows_gone
                       FROM audit WHERE seq <= $1 GROUP BY workspace_id) g ON a.seq = g.last_seq
 ORDER BY a.workspace_id;

-- Erasures that have rows up to $1, and others behind it.
-- name: audit_purge_split
SELECT DISTINCT a.erasure, a.workspace_id FROM audit a
 WHERE a.seq <= $1 AND a.erasure IS NOT NULL
   AND EXISTS (SELECT 1 FROM audit b
                WHERE b.erasure = a.erasure AND b.workspace_id = a.workspace_id AND b.seq > $1);

-- name: audit_purge
DELETE FROM audit WHERE seq <= $1;

-- How many rows stand before the first that is not older than $1.
-- name: audit_purge_count
SELECT COUNT(*) FROM audit
 WHERE seq < COALESCE((SELECT MIN(seq) FROM audit WHERE created_at >= $1), 9223372036854775807)
   AND seq <= (SELECT MAX(seq) FROM audit_heads);

-- name: audit_set_checkpoint
INSERT INTO audit_checkpoints (workspace_id, seq, hash) VALUES ($1, $2, $3)
ON CONFLICT (workspace_id) DO UPDATE SET seq = excluded.seq, hash = excluded.hash;

-- Newest first; $2 is where the page before ended.
-- name: audit_list
SELECT {audit}, hash
  FROM audit
 WHERE workspace_id = $1 AND seq > 0 AND seq < $2
   AND (CAST($3 AS TEXT) IS NULL OR actor = $3 OR actor_id = $3)
   AND (CAST($4 AS TEXT) IS NULL OR operation = $4)
   AND (CAST($5 AS TEXT) IS NULL OR subject = $5)
   AND created_at > $6 AND created_at < $7
 ORDER BY seq DESC
 LIMIT $8;
