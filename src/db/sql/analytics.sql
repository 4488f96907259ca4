-- What happened to questions and jobs over a range of time.
--
-- Each statement reads at most $5 of the newest questions (or jobs) of one workspace between $2 and $3, by the
-- index on (workspace_id, created_at), and the rest of the store not at all: what it costs does not depend on how
-- much there is outside the range. $4 is a project, or NULL for all.

-- name: analytics_types
SELECT type, COUNT(*),
       COALESCE(SUM(CASE WHEN outcome_source = 'human' THEN 1 ELSE 0 END), 0),
       COALESCE(SUM(CASE WHEN outcome_source = 'default' THEN 1 ELSE 0 END), 0),
       COALESCE(SUM(CASE WHEN outcome_source = 'timeout' THEN 1 ELSE 0 END), 0),
       COALESCE(SUM(CASE WHEN status = 'cancelled' THEN 1 ELSE 0 END), 0),
       COALESCE(SUM(CASE WHEN status = 'pending' THEN 1 ELSE 0 END), 0)
  FROM (SELECT type, outcome_source, status FROM question_facts
         WHERE workspace_id = $1 AND created_at >= $2 AND created_at < $3
           AND (CAST($4 AS TEXT) IS NULL OR project_id = $4)
         ORDER BY created_at DESC LIMIT $5) AS asked
 GROUP BY type
 ORDER BY type;

-- How long people took: by type, and (without a type) altogether. The median is the value in the middle, p90
-- that below which nine of ten lie.
-- name: analytics_times
WITH answered AS (
    SELECT type, took_ms FROM (
        SELECT type, took_ms FROM question_facts
         WHERE workspace_id = $1 AND created_at >= $2 AND created_at < $3
           AND (CAST($4 AS TEXT) IS NULL OR project_id = $4)
         ORDER BY created_at DESC LIMIT $5) AS asked
     WHERE took_ms IS NOT NULL),
ranked AS (
    SELECT type, took_ms, ROW_NUMBER() OVER (PARTITION BY type ORDER BY took_ms) AS place,
           COUNT(*) OVER (PARTITION BY type) AS among
      FROM answered
    UNION ALL
    SELECT NULL, took_ms, ROW_NUMBER() OVER (ORDER BY took_ms), COUNT(*) OVER () FROM answered)
SELECT type, MAX(among), MAX(CASE WHEN place = (among + 1) / 2 THEN took_ms END),
       MAX(CASE WHEN place = (9 * among + 9) / 10 THEN took_ms END)
  FROM ranked
 GROUP BY type;

-- The same question asked again and again: same type, same text but for case, spaces and punctuation.
-- name: analytics_common
SELECT MIN(question), MIN(type), COUNT(*),
       SUM(CASE WHEN outcome_source = 'human' THEN 1 ELSE 0 END),
       SUM(CASE WHEN outcome_source IN ('timeout', 'default') THEN 1 ELSE 0 END)
  FROM (SELECT question, question_key, type, outcome_source FROM question_facts
         WHERE workspace_id = $1 AND created_at >= $2 AND created_at < $3
           AND (CAST($4 AS TEXT) IS NULL OR project_id = $4)
         ORDER BY created_at DESC LIMIT $5) AS asked
 GROUP BY question_key
 ORDER BY COUNT(*) DESC, question_key
 LIMIT $6;

-- name: analytics_unanswered
SELECT MIN(question), MIN(type), COUNT(*),
       SUM(CASE WHEN outcome_source = 'human' THEN 1 ELSE 0 END),
       SUM(CASE WHEN outcome_source IN ('timeout', 'default') THEN 1 ELSE 0 END)
  FROM (SELECT question, question_key, type, outcome_source FROM question_facts
         WHERE workspace_id = $1 AND created_at >= $2 AND created_at < $3
           AND (CAST($4 AS TEXT) IS NULL OR project_id = $4)
         ORDER BY created_at DESC LIMIT $5) AS asked
 GROUP BY question_key
HAVING SUM(CASE WHEN outcome_source IN ('timeout', 'default') THEN 1 ELSE 0 END) > 0
 ORDER BY SUM(CASE WHEN outcome_source IN ('timeout', 'default') THEN 1 ELSE 0 END) DESC, COUNT(*), question_key
 LIMIT $6;

-- How jobs ended, those that asked and those that did not. A job that was made for one question only says nothing
-- about jobs and is left out. $2 and $3 are in milliseconds here.
-- name: analytics_jobs
SELECT CASE WHEN asked > 0 THEN 1 ELSE 0 END, status, COUNT(*), SUM(asked), MAX(asked)
  FROM (SELECT made.status,
               (SELECT COUNT(*) FROM agent_questions q WHERE q.job_id = made.id) AS asked
          FROM (SELECT id, status FROM jobs
                 WHERE workspace_id = $1 AND created_at >= $2 AND created_at < $3 AND NOT lone
                   AND (CAST($4 AS TEXT) IS NULL OR project_id = $4)
                 ORDER BY created_at DESC LIMIT $5) AS made) AS counted
 GROUP BY CASE WHEN asked > 0 THEN 1 ELSE 0 END, status
 ORDER BY 1, 2;

-- All workspaces together, for the operator: the newest $2 questions since $1, found by their ids, which are in
-- the order of time.
-- name: analytics_watch
SELECT type, COUNT(*),
       COALESCE(SUM(CASE WHEN outcome_source = 'human' THEN 1 ELSE 0 END), 0),
       COALESCE(SUM(CASE WHEN outcome_source = 'default' THEN 1 ELSE 0 END), 0),
       COALESCE(SUM(CASE WHEN outcome_source = 'timeout' THEN 1 ELSE 0 END), 0),
       COALESCE(SUM(CASE WHEN status = 'cancelled' THEN 1 ELSE 0 END), 0),
       COALESCE(SUM(CASE WHEN status = 'pending' THEN 1 ELSE 0 END), 0),
       CAST(COALESCE(SUM(took_ms), 0) AS BIGINT), COUNT(DISTINCT job_id)
  FROM (SELECT type, outcome_source, status, took_ms, job_id, created_at FROM question_facts
         ORDER BY id DESC LIMIT $2) AS newest
 WHERE created_at >= $1
 GROUP BY type
 ORDER BY type;

-- name: analytics_watch_alerts
SELECT kind, COUNT(*) FROM alerts WHERE ended_at IS NULL GROUP BY kind ORDER BY kind;
