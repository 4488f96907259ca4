-- Tasks. Triggers keep open_deps, the number of dependencies that are not closed.

-- name: task_insert
INSERT INTO tasks ({task_insert}) VALUES ({task_insert_values});

-- $1 is a list of the same values for each row. SQLite runs task_insert for each.
-- name: task_insert_many @postgres only
INSERT INTO tasks ({task_insert})
SELECT {task_insert_rows} FROM jsonb_array_elements(CAST($1 AS JSONB)) AS r(value);

-- name: task_get
SELECT {task}
  FROM tasks_shown
 WHERE id = $1 AND project_id = $2;

-- The tasks of the JSON list $1.
-- name: task_get_many @sqlite
SELECT {task t}
  FROM json_each($1) r CROSS JOIN tasks_shown t ON t.id = r.value
 WHERE t.project_id = $2
 ORDER BY t.id;

-- name: task_get_many @postgres
SELECT {task}
  FROM tasks_shown
 WHERE id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS JSONB)))) AND project_id = $2
 ORDER BY id;

-- What people know the tasks of the JSON list $1 by, and how they stand.
-- name: task_label_many @sqlite
SELECT {task_label t}
  FROM json_each($1) r CROSS JOIN tasks t ON t.id = r.value
 WHERE t.project_id = $2;

-- name: task_label_many @postgres
SELECT {task_label}
  FROM tasks
 WHERE id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS JSONB)))) AND project_id = $2;

-- Which ids of the JSON list $1 are tasks of the project, each once.
-- name: task_known @sqlite
SELECT DISTINCT t.id FROM json_each($1) r CROSS JOIN tasks t ON t.id = r.value
 WHERE t.project_id = $2
 ORDER BY t.id;

-- name: task_known @postgres
SELECT id FROM tasks
 WHERE id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS JSONB)))) AND project_id = $2
 ORDER BY id;

-- Nobody else changes it until this transaction ends; what it is then is read by task_get. SQLite has one
-- writer anyway.
-- name: task_lock @sqlite
SELECT id FROM tasks WHERE id = $1 AND project_id = $2;

-- name: task_lock @postgres
SELECT id FROM tasks WHERE id = $1 AND project_id = $2 FOR NO KEY UPDATE;

-- Only a task that was locked, and so is of its project, is written back.
-- name: task_save
UPDATE tasks SET {task_update} WHERE id = $1;

-- One winner: whoever comes second finds the task no longer open.
-- name: task_claim
UPDATE tasks
   SET status = 'in_progress', assignee = $3, block_reason = NULL, updated_at = $4, assignee_id = $5
 WHERE id = $1 AND project_id = $2 AND status = 'open' AND open_deps = 0;

-- name: task_delete
DELETE FROM tasks WHERE id = $1 AND project_id = $2;

-- name: task_list
SELECT {task}
  FROM tasks_shown
 WHERE workspace_id = $1 AND project_id = $2 AND id < $3
   AND (CAST($5 AS TEXT) IS NULL OR session_id = $5)
 ORDER BY id DESC
 LIMIT $4;

-- name: task_list_status
SELECT {task}
  FROM tasks_shown
 WHERE project_id = $1 AND status = $2 AND id < $3
   AND (CAST($5 AS TEXT) IS NULL OR session_id = $5)
 ORDER BY id DESC
 LIMIT $4;

-- name: task_list_assignee
SELECT {task}
  FROM tasks_shown
 WHERE project_id = $1 AND assignee = $2 AND id < $3
   AND (CAST($5 AS TEXT) IS NULL OR session_id = $5)
   AND (CAST($6 AS TEXT) IS NULL OR status = $6)
 ORDER BY id DESC
 LIMIT $4;

-- A walk along the index tasks_ready; its condition stands here word for word.
-- name: task_ready
SELECT {task}
  FROM tasks_shown
 WHERE project_id = $1 AND status = 'open' AND open_deps = 0 AND (priority, created_at, id) > ($2, $3, $4)
 ORDER BY priority, created_at, id
 LIMIT $5;

-- What a task still waits for.
-- name: task_open_deps
SELECT t.id, t.title
  FROM task_deps d JOIN tasks t ON t.id = d.depends_on
 WHERE d.task_id = $1 AND t.status <> 'closed'
 ORDER BY t.id
 LIMIT 10;

-- name: task_deps_insert
INSERT INTO task_deps (task_id, depends_on)
SELECT $1, t.id FROM tasks t WHERE t.id = $2 AND t.project_id = $3
ON CONFLICT DO NOTHING;

-- $1 is [[task_id, depends_on, project_id], ...].
-- name: task_deps_insert_many @sqlite
INSERT INTO task_deps (task_id, depends_on)
SELECT r.value ->> 0, t.id
  FROM json_each($1) r CROSS JOIN tasks t ON t.id = r.value ->> 1 AND t.project_id = r.value ->> 2
 WHERE true
ON CONFLICT DO NOTHING;

-- name: task_deps_insert_many @postgres
INSERT INTO task_deps (task_id, depends_on)
SELECT n.task_id, n.depends_on
  FROM (SELECT r.value ->> 0 AS task_id, r.value ->> 1 AS depends_on, r.value ->> 2 AS project_id
          FROM jsonb_array_elements(CAST($1 AS JSONB)) AS r(value)) n
 WHERE EXISTS (SELECT 1 FROM tasks t WHERE t.id = n.depends_on AND t.project_id = n.project_id)
ON CONFLICT DO NOTHING;

-- name: task_deps_delete
DELETE FROM task_deps WHERE task_id = $1 AND depends_on = $2;

-- $1 is [[task_id, depends_on], ...]. SQLite runs task_deps_delete for each.
-- name: task_deps_delete_many @postgres only
DELETE FROM task_deps
 USING jsonb_array_elements(CAST($1 AS JSONB)) AS r(value)
 WHERE task_deps.task_id = r.value ->> 0 AND task_deps.depends_on = r.value ->> 1;

-- Everything that the tasks of $4 in the JSON list $1 depend on, directly or not, is walked once for all of them;
-- whether $2 is among it is asked of the whole. At most $3 tasks are looked at.
-- name: task_deps_reach @sqlite
WITH RECURSIVE walk(id) AS (
    SELECT t.id FROM json_each($1) r CROSS JOIN tasks t ON t.id = r.value AND t.project_id = $4
    UNION
    SELECT d.depends_on FROM walk w JOIN task_deps d ON d.task_id = w.id)
SELECT COUNT(*), COALESCE(SUM(CASE WHEN s.id = $2 THEN 1 ELSE 0 END), 0)
  FROM (SELECT id FROM walk LIMIT $3) s;

-- OFFSET 0 keeps the planner from joining with the whole table at every step, which it likes to do while it
-- knows nothing about it yet: each step is a look into the index.
-- name: task_deps_reach @postgres
WITH RECURSIVE walk(id) AS (
    SELECT t.id
      FROM tasks t
     WHERE t.project_id = $4 AND t.id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS JSONB))))
    UNION
    SELECT n.depends_on
      FROM walk w CROSS JOIN LATERAL (SELECT d.depends_on FROM task_deps d WHERE d.task_id = w.id OFFSET 0) n)
SELECT COUNT(*), COALESCE(SUM(CASE WHEN s.id = $2 THEN 1 ELSE 0 END), 0)
  FROM (SELECT id FROM walk LIMIT $3) s;
