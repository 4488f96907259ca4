-- The log of what happened. On PostgreSQL rows get their number after their commit.

-- name: event_insert
INSERT INTO events (workspace_id, type, project_id, job_id, discussion_id, subject, data, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8);

-- $1 is [[workspace_id, type, project_id, job_id, discussion_id, subject, data, created_at], ...]. SQLite runs
-- event_insert for each.
-- name: event_insert_many @postgres only
INSERT INTO events (workspace_id, type, project_id, job_id, discussion_id, subject, data, created_at)
SELECT r.value ->> 0, r.value ->> 1, r.value ->> 2, r.value ->> 3, r.value ->> 4, r.value ->> 5, r.value ->> 6,
       CAST(r.value ->> 7 AS BIGINT)
  FROM jsonb_array_elements(CAST($1 AS JSONB)) WITH ORDINALITY AS r(value, place)
 ORDER BY r.place;

-- name: event_read
SELECT seq, workspace_id, type, project_id, job_id, discussion_id, subject, data, created_at
  FROM events
 WHERE seq > $1
 ORDER BY seq
 LIMIT $2;

-- name: event_last
SELECT COALESCE(MAX(seq), 0) FROM events;

-- name: event_first
SELECT COALESCE(MIN(seq), 0) FROM events;

-- The rows are numbered by a statement of its own, since only its snapshot is sure to be younger than the
-- lock and so shows the last number that another node gave.
-- name: event_number_claim @postgres
SELECT CASE WHEN EXISTS (SELECT 1 FROM events WHERE seq IS NULL) THEN pg_try_advisory_xact_lock(7117, 2)
            ELSE false END;

-- name: event_number_claim @sqlite
SELECT 0;

-- name: event_number @postgres only
UPDATE events
   SET seq = n.seq
  FROM (SELECT u.id, (SELECT COALESCE(MAX(seq), 0) FROM events) + row_number() OVER (ORDER BY u.id) AS seq
          FROM (SELECT id FROM events WHERE seq IS NULL ORDER BY id LIMIT $1) u) n
 WHERE events.id = n.id;

-- One word for all nodes that read the log.
-- name: event_notify @postgres only
SELECT pg_notify('witan_events', '');

-- Looks at the oldest $2 rows only: times follow the numbers closely enough, and the cost is bounded.
-- name: event_prune
DELETE FROM events
 WHERE seq IN (SELECT f.seq
                 FROM (SELECT seq, created_at FROM events WHERE seq IS NOT NULL ORDER BY seq LIMIT $2) f
                WHERE f.created_at < $1 AND f.seq < (SELECT MAX(seq) FROM events));
