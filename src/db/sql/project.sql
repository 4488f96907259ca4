-- Projects.

-- columns: project
id, workspace_id, name, description, hil_config, settings, created_at, orchestrator_on, orchestrator_parallel, orchestrator_coder;

-- name: project_insert
INSERT INTO projects (id, workspace_id, name, description, hil_config, settings, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7);

-- name: project_get
SELECT {project}
  FROM projects
 WHERE id = $1 AND workspace_id = $2;

-- name: project_list
SELECT {project}
  FROM projects
 WHERE workspace_id = $1 AND id < $2 AND (CAST($4 AS TEXT) IS NULL OR id = $4)
 ORDER BY id DESC
 LIMIT $3;

-- name: project_save
UPDATE projects SET name = $3, description = $4, hil_config = $5, settings = $6, orchestrator_on = $7,
       orchestrator_parallel = $8, orchestrator_coder = $9
 WHERE id = $1 AND workspace_id = $2;

-- name: project_delete
DELETE FROM projects WHERE id = $1 AND workspace_id = $2;

-- What must not happen twice at once in a project (questions come and go, dependencies change) begins with
-- this. Rows that merely refer to the project are not held up. SQLite has one writer anyway.
-- name: project_lock @sqlite
SELECT id FROM projects WHERE id = $1;

-- name: project_lock @postgres
SELECT id FROM projects WHERE id = $1 FOR NO KEY UPDATE;

-- Before it is deleted. Whoever is adding something that refers to it is waited for, and whoever comes later finds it
-- gone: what is then there is all that will ever be.
-- name: project_lock_whole @sqlite
SELECT id FROM projects WHERE id = $1;

-- name: project_lock_whole @postgres
SELECT id FROM projects WHERE id = $1 FOR UPDATE;
