-- Jobs and their logs. Their members stand in src/core/questions/job.noun and job_line.noun.

-- name: job_insert
INSERT INTO jobs ({job_insert}) VALUES ({job_insert_values});

-- $3 is now: a deadline that has passed must be applied before anything is said about the job.
-- name: job_get
SELECT {job j},
       EXISTS (SELECT 1 FROM agent_questions q
                WHERE q.job_id = j.id AND q.status = 'pending' AND q.timeout_at < $3)
  FROM jobs j
 WHERE j.id = $1 AND j.workspace_id = $2;

-- What must be there when a job names it.
-- name: job_places
SELECT (SELECT COUNT(*) FROM projects p WHERE p.id = CAST($2 AS TEXT) AND p.workspace_id = $1),
       (SELECT COUNT(*) FROM tasks t WHERE t.id = CAST($3 AS TEXT) AND t.workspace_id = $1),
       (SELECT t.project_id FROM tasks t WHERE t.id = CAST($3 AS TEXT) AND t.workspace_id = $1);

-- The lists: $1 workspace, $2 the id where the page before ended, $3 rows at most, $4 now, then what to filter by, each
-- of them NULL where it does not matter: $5 status, $6 agent, $7 kind, $8 project, $9 task. $10 says whether those are
-- wanted that were made for a single question, or the others. They differ in the index that serves them, and come
-- newest first or, with `oldest` in their name, the other way round.

-- columns: job_due
EXISTS (SELECT 1 FROM agent_questions due
         WHERE due.job_id = .id AND due.status = 'pending' AND due.timeout_at < $4) AS is_due;

-- columns: job_wanted
((CAST($5 AS TEXT) IS NULL OR .status = $5)
   AND (CAST($6 AS TEXT) IS NULL OR .agent = $6)
   AND (CAST($7 AS TEXT) IS NULL OR .kind = $7)
   AND (CAST($8 AS TEXT) IS NULL OR .project_id = $8)
   AND (CAST($9 AS TEXT) IS NULL OR .task_id = $9)) AS is_wanted;

-- name: job_list
SELECT {job j}, {job_due j}
  FROM jobs j
 WHERE j.workspace_id = $1 AND j.lone = $10 AND j.id < $2
   AND {job_wanted j}
 ORDER BY j.id DESC
 LIMIT $3;

-- name: job_list_oldest
SELECT {job j}, {job_due j}
  FROM jobs j
 WHERE j.workspace_id = $1 AND j.lone = $10 AND j.id > $2
   AND {job_wanted j}
 ORDER BY j.id
 LIMIT $3;

-- name: job_list_status
SELECT {job j}, {job_due j}
  FROM jobs j
 WHERE j.workspace_id = $1 AND j.status = CAST($5 AS TEXT) AND j.lone = $10 AND j.id < $2
   AND {job_wanted j}
 ORDER BY j.id DESC
 LIMIT $3;

-- name: job_list_status_oldest
SELECT {job j}, {job_due j}
  FROM jobs j
 WHERE j.workspace_id = $1 AND j.status = CAST($5 AS TEXT) AND j.lone = $10 AND j.id > $2
   AND {job_wanted j}
 ORDER BY j.id
 LIMIT $3;

-- name: job_list_project
SELECT {job j}, {job_due j}
  FROM jobs j
 WHERE j.workspace_id = $1 AND j.project_id = CAST($8 AS TEXT) AND j.lone = $10 AND j.id < $2
   AND {job_wanted j}
 ORDER BY j.id DESC
 LIMIT $3;

-- name: job_list_project_oldest
SELECT {job j}, {job_due j}
  FROM jobs j
 WHERE j.workspace_id = $1 AND j.project_id = CAST($8 AS TEXT) AND j.lone = $10 AND j.id > $2
   AND {job_wanted j}
 ORDER BY j.id
 LIMIT $3;

-- name: job_list_task
SELECT {job j}, {job_due j}
  FROM jobs j
 WHERE j.workspace_id = $1 AND j.task_id = CAST($9 AS TEXT) AND j.lone = $10 AND j.id < $2
   AND {job_wanted j}
 ORDER BY j.id DESC
 LIMIT $3;

-- name: job_list_task_oldest
SELECT {job j}, {job_due j}
  FROM jobs j
 WHERE j.workspace_id = $1 AND j.task_id = CAST($9 AS TEXT) AND j.lone = $10 AND j.id > $2
   AND {job_wanted j}
 ORDER BY j.id
 LIMIT $3;

-- name: job_list_agent
SELECT {job j}, {job_due j}
  FROM jobs j
 WHERE j.workspace_id = $1 AND j.agent = CAST($6 AS TEXT) AND j.lone = $10 AND j.id < $2
   AND {job_wanted j}
 ORDER BY j.id DESC
 LIMIT $3;

-- name: job_list_agent_oldest
SELECT {job j}, {job_due j}
  FROM jobs j
 WHERE j.workspace_id = $1 AND j.agent = CAST($6 AS TEXT) AND j.lone = $10 AND j.id > $2
   AND {job_wanted j}
 ORDER BY j.id
 LIMIT $3;

-- name: job_list_kind
SELECT {job j}, {job_due j}
  FROM jobs j
 WHERE j.workspace_id = $1 AND j.kind = CAST($7 AS TEXT) AND NOT j.lone AND j.lone = $10 AND j.id < $2
   AND {job_wanted j}
 ORDER BY j.id DESC
 LIMIT $3;

-- name: job_list_kind_oldest
SELECT {job j}, {job_due j}
  FROM jobs j
 WHERE j.workspace_id = $1 AND j.kind = CAST($7 AS TEXT) AND NOT j.lone AND j.lone = $10 AND j.id > $2
   AND {job_wanted j}
 ORDER BY j.id
 LIMIT $3;

-- By the words of a job, or where it was made for a question of that: $11 and $12 are the beginning that one word must have
-- and what comes after all such words, $13 the word that most of the work is spared by, $14..$16 further ones.
-- columns: job_found
((CAST($11 AS TEXT) IS NULL OR CAST($13 AS TEXT) IS NULL
    OR EXISTS (SELECT 1 FROM search_words s WHERE s.ref_id = .ref_id AND s.word >= $11 AND s.word < $12))
   AND (CAST($14 AS TEXT) IS NULL
        OR EXISTS (SELECT 1 FROM search_words s WHERE s.ref_id = .ref_id AND s.word = $14))
   AND (CAST($15 AS TEXT) IS NULL
        OR EXISTS (SELECT 1 FROM search_words s WHERE s.ref_id = .ref_id AND s.word = $15))) AS is_found;

-- name: job_list_text
SELECT {job j}, {job_due j}
  FROM (SELECT ref_id FROM search_words WHERE workspace_id = $1 AND word = CAST($13 AS TEXT)
        UNION
        SELECT ref_id FROM search_words
         WHERE CAST($13 AS TEXT) IS NULL AND workspace_id = $1
           AND word >= CAST($11 AS TEXT) AND word < CAST($12 AS TEXT)) w
       LEFT JOIN agent_questions q ON q.id = w.ref_id
       CROSS JOIN jobs j
 WHERE (q.id IS NOT NULL) = $10 AND j.id = COALESCE(q.job_id, w.ref_id)
   AND j.workspace_id = $1 AND j.lone = $10 AND j.id < $2
   AND {job_wanted j} AND {job_found w}
   AND (CAST($16 AS TEXT) IS NULL
        OR EXISTS (SELECT 1 FROM search_words s WHERE s.ref_id = w.ref_id AND s.word = $16))
 ORDER BY j.id DESC
 LIMIT $3;

-- name: job_list_text_oldest
SELECT {job j}, {job_due j}
  FROM (SELECT ref_id FROM search_words WHERE workspace_id = $1 AND word = CAST($13 AS TEXT)
        UNION
        SELECT ref_id FROM search_words
         WHERE CAST($13 AS TEXT) IS NULL AND workspace_id = $1
           AND word >= CAST($11 AS TEXT) AND word < CAST($12 AS TEXT)) w
       LEFT JOIN agent_questions q ON q.id = w.ref_id
       CROSS JOIN jobs j
 WHERE (q.id IS NOT NULL) = $10 AND j.id = COALESCE(q.job_id, w.ref_id)
   AND j.workspace_id = $1 AND j.lone = $10 AND j.id > $2
   AND {job_wanted j} AND {job_found w}
   AND (CAST($16 AS TEXT) IS NULL
        OR EXISTS (SELECT 1 FROM search_words s WHERE s.ref_id = w.ref_id AND s.word = $16))
 ORDER BY j.id
 LIMIT $3;

-- On PostgreSQL ids are looked up as arrays: whatever it believes about the size of a table, it then goes
-- through the index and does not read the whole.

-- Jobs are locked before their questions, in the order of their ids; inputs and results, which may be large,
-- are left out. SQLite has one writer anyway.
-- name: job_lock @sqlite
SELECT {job_brief j}, 0
  FROM jobs j
 WHERE j.id = $1 AND j.workspace_id = $2;

-- name: job_lock @postgres
SELECT {job_brief j}, false
  FROM jobs j
 WHERE j.id = $1 AND j.workspace_id = $2
   FOR NO KEY UPDATE;

-- A job that witan runs itself, whoever calls.
-- name: job_lock_run @sqlite
SELECT {job_brief j}, 0
  FROM jobs j
 WHERE j.id = $1 AND EXISTS (SELECT 1 FROM runs r WHERE r.job_id = j.id);

-- name: job_lock_run @postgres
SELECT {job_brief j}, false
  FROM jobs j
 WHERE j.id = $1 AND EXISTS (SELECT 1 FROM runs r WHERE r.job_id = j.id)
   FOR NO KEY UPDATE;

-- Whether witan runs a job itself.
-- name: job_is_run
SELECT 1 FROM runs WHERE job_id = $1;

-- The job of one question.
-- name: job_lock_question @sqlite
SELECT {job_brief j}, 0
  FROM jobs j
 WHERE j.id = (SELECT job_id FROM agent_questions WHERE id = $1) AND j.workspace_id = $2;

-- name: job_lock_question @postgres
SELECT {job_brief j}, false
  FROM jobs j
 WHERE j.id = (SELECT job_id FROM agent_questions WHERE id = $1) AND j.workspace_id = $2
   FOR NO KEY UPDATE;

-- $1 is a JSON list of questions' ids.
-- name: job_lock_questions @sqlite
SELECT {job_brief j}, 0
  FROM jobs j
 WHERE j.workspace_id = $2
   AND j.id IN (SELECT q.job_id FROM agent_questions q WHERE q.id IN (SELECT value FROM json_each($1)))
 ORDER BY j.id;

-- name: job_lock_questions @postgres
SELECT {job_brief j}, false
  FROM jobs j
 WHERE j.workspace_id = $2
   AND j.id = ANY (ARRAY(SELECT q.job_id FROM agent_questions q
                          WHERE q.id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS JSONB))))))
 ORDER BY j.id
   FOR NO KEY UPDATE;

-- The jobs of questions that are overdue. Those that another node or a call holds right now are left for the
-- next time.
-- name: job_lock_due @sqlite
SELECT {job_brief j}, 0
  FROM jobs j
 WHERE j.id IN (SELECT q.job_id FROM agent_questions q
                 WHERE q.status = 'pending' AND q.timeout_at IS NOT NULL AND q.timeout_at < $1
                 ORDER BY q.timeout_at
                 LIMIT $2)
 ORDER BY j.id;

-- name: job_lock_due @postgres
SELECT {job_brief j}, false
  FROM jobs j
 WHERE j.id = ANY (ARRAY(SELECT q.job_id FROM agent_questions q
                          WHERE q.status = 'pending' AND q.timeout_at IS NOT NULL AND q.timeout_at < $1
                          ORDER BY q.timeout_at
                          LIMIT $2
                            FOR NO KEY UPDATE SKIP LOCKED))
 ORDER BY j.id
   FOR NO KEY UPDATE SKIP LOCKED;

-- name: job_update
UPDATE jobs SET {job_update} WHERE id = $1;

-- $1 is a list of the same values for each row. SQLite runs job_update for each.
-- name: job_update_many @postgres only
UPDATE jobs SET {job_update_rows}
  FROM jsonb_array_elements(CAST($1 AS JSONB)) AS r(value)
 WHERE jobs.id = ANY (ARRAY(SELECT jsonb_array_elements(CAST($1 AS JSONB)) ->> 0)) AND jobs.id = r.value ->> 0;

-- name: job_set_progress
UPDATE jobs SET progress = $2 WHERE id = $1;

-- name: job_log_insert
INSERT INTO job_logs ({job_line_insert}) VALUES ({job_line_insert_values});

-- $1 is a list of the same values for each row. SQLite runs job_log_insert for each.
-- name: job_log_insert_many @postgres only
INSERT INTO job_logs ({job_line_insert})
SELECT {job_line_insert_rows} FROM jsonb_array_elements(CAST($1 AS JSONB)) AS r(value);

-- name: job_logs
SELECT {job_line}
  FROM job_logs
 WHERE job_id = $1 AND seq > CAST($2 AS BIGINT) AND (CAST($4 AS TEXT) IS NULL OR kind = $4)
 ORDER BY seq
 LIMIT $3;

-- name: job_logs_newest
SELECT {job_line}
  FROM job_logs
 WHERE job_id = $1 AND seq < CAST($2 AS BIGINT) AND (CAST($4 AS TEXT) IS NULL OR kind = $4)
 ORDER BY seq DESC
 LIMIT $3;
