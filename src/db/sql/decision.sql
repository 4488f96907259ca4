-- Decisions of agents. One that people have to settle is a question; its row is the only one that says how.

-- name: decision_insert
INSERT INTO decisions (id, workspace_id, project_id, category, description, details, agent, level, question_id,
                       created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- name: decision_get
SELECT d.id, d.project_id, d.category, d.description, d.details, d.agent, d.level, d.question_id, d.created_at,
       q.status, q.response, q.outcome_source, q.outcome_by, q.ended_at, q.timeout_at
  FROM decisions d LEFT JOIN question_rows q ON q.id = d.question_id
 WHERE d.id = $1 AND d.project_id = $2;

-- name: decision_list
SELECT d.id, d.project_id, d.category, d.description, d.details, d.agent, d.level, d.question_id, d.created_at,
       q.status, q.response, q.outcome_source, q.outcome_by, q.ended_at, q.timeout_at
  FROM decisions d LEFT JOIN question_rows q ON q.id = d.question_id
 WHERE d.project_id = $1 AND d.id < $2
 ORDER BY d.id DESC
 LIMIT $3;

-- Those that people have to settle. What is open in the workspace is little; what was ever decided is not:
-- the order of the join says so to SQLite.
-- name: decision_pending
SELECT d.id, d.project_id, d.category, d.description, d.details, d.agent, d.level, d.question_id, d.created_at,
       q.status, q.response, q.outcome_source, q.outcome_by, q.ended_at, q.timeout_at
  FROM question_rows q CROSS JOIN decisions d
 WHERE q.workspace_id = $4 AND q.status = 'pending' AND d.question_id = q.id
   AND d.project_id = $1 AND d.id < $2
 ORDER BY d.id DESC
 LIMIT $3;
