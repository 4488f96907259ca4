-- Conditions that somebody should look at.

-- Where there may be anything to say: $1 a day ago, $2 the first minute of errors that counts.
-- name: alert_workspaces
SELECT w.id FROM workspaces w
 WHERE EXISTS (SELECT 1 FROM agent_questions q WHERE q.workspace_id = w.id AND q.created_at >= $1)
    OR EXISTS (SELECT 1 FROM agent_questions q WHERE q.workspace_id = w.id AND q.status = 'pending')
    OR EXISTS (SELECT 1 FROM alerts a WHERE a.workspace_id = w.id AND a.ended_at IS NULL)
    OR EXISTS (SELECT 1 FROM ask_errors e WHERE e.workspace_id = w.id AND e.minute >= $2)
 ORDER BY w.id;

-- Of at most $3 questions asked since $2: those that ended with an answer or their deadline, and of these the latter.
-- name: alert_rate
SELECT COUNT(*), COALESCE(SUM(CASE WHEN outcome_source IN ('timeout', 'default') THEN 1 ELSE 0 END), 0)
  FROM (SELECT outcome_source FROM agent_questions
         WHERE workspace_id = $1 AND created_at >= $2
         ORDER BY created_at DESC LIMIT $3) AS asked
 WHERE outcome_source IN ('human', 'timeout', 'default');

-- Questions that hold up a job ($4: their types, each between spaces) and were asked before $2; the oldest first.
-- name: alert_unanswered
SELECT id, created_at FROM question_rows
 WHERE workspace_id = $1 AND status = 'pending' AND $4 LIKE '% ' || type || ' %' AND sort_at < $2
 ORDER BY sort_at, id
 LIMIT $3;

-- name: alert_errors
SELECT COALESCE(CAST(SUM(refused) AS BIGINT), 0), COALESCE(CAST(SUM(failed) AS BIGINT), 0)
  FROM ask_errors WHERE workspace_id = $1 AND minute >= $2;

-- name: alert_open
SELECT {alert} FROM alerts WHERE workspace_id = $1 AND ended_at IS NULL ORDER BY kind;

-- name: alert_begin
INSERT INTO alerts ({alert_insert}) VALUES ({alert_insert_values})
    ON CONFLICT (workspace_id, kind) WHERE ended_at IS NULL DO NOTHING;

-- name: alert_end
UPDATE alerts SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL;

-- name: ask_errors_add
INSERT INTO ask_errors (workspace_id, minute, refused, failed) VALUES ($1, $2, $3, $4)
    ON CONFLICT (workspace_id, minute) DO UPDATE SET refused = ask_errors.refused + excluded.refused,
                                                     failed = ask_errors.failed + excluded.failed;

-- name: ask_errors_prune
DELETE FROM ask_errors WHERE minute < $1;
