-- Tasks that orchestrators have out (core/runs/orchestrate.h).

-- name: take_insert
INSERT INTO coder_takes ({coder_take_insert}) VALUES ({coder_take_insert_values});

-- name: take_get
SELECT {coder_take} FROM coder_takes WHERE id = $1;

-- name: take_lock @sqlite
SELECT id FROM coder_takes WHERE id = $1;

-- name: take_lock @postgres
SELECT id FROM coder_takes WHERE id = $1 FOR UPDATE;

-- Those of the project $1, of the task $2 or all, that no runner has: it locks the jobs of its own first.
-- name: take_lock_all @sqlite
SELECT id FROM coder_takes
 WHERE project_id = $1 AND (task_id = $2 OR CAST($2 AS TEXT) IS NULL) AND (job_id IS NULL OR coder = $3);

-- name: take_lock_all @postgres
SELECT id FROM coder_takes
 WHERE project_id = $1 AND (task_id = $2 OR CAST($2 AS TEXT) IS NULL) AND (job_id IS NULL OR coder = $3)
 ORDER BY id FOR UPDATE;

-- name: take_of_job
SELECT {coder_take} FROM coder_takes WHERE job_id = $1;

-- name: take_of_task
SELECT id FROM coder_takes WHERE task_id = $1;

-- Those of the project $1 that work in a job: of the task $2, or all.
-- name: take_with_job
SELECT {coder_take} FROM coder_takes
 WHERE project_id = $1 AND job_id IS NOT NULL AND (task_id = $2 OR CAST($2 AS TEXT) IS NULL)
 ORDER BY created_at, id;

-- Those that work in a job that has not ended, on a task that is not the coder's ($1) any more.
-- name: take_astray
SELECT {coder_take} FROM coder_takes
 WHERE state = 'coding'
   AND EXISTS (SELECT 1 FROM jobs j WHERE j.id = coder_takes.job_id AND j.ended_at IS NULL)
   AND EXISTS (SELECT 1 FROM tasks k WHERE k.id = coder_takes.task_id
                AND (k.assignee IS NULL OR lower(k.assignee) <> $1
                     OR (k.status <> 'in_progress' AND k.status <> 'blocked')
                     OR (k.status = 'blocked' AND COALESCE(k.block_reason, '') <> $2)))
 ORDER BY created_at, id
 LIMIT $3;

-- name: take_job_open
SELECT id FROM jobs WHERE id = $1 AND ended_at IS NULL;

-- name: take_list
SELECT {coder_take} FROM coder_takes WHERE project_id = $1 ORDER BY created_at, id LIMIT $2;

-- It is being worked on in the job $2. A run is the runner's from here on: no node of ours has anything to do about it.
-- name: take_begin
UPDATE coder_takes SET state = 'coding', job_id = $2, wanted = CAST($3 AS BIGINT),
       node = CASE WHEN CAST($3 AS BIGINT) = 1 THEN node END
 WHERE id = $1;

-- name: take_delete
DELETE FROM coder_takes WHERE id = $1;

-- Projects that may take more than they have out: how many more. A job of the kind $3 that was cancelled after $2 and has no
-- task any more had a command whose task was deleted, and may not have ended yet.
-- name: take_room
SELECT id, workspace_id, room
  FROM (SELECT p.id, p.workspace_id,
               p.orchestrator_parallel - (SELECT COUNT(*) FROM coder_takes t WHERE t.project_id = p.id)
               - (SELECT COUNT(*) FROM jobs j
                   WHERE j.project_id = p.id AND j.task_id IS NULL AND j.kind = $3 AND j.status = 'cancelled'
                     AND j.ended_at > $2) AS room
          FROM projects p
         WHERE p.orchestrator_on = 1
           AND p.orchestrator_parallel > (SELECT COUNT(*) FROM coder_takes t WHERE t.project_id = p.id)
           AND EXISTS (SELECT 1 FROM tasks k WHERE k.project_id = p.id AND k.status = 'open' AND k.open_deps = 0)) r
 WHERE room > 0
 ORDER BY id
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

-- name: take_ours
SELECT id, epoch FROM coder_takes WHERE node = $1;

-- name: take_release
UPDATE coder_takes SET node = NULL WHERE node = $1;

-- name: take_free
UPDATE coder_takes SET node = NULL WHERE node IS NOT NULL;
