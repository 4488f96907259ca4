-- Questions to people. Whole rows come from the view question_rows; their members stand in
-- src/core/questions/question.noun.

-- name: question_insert
INSERT INTO agent_questions ({question_insert}) VALUES ({question_insert_values});

-- name: question_get
SELECT {question} FROM question_rows WHERE id = $1 AND workspace_id = $2;

-- The task that its job works on.
-- name: question_task
SELECT t.id, t.title FROM jobs j JOIN tasks t ON t.id = j.task_id WHERE j.id = $1 AND j.workspace_id = $2;

-- $1 is a JSON list of ids. The plus keeps SQLite from reading the whole workspace instead.
-- name: question_get_many @sqlite
SELECT {question} FROM question_rows WHERE +workspace_id = $2 AND id IN (SELECT value FROM json_each($1));

-- name: question_get_many @postgres
SELECT {question} FROM question_rows
 WHERE workspace_id = $2 AND id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS JSONB))));

-- The open questions of a locked job, and of several; then $1 is a JSON list of the jobs' ids.
-- name: question_open_of_job
SELECT {question} FROM question_rows WHERE status = 'pending' AND job_id = $1 ORDER BY sort_at, id;

-- name: question_open_of_jobs @sqlite
SELECT {question} FROM question_rows
 WHERE status = 'pending' AND job_id IN (SELECT value FROM json_each($1))
 ORDER BY sort_at, id;

-- name: question_open_of_jobs @postgres
SELECT {question} FROM question_rows
 WHERE status = 'pending' AND job_id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS JSONB))))
 ORDER BY sort_at, id;

-- What has ended keeps the status it ended with. $2 is the status.
-- name: question_update
UPDATE agent_questions SET {question_update} WHERE id = $1 AND (status = 'pending' OR status = $2);

-- $1 is a list of the same values for each row. SQLite runs question_update for each.
-- name: question_update_many @postgres only
UPDATE agent_questions SET {question_update_rows}
  FROM jsonb_array_elements(CAST($1 AS JSONB)) AS r(value)
 WHERE agent_questions.id = ANY (ARRAY(SELECT jsonb_array_elements(CAST($1 AS JSONB)) ->> 0))
   AND agent_questions.id = r.value ->> 0
   AND (agent_questions.status = 'pending' OR agent_questions.status = r.value ->> 1);

-- name: question_list_job
SELECT {question} FROM question_rows
 WHERE job_id = $1 AND (sort_at, id) > ($2, $3)
 ORDER BY sort_at, id
 LIMIT $4;

-- How many a job has asked since a moment. Those that were made while we waited for the job's lock, and so are younger
-- than this call, count as well. What witan itself asks about a run does not (question_ask.c).
-- name: question_count_asked
SELECT COUNT(*) FROM agent_questions
 WHERE job_id = $1 AND created_at > $2
   AND (metadata IS NULL OR asked_by_id IS NULL OR asked_by_id <> 'system');

-- What is open: $1 workspace, $2 and $3 where the page before ended, $4 rows at most, $5 now, $6 a type or
-- NULL, $7 a project or NULL. What is overdue is not open, whether or not a row says so yet.
-- name: question_pending_oldest
SELECT {question} FROM question_rows
 WHERE workspace_id = $1 AND status = 'pending' AND (sort_at, id) > ($2, $3) AND (due_at IS NULL OR due_at >= $5)
   AND (CAST($6 AS TEXT) IS NULL OR type = $6)
   AND (CAST($7 AS TEXT) IS NULL OR project_id = $7)
 ORDER BY sort_at, id
 LIMIT $4;

-- name: question_pending_dated
SELECT {question} FROM question_rows
 WHERE workspace_id = $1 AND status = 'pending' AND due_at IS NOT NULL AND (due_at, id) > ($2, $3) AND due_at >= $5
   AND (CAST($6 AS TEXT) IS NULL OR type = $6)
   AND (CAST($7 AS TEXT) IS NULL OR project_id = $7)
 ORDER BY due_at, id
 LIMIT $4;

-- Reached only when few are dated, so passing over those costs little. No time is asked for here, so the
-- numbers after $4 are one lower.
-- name: question_pending_undated
SELECT {question} FROM question_rows
 WHERE workspace_id = $1 AND status = 'pending' AND due_at IS NULL AND (sort_at, id) > ($2, $3)
   AND (CAST($5 AS TEXT) IS NULL OR type = $5)
   AND (CAST($6 AS TEXT) IS NULL OR project_id = $6)
 ORDER BY sort_at, id
 LIMIT $4;

-- What has ended one way, newest first: $1 workspace, $2 the id that the page before ended with, $3 rows at most, $4 the
-- status, $5 a type or NULL, $6 a project or NULL, $7 who asked or NULL. The first line on the status is the index's.
-- name: question_ended
SELECT {question} FROM question_rows
 WHERE workspace_id = $1 AND id < $2
   AND status <> 'pending' AND status = $4
   AND (CAST($5 AS TEXT) IS NULL OR type = $5)
   AND (CAST($6 AS TEXT) IS NULL OR project_id = $6)
   AND (CAST($7 AS TEXT) IS NULL OR asked_by = $7)
 ORDER BY id DESC
 LIMIT $3;

-- How many somebody has ended by an answer: $1 workspace, $2 whom, $3 since when, $4 counted at most.
-- name: question_answered_count
SELECT COUNT(*)
  FROM (SELECT 1 FROM agent_questions
         WHERE workspace_id = $1 AND responded_by = $2 AND responded_at >= $3 AND status = 'answered'
         LIMIT $4) AS mine;

-- The key is a hash: whoever asks compares the texts as well.
-- name: question_similar
SELECT {question} FROM question_rows
 WHERE question_key = $1 AND status = 'pending' AND workspace_id = $2 AND id <> $3
   AND (due_at IS NULL OR due_at >= $4)
   AND (CAST($6 AS TEXT) IS NULL OR project_id = $6)
 ORDER BY id
 LIMIT $5;

-- name: question_precedents
SELECT {question} FROM question_rows
 WHERE question_key = $1 AND outcome_source = 'human' AND workspace_id = $2 AND id <> $3
   AND (CAST($5 AS TEXT) IS NULL OR project_id = $5)
 ORDER BY id DESC
 LIMIT $4;

-- name: question_open_in_project
SELECT id FROM agent_questions WHERE project_id = $1 AND status = 'pending' ORDER BY id LIMIT $2;

-- name: question_next_due
SELECT witan_time(timeout_at) FROM agent_questions
 WHERE status = 'pending' AND timeout_at IS NOT NULL
 ORDER BY timeout_at
 LIMIT 1;

-- Somebody who can be asked by name: $2 an id, $3 a folded name, $4 the roles of those who answer, each between spaces,
-- $5 the key of one whose name was another's too.
-- name: question_person
SELECT u.id, u.name, m.role
  FROM members m JOIN users u ON u.id = m.user_id
 WHERE m.workspace_id = $1 AND (u.id = $2 OR u.name_key IN ($3, $5)) AND u.disabled_at IS NULL
   AND $4 LIKE '% ' || m.role || ' %'
 ORDER BY CASE WHEN u.id = $2 THEN 0 WHEN u.name_key = $5 THEN 1 ELSE 2 END
 LIMIT 1;

-- Who may answer in a workspace, by name: $2 how many at most, $3 the same roles.
-- name: question_candidates
SELECT u.id, u.name, m.role
  FROM members m JOIN users u ON u.id = m.user_id
 WHERE m.workspace_id = $1 AND u.disabled_at IS NULL AND $3 LIKE '% ' || m.role || ' %'
 ORDER BY u.name_key
 LIMIT $2;

-- The people whom a project names; $2 is a JSON list of ids and folded names, $3 the same roles.
-- name: question_people @sqlite
SELECT u.id
  FROM members m JOIN users u ON u.id = m.user_id
 WHERE m.workspace_id = $1 AND u.disabled_at IS NULL AND $3 LIKE '% ' || m.role || ' %'
   AND (u.id IN (SELECT value FROM json_each($2)) OR u.name_key IN (SELECT value FROM json_each($2)))
 ORDER BY u.id;

-- name: question_people @postgres
SELECT u.id
  FROM members m JOIN users u ON u.id = m.user_id
 WHERE m.workspace_id = $1 AND u.disabled_at IS NULL AND $3 LIKE '% ' || m.role || ' %'
   AND (u.id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($2 AS JSONB))))
        OR u.name_key = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($2 AS JSONB)))))
 ORDER BY u.id;

-- $1 is a JSON list of projects' ids.
-- name: question_projects @sqlite
SELECT id, settings FROM projects WHERE workspace_id = $2 AND id IN (SELECT value FROM json_each($1));

-- name: question_projects @postgres
SELECT id, settings FROM projects
 WHERE workspace_id = $2 AND id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS JSONB))));
