-- Turns that are open: asked for and not yet logged.

-- columns: turn
id, workspace_id, discussion_id, kind, round_number, turn_index, participant_id, agent_id, user_id, speaker, role,
state, attempt, without_stops, due_ms, partial, started_at, created_at, calls, tokens_in, tokens_out, usage_missing;

-- name: turn_insert
INSERT INTO discussion_turns (id, workspace_id, discussion_id, kind, round_number, turn_index, participant_id, agent_id,
                              user_id, speaker, role, agent_key, state, due_ms, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15);

-- name: turn_list
SELECT {turn} FROM discussion_turns WHERE discussion_id = $1 ORDER BY kind, round_number, turn_index;

-- name: turn_get
SELECT {turn} FROM discussion_turns WHERE id = $1;

-- name: turn_save
UPDATE discussion_turns
   SET state = $2, attempt = $3, without_stops = $4, partial = $5, started_at = $6, calls = $7, tokens_in = $8,
       tokens_out = $9, usage_missing = $10
 WHERE id = $1;

-- name: turn_partial
UPDATE discussion_turns SET partial = $2 WHERE id = $1 AND state = 'calling';

-- name: turn_delete
DELETE FROM discussion_turns WHERE id = $1;

-- name: turn_delete_all
DELETE FROM discussion_turns WHERE discussion_id = $1;

-- Calls that were out when their node died are made again, and count as made.
-- name: turn_requeue
UPDATE discussion_turns SET state = 'queued', calls = calls + 1, usage_missing = usage_missing + 1
 WHERE discussion_id = $1 AND state = 'calling';

-- name: turn_requeue_count
UPDATE discussion_state SET calls = calls + $2, usage_missing = usage_missing + $2 WHERE discussion_id = $1;

-- A pause does not use up anybody's time: what was due before $2 is due then.
-- name: turn_extend
UPDATE discussion_turns SET due_ms = $2, partial = NULL WHERE discussion_id = $1 AND due_ms IS NOT NULL AND due_ms < $2
   AND created_at < $3;

-- Open turns of an agent, whose discussions have not been locked.
-- name: turn_of_agent
SELECT id, discussion_id FROM discussion_turns WHERE agent_id = $1 ORDER BY discussion_id, id;

-- What waits for an agent ($2, folded), for a person ($3), or for anybody; $4: only this project's.
-- name: turn_waiting
SELECT {turn t}, s.topic, s.project_id, s.mode
  FROM discussion_turns t JOIN discussion_state s ON s.discussion_id = t.discussion_id
 WHERE t.workspace_id = $1 AND t.state = 'outside' AND s.status = 'active'
   AND (CAST($2 AS TEXT) IS NULL OR t.agent_key = $2)
   AND (CAST($3 AS TEXT) IS NULL OR (t.agent_key IS NULL AND (t.user_id IS NULL OR t.user_id = $3)))
   AND (CAST($4 AS TEXT) IS NULL OR s.project_id = $4)
   AND t.id > $5
 ORDER BY t.id
 LIMIT $6;

-- name: turn_due @sqlite
SELECT id, discussion_id FROM discussion_turns
 WHERE due_ms < $1
   AND discussion_id IN (SELECT discussion_id FROM discussion_state WHERE status = 'active')
 ORDER BY due_ms LIMIT $2;

-- name: turn_due @postgres
SELECT t.id, t.discussion_id FROM discussion_turns t JOIN discussion_state s ON s.discussion_id = t.discussion_id
 WHERE t.due_ms < $1 AND s.status = 'active'
 ORDER BY t.due_ms LIMIT $2
   FOR NO KEY UPDATE OF s SKIP LOCKED;

-- name: turn_next_due
SELECT t.due_ms FROM discussion_turns t JOIN discussion_state s ON s.discussion_id = t.discussion_id
 WHERE t.due_ms IS NOT NULL AND s.status = 'active'
 ORDER BY t.due_ms LIMIT 1;

-- What others than this node ($1) have saved of what is being said there.
-- name: turn_spoken_elsewhere
SELECT {turn t}, s.project_id
  FROM discussion_turns t JOIN discussion_state s ON s.discussion_id = t.discussion_id
 WHERE t.state = 'calling' AND t.kind = 'turn' AND t.partial IS NOT NULL AND s.driver <> $1
 ORDER BY t.id
 LIMIT $2;

-- Discussions as rows that a node holds (core/holding/holding.h).

-- name: drive_wanting @sqlite
SELECT discussion_id, driver_epoch FROM discussion_state
 WHERE wants_drive = 1 AND driver IS NULL
 ORDER BY updated_at
 LIMIT $1;

-- name: drive_wanting @postgres
SELECT discussion_id, driver_epoch FROM discussion_state
 WHERE wants_drive = 1 AND driver IS NULL
 ORDER BY updated_at
 LIMIT $1
   FOR NO KEY UPDATE SKIP LOCKED;

-- name: drive_take
UPDATE discussion_state SET driver = $2, driver_epoch = driver_epoch + 1 WHERE discussion_id = $1;

-- name: drive_held
SELECT driver, driver_epoch FROM discussion_state WHERE discussion_id = $1;

-- name: drive_ours
SELECT discussion_id, driver_epoch FROM discussion_state WHERE driver = $1;

-- name: drive_release
UPDATE discussion_state SET driver = NULL WHERE driver = $1;

-- name: drive_free
UPDATE discussion_state SET driver = NULL WHERE driver IS NOT NULL;
