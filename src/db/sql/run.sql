-- Jobs that witan runs itself: their rows, logs and calls. Their members stand in src/core/runs/run.noun, run_entry.noun and
-- run_call.noun.

-- name: run_insert
INSERT INTO runs ({run_insert}) VALUES ({run_insert_values});

-- name: run_load
SELECT {run r} FROM runs r WHERE r.job_id = $1;

-- What a holder changes: $21 how much of the news it has looked at, $22 whether it is wanted (2: never again; 0: unless there
-- is more news), $23 whether it is kept, $24 the node, $25 its epoch.
-- name: run_update
UPDATE runs
   SET {run_update}, news = news - $21,
       wanted = CASE WHEN $22 = 2 THEN 0 WHEN $22 = 1 OR news > $21 THEN 1 ELSE 0 END,
       node = CASE WHEN $23 = 1 THEN node END
 WHERE job_id = $1 AND node = $24 AND epoch = $25;

-- A call is begun by who holds its run: $1 the call, $2 its job, $3 the node, $4 its epoch, $5 now.
-- name: run_call_begin
UPDATE run_calls
   SET state = 'running', epoch = $4, attempt = attempt + 1, started_at = $5
 WHERE id = $1 AND job_id = $2 AND state = 'queued'
   AND EXISTS (SELECT 1 FROM runs r WHERE r.job_id = $2 AND r.node = $3 AND r.epoch = $4);

-- Answers to questions that nobody waited for, which the model has not been told.
-- name: run_late_answers
SELECT c.id, q.question, CAST(q.response AS TEXT), q.outcome_by
  FROM run_calls c JOIN agent_questions q ON q.id = c.question_id
 WHERE c.job_id = $1 AND c.state = 'done' AND c.name = 'ask_question'
   AND q.type = 'non_blocking' AND q.status = 'answered' AND q.outcome_source <> 'default'
   AND NOT EXISTS (SELECT 1 FROM run_entries e
                    WHERE e.job_id = c.job_id AND e.kind = 'note' AND e.call_id = c.id)
 ORDER BY c.step, c.position;

-- What a tool was when it was last approved in this workspace.
-- name: run_tool_approved
SELECT digest FROM run_approved_tools WHERE workspace_id = $1 AND name = $2;

-- name: run_tool_approve
INSERT INTO run_approved_tools (workspace_id, name, digest, approved_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (workspace_id, name) DO UPDATE SET digest = excluded.digest, approved_at = excluded.approved_at;

-- What the other runs of a project have taken that were made since $2.
-- name: run_project_spent
SELECT COALESCE(SUM(tokens_in + tokens_out), 0), COALESCE(SUM(money), 0)
  FROM runs
 WHERE project_id = $1 AND created_at >= $2 AND job_id <> $3;

-- name: run_entry_insert
INSERT INTO run_entries ({run_entry_insert}) VALUES ({run_entry_insert_values});

-- $1 is a list of the same values for each row. SQLite runs run_entry_insert for each.
-- name: run_entry_insert_many @postgres only
INSERT INTO run_entries ({run_entry_insert})
SELECT {run_entry_insert_rows} FROM jsonb_array_elements(CAST($1 AS JSONB)) AS r(value);

-- $2: behind which; $3 rows at most.
-- name: run_entry_list
SELECT {run_entry e} FROM run_entries e WHERE e.job_id = $1 AND e.seq > $2 ORDER BY e.seq LIMIT $3;

-- name: run_entry_list_newest
SELECT {run_entry e} FROM run_entries e WHERE e.job_id = $1 AND e.seq < $2 ORDER BY e.seq DESC LIMIT $3;

-- What the model is told at first, whatever was condensed since.
-- name: run_entry_opening
SELECT {run_entry e} FROM run_entries e
 WHERE e.job_id = $1 AND e.seq <= 2 AND e.kind IN ('instructions', 'input')
 ORDER BY e.seq;

-- The summary that stands for what was said until then ($2 is the entry up to which it does).
-- name: run_entry_condensed
SELECT {run_entry e} FROM run_entries e
 WHERE e.job_id = $1 AND e.kind = 'condensed' AND e.seq > $2
 ORDER BY e.seq DESC
 LIMIT 1;

-- name: run_call_insert
INSERT INTO run_calls ({run_call_insert}) VALUES ({run_call_insert_values});

-- name: run_call_insert_many @postgres only
INSERT INTO run_calls ({run_call_insert})
SELECT {run_call_insert_rows} FROM jsonb_array_elements(CAST($1 AS JSONB)) AS r(value);

-- name: run_call_update
UPDATE run_calls SET {run_call_update} WHERE id = $1;

-- name: run_call_update_many @postgres only
UPDATE run_calls SET {run_call_update_rows}
  FROM jsonb_array_elements(CAST($1 AS JSONB)) AS r(value)
 WHERE run_calls.id = r.value ->> 0;

-- The calls of one reply ($2), in their order.
-- name: run_call_list
SELECT {run_call c} FROM run_calls c WHERE c.job_id = $1 AND c.step = $2 ORDER BY c.position;

-- name: run_call_open
SELECT {run_call c} FROM run_calls c WHERE c.job_id = $1 AND c.state <> 'done' ORDER BY c.step, c.position;

-- Those that entries of a page are about: $2 from, $3 to which entry.
-- name: run_call_of_entries
SELECT {run_call c} FROM run_calls c
 WHERE c.id IN (SELECT e.call_id FROM run_entries e
                 WHERE e.job_id = $1 AND e.seq >= $2 AND e.seq <= $3 AND e.call_id IS NOT NULL);

-- Runs as rows that a node holds (core/holding/holding.h).

-- name: run_wanting @sqlite
SELECT job_id, epoch FROM runs WHERE wanted = 1 AND node IS NULL ORDER BY created_at, job_id LIMIT $1;

-- name: run_wanting @postgres
SELECT job_id, epoch FROM runs
 WHERE wanted = 1 AND node IS NULL
 ORDER BY created_at, job_id
 LIMIT $1
   FOR NO KEY UPDATE SKIP LOCKED;

-- name: run_take
UPDATE runs SET node = $2, epoch = epoch + 1 WHERE job_id = $1;

-- name: run_held
SELECT node, epoch FROM runs WHERE job_id = $1;

-- name: run_release
UPDATE runs SET node = NULL WHERE node = $1;

-- name: run_free
UPDATE runs SET node = NULL WHERE node IS NOT NULL;

-- name: run_project_name
SELECT name FROM projects WHERE id = $1;

-- What the tool of a call asks people ($2, and the question), or nothing any more.
-- name: run_call_elicit
UPDATE run_calls SET elicitation = $2, question_id = $3 WHERE id = $1;
