-- Inboxes. A row's reader is 'agent:KEY', 'user:ID' or 'people'.

-- name: notification_insert
INSERT INTO notifications (id, workspace_id, project_id, user_id, agent_key, kind, priority, title, body, ref_type,
                           ref_id, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12);

-- name: notification_list
SELECT id, workspace_id, project_id, user_id, agent_key, kind, priority, title, body, ref_type, ref_id, created_at,
       read_at, resolved_at
  FROM notifications
 WHERE workspace_id = $1 AND reader = $2 AND id < $3
 ORDER BY id DESC
 LIMIT $4;

-- name: notification_list_unread
SELECT id, workspace_id, project_id, user_id, agent_key, kind, priority, title, body, ref_type, ref_id, created_at,
       read_at, resolved_at
  FROM notifications
 WHERE workspace_id = $1 AND reader = $2 AND id < $3 AND read_at IS NULL
 ORDER BY id DESC
 LIMIT $4;

-- name: notification_get
SELECT id, workspace_id, project_id, user_id, agent_key, kind, priority, title, body, ref_type, ref_id, created_at,
       read_at, resolved_at
  FROM notifications
 WHERE id = $1 AND workspace_id = $2;

-- name: notification_pending
SELECT COUNT(*)
  FROM notifications
 WHERE workspace_id = $1 AND reader = $2 AND read_at IS NULL AND resolved_at IS NULL;

-- name: notification_read
UPDATE notifications SET read_at = $3 WHERE id = $1 AND workspace_id = $2 AND read_at IS NULL;

-- name: notification_read_all
UPDATE notifications SET read_at = $3 WHERE workspace_id = $1 AND reader = $2 AND read_at IS NULL;
