-- Which project a thing belongs to: what a token that is bound to one is judged by, before anything is done.

-- name: reach_job
SELECT project_id FROM jobs WHERE id = $1 AND workspace_id = $2;

-- name: reach_question
SELECT project_id FROM agent_questions WHERE id = $1 AND workspace_id = $2;

-- name: reach_prompt
SELECT project_id FROM discussion_prompts WHERE id = $1 AND workspace_id = $2;

-- name: reach_notification
SELECT project_id FROM notifications WHERE id = $1 AND workspace_id = $2;

-- name: reach_discussion
SELECT project_id FROM discussion_state
 WHERE workspace_id = $2 AND (discussion_id = $1 OR project_id = $1)
 ORDER BY CASE WHEN discussion_id = $1 THEN 0 ELSE 1 END
 LIMIT 1;
