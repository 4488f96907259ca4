-- Question templates of a workspace.

-- name: template_insert
INSERT INTO question_templates ({template_insert}) VALUES ({template_insert_values})
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
   SET {template_update}
 WHERE id = $1
   AND NOT EXISTS (SELECT 1 FROM question_templates o
                    WHERE o.workspace_id = question_templates.workspace_id AND o.name_key = $3 AND o.id <> $1);

-- name: template_delete
DELETE FROM question_templates WHERE id = $1 AND workspace_id = $2;
