-- Messages of the squad chat. Triggers count replies, collect them and tell of every message.

-- name: chat_insert
INSERT INTO squad_chat ({chat_insert}, via) VALUES ({chat_insert_values}, 'call');

-- The project of a task of this workspace; what another tracker calls a task has none.
-- name: chat_task_project
SELECT project_id FROM tasks WHERE id = $1 AND workspace_id = $2;

-- In lists $5 is the project that a token is bound to: of what is about the other projects' tasks it hears
-- nothing. The index of each workspace's messages holds the project, so that those are passed over there.

-- name: chat_list
SELECT {chat}
  FROM squad_chat
 WHERE workspace_id = $1 AND (created_at, id) < ($2, $3)
   AND (CAST($5 AS TEXT) IS NULL OR project_id IS NULL OR project_id = $5)
 ORDER BY created_at DESC, id DESC
 LIMIT $4;

-- name: chat_list_thread
SELECT {chat}
  FROM squad_chat
 WHERE workspace_id = $1 AND (created_at, id) < ($2, $3) AND discussion_prompt_id = $6
   AND (CAST($7 AS TEXT) IS NULL OR task_ref = $7)
   AND (CAST($5 AS TEXT) IS NULL OR project_id IS NULL OR project_id = $5)
 ORDER BY created_at DESC, id DESC
 LIMIT $4;

-- name: chat_list_task
SELECT {chat}
  FROM squad_chat
 WHERE workspace_id = $1 AND (created_at, id) < ($2, $3) AND task_ref = $6
   AND (CAST($5 AS TEXT) IS NULL OR project_id IS NULL OR project_id = $5)
 ORDER BY created_at DESC, id DESC
 LIMIT $4;

-- The plus keeps SQLite from reading the whole workspace instead of the thread.
-- name: chat_replies @sqlite
SELECT {chat}
  FROM squad_chat
 WHERE discussion_prompt_id = $1 AND +workspace_id = $2 AND message_type = 'discussion_response'
 ORDER BY created_at, id
 LIMIT $3;

-- name: chat_replies @postgres
SELECT {chat}
  FROM squad_chat
 WHERE discussion_prompt_id = $1 AND workspace_id = $2 AND message_type = 'discussion_response'
 ORDER BY created_at, id
 LIMIT $3;
