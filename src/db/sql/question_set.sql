-- Questions found in agents' output, in sets as they were handed in, and the one inbox row of each set.

-- name: question_set_insert
INSERT INTO open_questions ({question_set_insert}) VALUES ({question_set_insert_values});

-- name: question_set_get
SELECT {question_set}
  FROM open_questions
 WHERE id = $1 AND project_id = $2;

-- name: question_set_list
SELECT {question_set}
  FROM open_questions
 WHERE project_id = $1 AND status = 'open' AND id < $2
 ORDER BY id DESC
 LIMIT $3;

-- Everything ever asked about one source, newest first.
-- name: question_set_of_source
SELECT {question_set}
  FROM open_questions
 WHERE project_id = $1 AND source = $2 AND source_id = $3
   AND (CAST($4 AS TEXT) IS NULL OR status = $4)
 ORDER BY id DESC
 LIMIT $5;

-- Whether anything about one source is open, and what is the newest of it.
-- name: question_set_newest_open
SELECT id
  FROM open_questions
 WHERE project_id = $1 AND source = $2 AND source_id = $3 AND status = 'open'
 ORDER BY id DESC
 LIMIT 1;

-- Some of its questions are answered; it stays open. Who gave each of its answers stands in answer_ids.
-- name: question_set_answer
UPDATE open_questions SET responses = $3, answer_ids = answer_ids || CAST($4 AS TEXT)
 WHERE id = $1 AND project_id = $2 AND status = 'open';

-- First writer wins.
-- name: question_set_resolve
UPDATE open_questions
   SET status = 'resolved', responses = $3, approved = $4, outcome_source = $5, outcome_by = $6, resolved_at = $7,
       outcome_by_id = $8
 WHERE id = $1 AND project_id = $2 AND status = 'open';

-- The inbox row has the set's id, so that what is told about the one is told about the other.
-- name: question_set_inbox_add
INSERT INTO notifications (id, workspace_id, project_id, kind, priority, title, body, ref_type, ref_id, created_at)
VALUES ($1, $2, $3, $4, 'high', $5, $6, 'open_question', $1, $7);

-- name: question_set_inbox_resolve
UPDATE notifications SET resolved_at = $2
 WHERE ref_type = 'open_question' AND ref_id = $1 AND resolved_at IS NULL;
