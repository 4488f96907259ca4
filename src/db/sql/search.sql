-- The words by which things are found (migration 18), and finding them.

-- columns: search_noted
n.seq AS seq, n.kind AS kind, n.ref_id AS ref_id,
COALESCE(q.workspace_id, j.workspace_id, d.workspace_id, p.workspace_id, t.workspace_id, a.workspace_id) AS workspace_id,
COALESCE(q.project_id, j.project_id, d.project_id, p.id, t.project_id) AS project_id,
COALESCE(q.question, j.kind, d.topic, p.name, t.title, a.name) AS title,
COALESCE(q.asked_by, j.agent, p.description, t.description, a.role) AS more,
j.input AS input;

-- What has been written since, with the texts as they are now: the newest first, since that is what somebody looks for
-- while much is waiting. A thing that is gone has no workspace.
-- name: search_queued
SELECT {search_noted}
  FROM (SELECT seq, kind, ref_id FROM search_queue ORDER BY seq DESC LIMIT $1) n
       LEFT JOIN agent_questions q ON n.kind = 'question' AND q.id = n.ref_id
       LEFT JOIN jobs j ON n.kind = 'job' AND j.id = n.ref_id
       LEFT JOIN discussion_state d ON n.kind = 'discussion' AND d.id = n.ref_id
       LEFT JOIN projects p ON n.kind = 'project' AND p.id = n.ref_id
       LEFT JOIN tasks t ON n.kind = 'task' AND t.id = n.ref_id
       LEFT JOIN agent_templates a ON n.kind = 'agent' AND a.id = n.ref_id AND a.deleted_at IS NULL
 ORDER BY n.seq DESC;

-- From the newest to the oldest, which is as many or more.
-- name: search_waiting
SELECT COALESCE((SELECT MAX(seq) FROM search_queue) - (SELECT MIN(seq) FROM search_queue) + 1, 0);

-- name: search_unqueue
DELETE FROM search_queue WHERE seq = $1;

-- $1 is a list of the same values for each row, here and below. SQLite runs the statement before it for each.
-- name: search_unqueue_many @postgres only
DELETE FROM search_queue WHERE seq = ANY (ARRAY(SELECT CAST(r.value ->> 0 AS BIGINT)
                                                  FROM jsonb_array_elements(CAST($1 AS JSONB)) AS r(value)));

-- name: search_forget
DELETE FROM search_words WHERE ref_id = $1;

-- name: search_forget_many @postgres only
DELETE FROM search_words
 WHERE ref_id = ANY (ARRAY(SELECT r.value ->> 0 FROM jsonb_array_elements(CAST($1 AS JSONB)) AS r(value)));

-- name: search_insert
INSERT INTO search_words (workspace_id, word, ref_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;

-- name: search_insert_many @postgres only
INSERT INTO search_words (workspace_id, word, ref_id)
SELECT r.value ->> 0, r.value ->> 1, r.value ->> 2
  FROM jsonb_array_elements(CAST($1 AS JSONB)) AS r(value)
ON CONFLICT DO NOTHING;

-- columns: search_hit
kind, ref_id, id, title, status, closed, overdue, agent, project_id, project, created;

-- $1 the workspace; $2 and $3 the beginning that one word must have and what comes after all such words; $4 the word
-- that most of the work is spared by, $5..$9 further ones; each NULL where there is none. $10 the project that a thing
-- must belong to, or NULL. $11 and $12 where the page before ended; $13 how many entries of the index are looked at,
-- $14 how many things, $15 how many are wanted; $16 now.
-- name: search_find
SELECT {search_hit}
  FROM (SELECT CASE WHEN q.id IS NOT NULL THEN 'question' WHEN j.id IS NOT NULL THEN 'job'
                    WHEN d.id IS NOT NULL THEN 'discussion' WHEN p.id IS NOT NULL THEN 'project'
                    WHEN t.id IS NOT NULL THEN 'task' WHEN a.id IS NOT NULL THEN 'agent' END AS kind,
               h.ref_id AS ref_id, COALESCE(d.discussion_id, h.ref_id) AS id,
               COALESCE(q.question, j.kind, d.topic, p.name, t.title, a.name) AS title,
               COALESCE(q.status, j.status, d.status, t.status) AS status,
               CASE WHEN q.status <> 'pending' OR j.status IN ('completed', 'failed', 'cancelled')
                         OR d.status IN ('completed', 'cancelled', 'failed') OR t.status = 'closed'
                    THEN 1 ELSE 0 END AS closed,
               CASE WHEN q.status = 'pending' AND q.timeout_at < $16 THEN 1
                    WHEN j.status IN ('waiting_for_input', 'waiting_for_approval')
                         AND EXISTS (SELECT 1 FROM agent_questions o
                                      WHERE o.job_id = j.id AND o.status = 'pending' AND o.timeout_at < $16) THEN 1
                    ELSE 0 END AS overdue,
               COALESCE(q.asked_by, j.agent, t.assignee) AS agent,
               COALESCE(q.project_id, j.project_id, d.project_id, p.id, t.project_id) AS project_id,
               o.name AS project,
               COALESCE(witan_time(q.created_at), CAST(j.created_at AS TEXT), CAST(d.created_at AS TEXT),
                        CAST(p.created_at AS TEXT), CAST(t.created_at AS TEXT), CAST(a.created_at AS TEXT)) AS created
          FROM (SELECT w.ref_id
                  FROM (SELECT ref_id
                          FROM (SELECT ref_id FROM search_words
                                 WHERE workspace_id = $1 AND word = CAST($4 AS TEXT)
                                 ORDER BY ref_id DESC LIMIT $13) whole
                        UNION
                        SELECT ref_id
                          FROM (SELECT ref_id FROM search_words
                                 WHERE CAST($4 AS TEXT) IS NULL AND workspace_id = $1
                                   AND word >= CAST($2 AS TEXT) AND word < CAST($3 AS TEXT)
                                 LIMIT $13) begun) w
                 WHERE (CAST($2 AS TEXT) IS NULL OR CAST($4 AS TEXT) IS NULL
                        OR EXISTS (SELECT 1 FROM search_words s
                                    WHERE s.ref_id = w.ref_id AND s.word >= $2 AND s.word < $3))
                   AND (CAST($5 AS TEXT) IS NULL
                        OR EXISTS (SELECT 1 FROM search_words s WHERE s.ref_id = w.ref_id AND s.word = $5))
                   AND (CAST($6 AS TEXT) IS NULL
                        OR EXISTS (SELECT 1 FROM search_words s WHERE s.ref_id = w.ref_id AND s.word = $6))
                   AND (CAST($7 AS TEXT) IS NULL
                        OR EXISTS (SELECT 1 FROM search_words s WHERE s.ref_id = w.ref_id AND s.word = $7))
                   AND (CAST($8 AS TEXT) IS NULL
                        OR EXISTS (SELECT 1 FROM search_words s WHERE s.ref_id = w.ref_id AND s.word = $8))
                   AND (CAST($9 AS TEXT) IS NULL
                        OR EXISTS (SELECT 1 FROM search_words s WHERE s.ref_id = w.ref_id AND s.word = $9))
                 ORDER BY w.ref_id DESC LIMIT $14) h
               LEFT JOIN agent_questions q ON q.id = h.ref_id AND q.workspace_id = $1
               LEFT JOIN jobs j ON j.id = h.ref_id AND j.workspace_id = $1
               LEFT JOIN discussion_state d ON d.id = h.ref_id AND d.workspace_id = $1
               LEFT JOIN projects p ON p.id = h.ref_id AND p.workspace_id = $1
               LEFT JOIN tasks t ON t.id = h.ref_id AND t.workspace_id = $1
               LEFT JOIN agent_templates a ON a.id = h.ref_id AND a.workspace_id = $1 AND a.deleted_at IS NULL
               LEFT JOIN projects o
                      ON o.id = COALESCE(q.project_id, j.project_id, d.project_id, p.id, t.project_id)) found
 WHERE kind IS NOT NULL AND (CAST($10 AS TEXT) IS NULL OR project_id = $10)
   AND (closed > CAST($11 AS INTEGER) OR (closed = CAST($11 AS INTEGER) AND ref_id < $12))
 ORDER BY closed, ref_id DESC
 LIMIT $15;
