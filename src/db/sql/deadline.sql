-- Ends what has waited long enough. Due means that now is past the due time.

-- name: deadline_prompts @sqlite
UPDATE discussion_prompts
   SET status = 'timed_out', outcome_source = 'timeout', outcome_by = 'system', outcome_by_id = 'system', resolved_at = $2, ended_via = 'timer'
 WHERE id IN (SELECT id FROM discussion_prompts
               WHERE status IN ('pending', 'collecting') AND due_at < $1
               ORDER BY due_at
               LIMIT $3);

-- Rows that another node or a reply holds right now are left for the next time.
-- name: deadline_prompts @postgres
UPDATE discussion_prompts
   SET status = 'timed_out', outcome_source = 'timeout', outcome_by = 'system', outcome_by_id = 'system', resolved_at = $2, ended_via = 'timer'
 WHERE id IN (SELECT id FROM discussion_prompts
               WHERE status IN ('pending', 'collecting') AND due_at < $1
               ORDER BY due_at
               LIMIT $3
                 FOR NO KEY UPDATE SKIP LOCKED);

-- name: deadline_prompts_next
SELECT due_at FROM discussion_prompts WHERE status IN ('pending', 'collecting') ORDER BY due_at LIMIT 1;
