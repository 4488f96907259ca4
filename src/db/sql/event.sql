-- The log of what happened. On PostgreSQL rows get their number after their commit.

-- columns: event
seq, workspace_id, type, project_id, job_id, discussion_id, subject, data, created_at, audience;

-- name: event_insert
INSERT INTO events (workspace_id, type, project_id, job_id, discussion_id, subject, data, created_at, audience, actor_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- $1 is [[workspace_id, type, project_id, job_id, discussion_id, subject, data, created_at, audience, actor_id], ...].
-- SQLite runs event_insert for each.
-- name: event_insert_many @postgres only
INSERT INTO events (workspace_id, type, project_id, job_id, discussion_id, subject, data, created_at, audience, actor_id)
SELECT r.value ->> 0, r.value ->> 1, r.value ->> 2, r.value ->> 3, r.value ->> 4, r.value ->> 5, r.value ->> 6,
       CAST(r.value ->> 7 AS BIGINT), r.value ->> 8, r.value ->> 9
  FROM jsonb_array_elements(CAST($1 AS JSONB)) WITH ORDINALITY AS r(value, place)
 ORDER BY r.place;

-- name: event_read
SELECT {event}
  FROM events
 WHERE seq > $1
 ORDER BY seq
 LIMIT $2;

-- name: event_last
SELECT COALESCE(MAX(seq), 0) FROM events;

-- name: event_first
SELECT COALESCE(MIN(seq), 0) FROM events;

-- How many got a number, or -1 while another session gives them. Outside of a transaction the server runs this to its
-- end whatever becomes of us, so that no lock outlives it.
-- name: event_number @postgres only
SELECT witan_number_events(CAST($1 AS INTEGER));

-- Looks at the oldest $2 rows only: times follow the numbers closely enough, and the cost is bounded.
-- name: event_prune
DELETE FROM events
 WHERE seq IN (SELECT f.seq
                 FROM (SELECT seq, created_at FROM events WHERE seq IS NOT NULL ORDER BY seq LIMIT $2) f
                WHERE f.created_at < $1 AND f.seq < (SELECT MAX(seq) FROM events));
