-- What happened to questions and jobs over a range of time.
--
-- A range with little in it is counted row by row: each of the first statements reads at most $5 of the newest questions
-- (or jobs) of one workspace between $2 and $3, by the index on (workspace_id, created_at). $4 is a project, or NULL for
-- all. Where there is more the prepared figures are read instead (figures_sum and what follows).
--
-- $6 is an agent, or NULL for all. The figures do not know who asked, so one agent's questions are always counted row by
-- row, by the index on (workspace_id, asked_by, created_at). Each statement therefore has two halves, of which the one
-- that is not meant reads nothing.

-- columns: analytics_counts
type, COUNT(*) AS asked,
COALESCE(SUM(CASE WHEN outcome_source = 'human' THEN 1 ELSE 0 END), 0) AS answered,
COALESCE(SUM(CASE WHEN outcome_source = 'default' THEN 1 ELSE 0 END), 0) AS by_default,
COALESCE(SUM(CASE WHEN outcome_source = 'timeout' THEN 1 ELSE 0 END), 0) AS timed_out,
COALESCE(SUM(CASE WHEN status = 'cancelled' THEN 1 ELSE 0 END), 0) AS cancelled,
COALESCE(SUM(CASE WHEN status = 'pending' THEN 1 ELSE 0 END), 0) AS pending;

-- name: analytics_types
SELECT {analytics_counts}
  FROM (SELECT * FROM (
           SELECT type, outcome_source, status FROM question_facts
            WHERE CAST($6 AS TEXT) IS NULL AND workspace_id = $1 AND created_at >= $2 AND created_at < $3
              AND (CAST($4 AS TEXT) IS NULL OR project_id = $4)
            ORDER BY created_at DESC LIMIT $5) AS anyone
        UNION ALL
        SELECT * FROM (
           SELECT type, outcome_source, status FROM question_facts
            WHERE workspace_id = $1 AND asked_by = $6 AND created_at >= $2 AND created_at < $3
              AND (CAST($4 AS TEXT) IS NULL OR project_id = $4)
            ORDER BY created_at DESC LIMIT $5) AS one) AS asked
 GROUP BY type
 ORDER BY type;

-- columns: analytics_times
type, MAX(among) AS n, MAX(CASE WHEN place = (among + 1) / 2 THEN took_ms END) AS median,
MAX(CASE WHEN place = (9 * among + 9) / 10 THEN took_ms END) AS p90;

-- How long people took: by type, and (without a type) altogether. The median is the value in the middle, p90
-- that below which nine of ten lie.
-- name: analytics_times
WITH answered AS (
    SELECT type, took_ms FROM (SELECT * FROM (
           SELECT type, took_ms FROM question_facts
            WHERE CAST($6 AS TEXT) IS NULL AND workspace_id = $1 AND created_at >= $2 AND created_at < $3
              AND (CAST($4 AS TEXT) IS NULL OR project_id = $4)
            ORDER BY created_at DESC LIMIT $5) AS anyone
        UNION ALL
        SELECT * FROM (
           SELECT type, took_ms FROM question_facts
            WHERE workspace_id = $1 AND asked_by = $6 AND created_at >= $2 AND created_at < $3
              AND (CAST($4 AS TEXT) IS NULL OR project_id = $4)
            ORDER BY created_at DESC LIMIT $5) AS one) AS asked
     WHERE took_ms IS NOT NULL),
ranked AS (
    SELECT type, took_ms, ROW_NUMBER() OVER (PARTITION BY type ORDER BY took_ms) AS place,
           COUNT(*) OVER (PARTITION BY type) AS among
      FROM answered
    UNION ALL
    SELECT NULL, took_ms, ROW_NUMBER() OVER (ORDER BY took_ms), COUNT(*) OVER () FROM answered)
SELECT {analytics_times}
  FROM ranked
 GROUP BY type;

-- columns: analytics_question
MIN(question) AS question, MIN(type) AS type, COUNT(*) AS asked,
SUM(CASE WHEN outcome_source = 'human' THEN 1 ELSE 0 END) AS answered,
SUM(CASE WHEN outcome_source IN ('timeout', 'default') THEN 1 ELSE 0 END) AS timed_out;

-- The same question asked again and again: same type, same text but for case, spaces and punctuation.
-- name: analytics_common
SELECT {analytics_question}
  FROM (SELECT * FROM (
           SELECT question, question_key, type, outcome_source FROM question_facts
            WHERE CAST($6 AS TEXT) IS NULL AND workspace_id = $1 AND created_at >= $2 AND created_at < $3
              AND (CAST($4 AS TEXT) IS NULL OR project_id = $4)
            ORDER BY created_at DESC LIMIT $5) AS anyone
        UNION ALL
        SELECT * FROM (
           SELECT question, question_key, type, outcome_source FROM question_facts
            WHERE workspace_id = $1 AND asked_by = $6 AND created_at >= $2 AND created_at < $3
              AND (CAST($4 AS TEXT) IS NULL OR project_id = $4)
            ORDER BY created_at DESC LIMIT $5) AS one) AS asked
 GROUP BY question_key
 ORDER BY COUNT(*) DESC, question_key
 LIMIT $7;

-- name: analytics_unanswered
SELECT {analytics_question}
  FROM (SELECT * FROM (
           SELECT question, question_key, type, outcome_source FROM question_facts
            WHERE CAST($6 AS TEXT) IS NULL AND workspace_id = $1 AND created_at >= $2 AND created_at < $3
              AND (CAST($4 AS TEXT) IS NULL OR project_id = $4)
            ORDER BY created_at DESC LIMIT $5) AS anyone
        UNION ALL
        SELECT * FROM (
           SELECT question, question_key, type, outcome_source FROM question_facts
            WHERE workspace_id = $1 AND asked_by = $6 AND created_at >= $2 AND created_at < $3
              AND (CAST($4 AS TEXT) IS NULL OR project_id = $4)
            ORDER BY created_at DESC LIMIT $5) AS one) AS asked
 GROUP BY question_key
HAVING SUM(CASE WHEN outcome_source IN ('timeout', 'default') THEN 1 ELSE 0 END) > 0
 ORDER BY SUM(CASE WHEN outcome_source IN ('timeout', 'default') THEN 1 ELSE 0 END) DESC, COUNT(*), question_key
 LIMIT $7;

-- columns: analytics_jobs
CASE WHEN asked > 0 THEN 1 ELSE 0 END AS has_asked, status, COUNT(*) AS jobs, SUM(asked) AS questions, MAX(asked) AS most;

-- How jobs ended, those that asked and those that did not. A job that was made for one question only says nothing
-- about jobs and is left out. $2 and $3 are in milliseconds here.
-- name: analytics_jobs
SELECT {analytics_jobs}
  FROM (SELECT * FROM (
           SELECT status, asked FROM jobs
            WHERE CAST($6 AS TEXT) IS NULL AND workspace_id = $1 AND created_at >= $2 AND created_at < $3 AND NOT lone
              AND (CAST($4 AS TEXT) IS NULL OR project_id = $4)
            ORDER BY created_at DESC LIMIT $5) AS anyone
        UNION ALL
        SELECT * FROM (
           SELECT status, asked FROM jobs
            WHERE workspace_id = $1 AND agent = $6 AND created_at >= $2 AND created_at < $3 AND NOT lone
              AND (CAST($4 AS TEXT) IS NULL OR project_id = $4)
            ORDER BY created_at DESC LIMIT $5) AS one) AS made
 GROUP BY CASE WHEN asked > 0 THEN 1 ELSE 0 END, status
 ORDER BY 1, 2;

-- Who has asked: each name leads to the next by the index, however often it asked.
-- name: analytics_agents
WITH RECURSIVE names(name) AS (
    SELECT (SELECT MIN(asked_by) FROM agent_questions WHERE workspace_id = $1)
    UNION ALL
    SELECT (SELECT MIN(asked_by) FROM agent_questions WHERE workspace_id = $1 AND asked_by > name)
      FROM names WHERE name IS NOT NULL)
SELECT name FROM names WHERE name IS NOT NULL LIMIT $2;

-- columns: figure
label, state, value, CAST(SUM(n) AS BIGINT) AS n;

-- The figures of one kind ($2) from hour $3 up to $4, of which the days from $5 up to $6 are whole, and what has changed
-- since they were last brought up to date.
-- name: figures_sum
SELECT {figure}
  FROM (SELECT label, state, value, n FROM figures
         WHERE workspace_id = $1 AND kind = $2 AND span = 24 AND hour >= $5 AND hour < $6
           AND (CAST($7 AS TEXT) IS NULL OR project_id = $7)
        UNION ALL
        SELECT label, state, value, n FROM figures
         WHERE workspace_id = $1 AND kind = $2 AND span = 1 AND hour >= $3 AND hour < $5
           AND (CAST($7 AS TEXT) IS NULL OR project_id = $7)
        UNION ALL
        SELECT label, state, value, n FROM figures
         WHERE workspace_id = $1 AND kind = $2 AND span = 1 AND hour >= $6 AND hour < $4
           AND (CAST($7 AS TEXT) IS NULL OR project_id = $7)
        UNION ALL
        SELECT label, state, value, n FROM figure_changes
         WHERE workspace_id = $1 AND kind = $2 AND hour >= $3 AND hour < $4
           AND (CAST($7 AS TEXT) IS NULL OR project_id = $7)) AS counted
 GROUP BY label, state, value
HAVING SUM(n) <> 0
 ORDER BY label, state, value;

-- The first and the last day of which there are tallies.
-- name: tallies_days
SELECT (SELECT day FROM question_tallies WHERE workspace_id = $1 ORDER BY day LIMIT 1),
       (SELECT day FROM question_tallies WHERE workspace_id = $1 ORDER BY day DESC LIMIT 1);

-- In the places of analytics_question.
-- columns: tallies_question
q.question AS question, q.type AS type, s.asked AS asked, s.answered AS answered, s.timed_out AS timed_out;

-- Of the $5 most frequent of each day from $2 up to $3, the $6 most frequent of all. A few more are looked up, since of
-- some the example may have been deleted.
-- name: tallies_common @sqlite
WITH RECURSIVE days(day) AS (SELECT $2 WHERE $2 < $3 UNION ALL SELECT day + 1 FROM days WHERE day + 1 < $3)
SELECT {tallies_question}
  FROM (SELECT question_key, SUM(asked) AS asked, SUM(answered) AS answered, SUM(timed_out) AS timed_out,
               MAX(example_id) AS example_id
          FROM days d CROSS JOIN question_tallies t
            ON t.id IN (SELECT x.id FROM question_tallies x
                         WHERE x.workspace_id = $1 AND x.day = d.day AND (CAST($4 AS TEXT) IS NULL OR x.project_id = $4)
                         ORDER BY x.asked DESC LIMIT $5)
         GROUP BY question_key
         ORDER BY 2 DESC, 1 LIMIT 3 * $6) s
  JOIN agent_questions q ON q.id = s.example_id
 ORDER BY s.asked DESC, s.question_key
 LIMIT $6;

-- name: tallies_common @postgres
SELECT {tallies_question}
  FROM (SELECT t.question_key, CAST(SUM(t.asked) AS BIGINT) AS asked, CAST(SUM(t.answered) AS BIGINT) AS answered,
               CAST(SUM(t.timed_out) AS BIGINT) AS timed_out, MAX(t.example_id) AS example_id
          FROM generate_series(CAST($2 AS BIGINT), CAST($3 AS BIGINT) - 1) AS d(day)
         CROSS JOIN LATERAL (SELECT x.question_key, x.asked, x.answered, x.timed_out, x.example_id
                               FROM question_tallies x
                              WHERE x.workspace_id = $1 AND x.day = d.day
                                AND (CAST($4 AS TEXT) IS NULL OR x.project_id = $4)
                              ORDER BY x.asked DESC LIMIT $5) t
         GROUP BY t.question_key
         ORDER BY 2 DESC, 1 LIMIT 3 * $6) s
  JOIN agent_questions q ON q.id = s.example_id
 ORDER BY s.asked DESC, s.question_key
 LIMIT $6;

-- The same for those whose deadline ended them.
-- name: tallies_unanswered @sqlite
WITH RECURSIVE days(day) AS (SELECT $2 WHERE $2 < $3 UNION ALL SELECT day + 1 FROM days WHERE day + 1 < $3)
SELECT {tallies_question}
  FROM (SELECT question_key, SUM(asked) AS asked, SUM(answered) AS answered, SUM(timed_out) AS timed_out,
               MAX(example_id) AS example_id
          FROM days d CROSS JOIN question_tallies t
            ON t.id IN (SELECT x.id FROM question_tallies x
                         WHERE x.workspace_id = $1 AND x.day = d.day AND x.timed_out > 0
                           AND (CAST($4 AS TEXT) IS NULL OR x.project_id = $4)
                         ORDER BY x.timed_out DESC LIMIT $5)
         GROUP BY question_key
         ORDER BY 4 DESC, 2, 1 LIMIT 3 * $6) s
  JOIN agent_questions q ON q.id = s.example_id
 ORDER BY s.timed_out DESC, s.asked, s.question_key
 LIMIT $6;

-- name: tallies_unanswered @postgres
SELECT {tallies_question}
  FROM (SELECT t.question_key, CAST(SUM(t.asked) AS BIGINT) AS asked, CAST(SUM(t.answered) AS BIGINT) AS answered,
               CAST(SUM(t.timed_out) AS BIGINT) AS timed_out, MAX(t.example_id) AS example_id
          FROM generate_series(CAST($2 AS BIGINT), CAST($3 AS BIGINT) - 1) AS d(day)
         CROSS JOIN LATERAL (SELECT x.question_key, x.asked, x.answered, x.timed_out, x.example_id
                               FROM question_tallies x
                              WHERE x.workspace_id = $1 AND x.day = d.day AND x.timed_out > 0
                                AND (CAST($4 AS TEXT) IS NULL OR x.project_id = $4)
                              ORDER BY x.timed_out DESC LIMIT $5) t
         GROUP BY t.question_key
         ORDER BY 4 DESC, 2, 1 LIMIT 3 * $6) s
  JOIN agent_questions q ON q.id = s.example_id
 ORDER BY s.timed_out DESC, s.asked, s.question_key
 LIMIT $6;

-- name: figures_waiting
SELECT CASE WHEN EXISTS (SELECT 1 FROM figure_changes) THEN 1 ELSE 0 END;

-- Adding changes up to the $1-th to the figures: on SQLite, where nobody writes beside it, in four steps.
-- name: figures_upto @sqlite only
SELECT MAX(id) FROM (SELECT id FROM figure_changes ORDER BY id LIMIT $1);

-- name: figures_add @sqlite only
INSERT INTO figures (workspace_id, kind, span, hour, project_id, label, state, value, n)
SELECT workspace_id, kind, span, hour / span * span, project_id, label, state, value, SUM(n)
  FROM figure_changes CROSS JOIN (SELECT 1 AS span UNION ALL SELECT 24)
 WHERE id <= $1
 GROUP BY workspace_id, kind, span, hour / span, project_id, label, state, value
HAVING SUM(n) <> 0
    ON CONFLICT DO UPDATE SET n = figures.n + excluded.n;

-- name: tallies_add @sqlite only
INSERT INTO question_tallies (workspace_id, day, project_id, question_key, asked, answered, timed_out, example_id)
SELECT workspace_id, hour / 24, project_id, question_key, SUM(n), SUM(CASE WHEN state = 'human' THEN n ELSE 0 END),
       SUM(CASE WHEN state IN ('timeout', 'default') THEN n ELSE 0 END), MAX(CASE WHEN n > 0 THEN question_id END)
  FROM figure_changes
 WHERE id <= $1 AND kind = 'question'
 GROUP BY workspace_id, hour / 24, project_id, question_key
    ON CONFLICT DO UPDATE
       SET asked = question_tallies.asked + excluded.asked, answered = question_tallies.answered + excluded.answered,
           timed_out = question_tallies.timed_out + excluded.timed_out,
           example_id = COALESCE(MAX(question_tallies.example_id, excluded.example_id), excluded.example_id,
                                 question_tallies.example_id);

-- name: figures_added @sqlite only
DELETE FROM figure_changes WHERE id <= $1;

-- On PostgreSQL in one, by one node at a time: what another transaction commits meanwhile is left for the next.
-- name: figures_fold @postgres only
WITH gone AS (
    DELETE FROM figure_changes WHERE id IN (SELECT id FROM figure_changes ORDER BY id LIMIT $1)
    RETURNING workspace_id, project_id, hour, kind, label, state, value, question_key, question_id, n),
added AS (
    INSERT INTO figures (workspace_id, kind, span, hour, project_id, label, state, value, n)
    SELECT workspace_id, kind, span, hour / span * span, project_id, label, state, value, SUM(n)
      FROM gone CROSS JOIN (VALUES (1), (24)) AS spans(span)
     GROUP BY workspace_id, kind, span, hour / span, project_id, label, state, value
    HAVING SUM(n) <> 0
        ON CONFLICT (workspace_id, kind, span, hour, project_id, label, state, value)
           DO UPDATE SET n = figures.n + excluded.n),
tallied AS (
    INSERT INTO question_tallies (workspace_id, day, project_id, question_key, asked, answered, timed_out, example_id)
    SELECT workspace_id, hour / 24, project_id, question_key, SUM(n), SUM(CASE WHEN state = 'human' THEN n ELSE 0 END),
           SUM(CASE WHEN state IN ('timeout', 'default') THEN n ELSE 0 END), MAX(CASE WHEN n > 0 THEN question_id END)
      FROM gone
     WHERE kind = 'question'
     GROUP BY workspace_id, hour / 24, project_id, question_key
        ON CONFLICT (workspace_id, day, project_id, question_key) DO UPDATE
           SET asked = question_tallies.asked + excluded.asked, answered = question_tallies.answered + excluded.answered,
               timed_out = question_tallies.timed_out + excluded.timed_out,
               example_id = GREATEST(question_tallies.example_id, excluded.example_id))
SELECT COUNT(*) FROM gone;

-- Nothing is left of what was deleted or has changed since.
-- name: figures_drop_none
DELETE FROM figures WHERE n = 0;

-- name: tallies_drop_none
DELETE FROM question_tallies WHERE asked = 0;

-- All workspaces together, for the operator: the newest $2 questions since $1, found by their ids, which are in
-- the order of time.
-- name: analytics_metrics
SELECT {analytics_counts}, CAST(COALESCE(SUM(took_ms), 0) AS BIGINT), COUNT(DISTINCT job_id)
  FROM (SELECT type, outcome_source, status, took_ms, job_id, created_at FROM question_facts
         ORDER BY id DESC LIMIT $2) AS newest
 WHERE created_at >= $1
 GROUP BY type
 ORDER BY type;

-- name: analytics_metrics_alerts
SELECT kind, COUNT(*) FROM alerts WHERE ended_at IS NULL GROUP BY kind ORDER BY kind;
