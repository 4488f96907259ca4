-- Question templates of a workspace.

-- columns: template
id, workspace_id, name, definition, created_at;

-- name: template_insert
INSERT INTO question_templates (id, workspace_id, name, name_key, definition, created_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (workspace_id, name_key) DO NOTHING
RETURNING id;

-- name: template_get
SELECT {template}
  FROM question_templates
 WHERE workspace_id = $1 AND (id = $2 OR name_key = $3)
 ORDER BY CASE WHEN id = $2 THEN 0 ELSE 1 END
 LIMIT 1;

-- name: template_list
SELECT {template}
  FROM question_templates
 WHERE workspace_id = $1 AND id < $2
 ORDER BY id DESC
 LIMIT $3;

-- A name that another template has changes nothing.
-- name: template_update
UPDATE question_templates
   SET name = $3, name_key = $4, definition = $5
 WHERE id = $1 AND workspace_id = $2
   AND NOT EXISTS (SELECT 1 FROM question_templates o
                    WHERE o.workspace_id = $2 AND o.name_key = $4 AND o.id <> $1);

-- name: template_delete
DELETE FROM question_templates WHERE id = $1 AND workspace_id = $2;
