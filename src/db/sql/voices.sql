-- Who has replied to a prompt, by the keys of their names.

-- columns: voices
status, requester_agent, requester_key, voices, count_all, response_count;

-- name: voices_get @sqlite
SELECT {voices} FROM discussion_prompts WHERE id = $1;

-- name: voices_get @postgres
SELECT {voices} FROM discussion_prompts WHERE id = $1 FOR NO KEY UPDATE;

-- name: voices_set
UPDATE discussion_prompts SET requester_fold = $2, voices = $3, response_count = $4 WHERE id = $1;

-- name: voices_set_author
UPDATE squad_chat SET agent_key = $2 WHERE id = $1;
