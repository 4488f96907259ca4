-- Tasks that orchestrators have out (core/runs/orchestrate.h).

-- name: take_insert
INSERT INTO coder_takes ({coder_take_insert}) VALUES ({coder_take_insert_values});

-- name: take_get
SELECT {coder_take} FROM coder_takes WHERE id = $1;

-- name: take_lock @sqlite
SELECT id FROM coder_takes WHERE id = $1;

-- name: take_lock @postgres
SELECT id FROM coder_takes WHERE id = $1 FOR UPDATE;

-- name: take_of_job
SELECT {coder_take} FROM coder_takes WHERE job_id = $1;

-- name: take_list
SELECT {coder_take} FROM coder_takes WHERE project_id = $1 ORDER BY created_at, id LIMIT $2;

-- It is being worked on in the job $2. A run is the runner's from here on: no node of ours has anything to do about it.
-- name: take_begin
UPDATE coder_takes SET state = 'coding', job_id = $2, wanted = CAST($3 AS BIGINT),
       node = CASE WHEN CAST($3 AS BIGINT) = 1 THEN node END
 WHERE id = $1;

-- name: take_delete
DELETE FROM coder_takes WHERE id = $1;

-- Projects that may take more than they have out: how many more.
-- name: take_room
SELECT p.id, p.workspace_id, p.orchestrator_parallel - (SELECT COUNT(*) FROM coder_takes t WHERE t.project_id = p.id)
  FROM projects p
 WHERE p.orchestrator_on = 1
   AND p.orchestrator_parallel > (SELECT COUNT(*) FROM coder_takes t WHERE t.project_id = p.id)
   AND EXISTS (SELECT 1 FROM tasks k WHERE k.project_id = p.id AND k.status = 'open' AND k.open_deps = 0)
 ORDER BY p.id
 LIMIT $1;

-- Runs that have ended without a result: failed, or cancelled.
-- name: take_left
UPDATE coder_takes SET wanted = 1
 WHERE wanted = 0
   AND EXISTS (SELECT 1 FROM jobs j WHERE j.id = coder_takes.job_id AND j.ended_at IS NOT NULL);

-- Takes as rows that a node holds (core/holding/holding.h).

-- name: take_wanting @sqlite
SELECT id, epoch FROM coder_takes WHERE wanted = 1 AND node IS NULL ORDER BY created_at LIMIT $1;

-- name: take_wanting @postgres
SELECT id, epoch FROM coder_takes WHERE wanted = 1 AND node IS NULL ORDER BY created_at LIMIT $1
   FOR NO KEY UPDATE SKIP LOCKED;

-- name: take_take
UPDATE coder_takes SET node = $2, epoch = epoch + 1 WHERE id = $1;

-- name: take_held
SELECT node, epoch FROM coder_takes WHERE id = $1;

-- name: take_release
UPDATE coder_takes SET node = NULL WHERE node = $1;

-- name: take_free
UPDATE coder_takes SET node = NULL WHERE node IS NOT NULL;
