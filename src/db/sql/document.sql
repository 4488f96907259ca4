-- Where open questions come from beside tasks: feedback, sections of the PRD, plans.

-- columns: document
source, source_id, version, author, text, created_at;

-- The same in the same places, for lists.
-- columns: document_brief
source, source_id, version, author, '' AS text, created_at;

-- name: feedback_insert
INSERT INTO feedback ({feedback_insert}) VALUES ({feedback_insert_values});

-- name: feedback_get
SELECT {feedback f},
       CASE WHEN EXISTS (SELECT 1 FROM open_questions q
                          WHERE q.project_id = f.project_id AND q.source = 'eval' AND q.source_id = f.id
                            AND q.status = 'open') THEN 1 ELSE 0 END
  FROM feedback f
 WHERE f.id = $1 AND f.project_id = $2;

-- name: feedback_list
SELECT {feedback f},
       CASE WHEN EXISTS (SELECT 1 FROM open_questions q
                          WHERE q.project_id = f.project_id AND q.source = 'eval' AND q.source_id = f.id
                            AND q.status = 'open') THEN 1 ELSE 0 END
  FROM feedback f
 WHERE f.project_id = $1 AND f.id < $2
 ORDER BY f.id DESC
 LIMIT $3;

-- name: feedback_confirmed
UPDATE feedback SET confirmed = 1 WHERE id = $1 AND project_id = $2;

-- name: feedback_handled
UPDATE feedback SET handled_at = $3 WHERE id = $1 AND project_id = $2;

-- name: document_count
SELECT COUNT(*) FROM documents WHERE project_id = $1 AND source = $2 AND version = 1;

-- name: document_insert
INSERT INTO documents (project_id, source, source_id, version, workspace_id, author, text, created_at, author_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- The version asked for, or the newest.
-- name: document_get
SELECT {document}
  FROM documents
 WHERE project_id = $1 AND source = $2 AND source_id = $3 AND (CAST($4 AS INTEGER) IS NULL OR version = $4)
 ORDER BY version DESC
 LIMIT 1;

-- name: document_history
SELECT {document_brief}
  FROM documents
 WHERE project_id = $1 AND source = $2 AND source_id = $3
 ORDER BY version DESC
 LIMIT $4;

-- The newest version of each, by name. Its text is left out.
-- name: document_list
SELECT {document_brief d}
  FROM documents d
 WHERE d.project_id = $1 AND d.source = $2
   AND NOT EXISTS (SELECT 1 FROM documents n
                    WHERE n.project_id = d.project_id AND n.source = d.source AND n.source_id = d.source_id
                      AND n.version = d.version + 1)
 ORDER BY d.source_id
 LIMIT $3;
