-- Letting go of what has been kept for long enough. Events, idempotency keys and audit rows have their statements
-- where the rest of theirs are.

-- name: purge_events_count
SELECT COUNT(*) FROM events WHERE created_at < $1 AND seq < (SELECT MAX(seq) FROM events);

-- Without those that idempotency_renew would keep ($2 is $1 as a time).
-- name: purge_idempotency_count
SELECT COUNT(*) FROM idempotency
 WHERE created_at < $1
   AND NOT EXISTS (SELECT 1 FROM agent_questions q
                    WHERE q.id = idempotency.question_id AND (q.status = 'pending' OR q.ended_at >= $2))
   AND NOT EXISTS (SELECT 1 FROM discussion_prompts p
                    WHERE p.id = idempotency.prompt_id
                      AND (p.status IN ('pending', 'collecting') OR p.resolved_at >= $2));

-- name: purge_logs_count
SELECT COUNT(*) FROM job_logs l JOIN jobs j ON j.id = l.job_id
 WHERE j.ended_at IS NOT NULL AND j.log_lines > 0 AND j.ended_at < $1;

-- Lines of the $3 jobs that ended first, $2 at most.
-- name: purge_logs
DELETE FROM job_logs
 WHERE (job_id, seq) IN
       (SELECT l.job_id, l.seq FROM job_logs l
         WHERE l.job_id IN (SELECT id FROM jobs
                             WHERE ended_at IS NOT NULL AND log_lines > 0 AND ended_at < $1
                             ORDER BY ended_at LIMIT $3)
         LIMIT $2);

-- What jobs were told and said that witan ran itself goes with their lines; what they took stays.
-- name: purge_run_entries
DELETE FROM run_entries
 WHERE job_id IN (SELECT id FROM jobs
                   WHERE ended_at IS NOT NULL AND log_lines > 0 AND ended_at < $1
                   ORDER BY ended_at LIMIT $2);

-- name: purge_run_calls
DELETE FROM run_calls
 WHERE job_id IN (SELECT id FROM jobs
                   WHERE ended_at IS NOT NULL AND log_lines > 0 AND ended_at < $1
                   ORDER BY ended_at LIMIT $2);

-- A job without lines says so, and is not looked at again.
-- name: purge_logs_done
UPDATE jobs SET log_lines = 0
 WHERE id IN (SELECT id FROM jobs
               WHERE ended_at IS NOT NULL AND log_lines > 0 AND ended_at < $1
               ORDER BY ended_at LIMIT $2)
   AND NOT EXISTS (SELECT 1 FROM job_logs l WHERE l.job_id = jobs.id);

-- name: purge_notifications_count
SELECT COUNT(*) FROM notifications WHERE (read_at IS NOT NULL OR resolved_at IS NOT NULL) AND created_at < $1;

-- name: purge_notifications
DELETE FROM notifications
 WHERE id IN (SELECT id FROM notifications
               WHERE (read_at IS NOT NULL OR resolved_at IS NOT NULL) AND created_at < $1
               ORDER BY created_at LIMIT $2);

-- A discussion goes with all that were split off from it, once every one of them has ended long enough ago, and not
-- before those that were forked from any of them: a fork is replayed with what it took over.
-- name: purge_discussions_ripe
SELECT s.discussion_id FROM discussion_state s
 WHERE s.ended_at < $1 AND s.parent_id IS NULL
   AND NOT EXISTS (SELECT 1 FROM discussion_state m
                    WHERE m.root_id = s.discussion_id AND (m.ended_at IS NULL OR m.ended_at >= $1))
   AND NOT EXISTS (SELECT 1 FROM discussion_state f WHERE f.forked_from = s.discussion_id)
   AND NOT EXISTS (SELECT 1 FROM discussion_state m JOIN discussion_state f ON f.forked_from = m.discussion_id
                    WHERE m.root_id = s.discussion_id)
 ORDER BY s.ended_at
 LIMIT $2;

-- name: purge_discussions_count
SELECT COUNT(*) FROM discussion_state s
 WHERE s.ended_at < $1 AND s.parent_id IS NULL
   AND NOT EXISTS (SELECT 1 FROM discussion_state m
                    WHERE m.root_id = s.discussion_id AND (m.ended_at IS NULL OR m.ended_at >= $1))
   AND NOT EXISTS (SELECT 1 FROM discussion_state f WHERE f.forked_from = s.discussion_id)
   AND NOT EXISTS (SELECT 1 FROM discussion_state m JOIN discussion_state f ON f.forked_from = m.discussion_id
                    WHERE m.root_id = s.discussion_id);

-- name: purge_discussion_logs
DELETE FROM discussion_logs
 WHERE discussion_id IN (SELECT discussion_id FROM discussion_state WHERE root_id = $1 OR discussion_id = $1);

-- name: purge_discussion_participants
DELETE FROM discussion_participants
 WHERE discussion_id IN (SELECT discussion_id FROM discussion_state WHERE root_id = $1 OR discussion_id = $1);

-- Its decisions go with it.
-- name: purge_discussion
DELETE FROM discussion_state WHERE root_id = $1 OR discussion_id = $1;
