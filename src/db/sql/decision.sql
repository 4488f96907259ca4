-- Decisions of agents. One that people have to settle is a question; its row is the only one that says how.

-- Of the question that decides it, if there is one.
-- columns: decision_question
status, response, outcome_source, outcome_by, ended_at, timeout_at;

-- name: decision_insert
INSERT INTO decisions ({decision_insert}) VALUES ({decision_insert_values});

-- name: decision_get
SELECT {decision d}, {decision_question q}
  FROM decisions d LEFT JOIN question_rows q ON q.id = d.question_id
 WHERE d.id = $1 AND d.project_id = $2;

-- name: decision_list
SELECT {decision d}, {decision_question q}
  FROM decisions d LEFT JOIN question_rows q ON q.id = d.question_id
 WHERE d.project_id = $1 AND d.id < $2
 ORDER BY d.id DESC
 LIMIT $3;

-- Those that people have to settle. What is open in the workspace is little; what was ever decided is not:
-- the order of the join says so to SQLite.
-- name: decision_pending
SELECT {decision d}, {decision_question q}
  FROM question_rows q CROSS JOIN decisions d
 WHERE q.workspace_id = $4 AND q.status = 'pending' AND d.question_id = q.id
   AND d.project_id = $1 AND d.id < $2
 ORDER BY d.id DESC
 LIMIT $3;
