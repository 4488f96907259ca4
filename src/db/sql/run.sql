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
   SET state = 'running', epoch = $4, attempt = attempt + CASE WHEN state = 'queued' THEN 1 ELSE 0 END, started_at = $5
 WHERE id = $1 AND job_id = $2
   AND (state = 'queued' OR (CAST($6 AS BIGINT) = 1 AND state = 'running' AND epoch = $4))
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

-- Whether people have approved this call ($2), as core/runs writes it down: behind what its model was told last ($3).
-- name: run_call_approved
SELECT 1 FROM run_entries
 WHERE job_id = $1 AND seq > $3 AND kind = 'decision' AND call_id = $2 AND data LIKE '%"rule":"people","verdict":"approved"%'
 LIMIT 1;

-- name: run_tool_approve
INSERT INTO run_approved_tools (workspace_id, name, digest, approved_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (workspace_id, name) DO UPDATE SET digest = excluded.digest, approved_at = excluded.approved_at;

-- What the runs of a project have taken since the hour $2.
-- name: run_project_spent
SELECT COALESCE(SUM(steps), 0), COALESCE(SUM(tokens), 0), COALESCE(SUM(ms), 0), COALESCE(SUM(money), 0)
  FROM project_spending WHERE project_id = $1 AND hour >= $2;

-- They take $4 steps, $5 tokens, $6 of time and $7 of money in the hour $3, whose slot is $2. A project that is gone takes nothing.
-- name: run_project_spend
INSERT INTO project_spending (project_id, slot, hour, steps, tokens, ms, money)
SELECT p.id, CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS BIGINT), CAST($5 AS BIGINT), CAST($6 AS BIGINT), CAST($7 AS BIGINT)
  FROM projects p WHERE p.id = $1
ON CONFLICT (project_id, slot) DO UPDATE
   SET steps = excluded.steps + CASE WHEN project_spending.hour = excluded.hour THEN project_spending.steps ELSE 0 END,
       tokens = excluded.tokens + CASE WHEN project_spending.hour = excluded.hour THEN project_spending.tokens ELSE 0 END,
       ms = excluded.ms + CASE WHEN project_spending.hour = excluded.hour THEN project_spending.ms ELSE 0 END,
       money = excluded.money + CASE WHEN project_spending.hour = excluded.hour THEN project_spending.money ELSE 0 END,
       hour = excluded.hour;

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

-- name: run_ours
SELECT job_id, epoch FROM runs WHERE node = $1;

-- While nobody has them their time does not count: it goes on with the next claim.
-- name: run_release
UPDATE runs SET node = NULL, began_at = NULL WHERE node = $1;

-- name: run_free
UPDATE runs SET node = NULL, began_at = NULL WHERE node IS NOT NULL;

-- One of them, under the claim that its node had.
-- name: run_let_go
UPDATE runs SET node = NULL, began_at = NULL WHERE job_id = $1 AND node = $2 AND epoch = $3;

-- What a project is called, unless others are called so, too.
-- name: run_project_name
SELECT name FROM projects AS p
 WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM projects AS other WHERE other.name = p.name AND other.id <> p.id);

-- What changes without a step: how long a run has taken until now ($2), since when its time counts (nothing while it does not), and
-- its last entry.
-- name: run_keep
UPDATE runs SET used_ms = $2, began_at = $3, last_seq = $4 WHERE job_id = $1;

-- Whether there is a project with this id or name, in whichever workspace, and whether there is more than one: two of them.
-- name: run_project_known
SELECT 1 FROM projects WHERE id = $1 OR name = $1 LIMIT 2;

-- What the tool of a call asks people ($2, and the question), or nothing any more.
-- name: run_call_elicit
UPDATE run_calls SET elicitation = $2, question_id = $3 WHERE id = $1;
