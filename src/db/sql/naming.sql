-- What things are called. $1 is a JSON list of ids, $2 the workspace. Texts are cut here, so that none is carried whole;
-- the plus keeps SQLite from reading the whole workspace instead.

-- columns: named
kind, asked, id, name, project_id;

-- name: naming_find @sqlite
SELECT 'question', q.id, q.id, SUBSTR(q.question, 1, 400), q.project_id
  FROM agent_questions q
 WHERE q.id IN (SELECT value FROM json_each($1)) AND +q.workspace_id = $2
UNION ALL
SELECT 'job', j.id, j.id, CASE WHEN j.lone THEN (SELECT SUBSTR(l.question, 1, 400) FROM agent_questions l WHERE l.job_id = j.id LIMIT 1)
            ELSE SUBSTR(COALESCE(json_extract(j.input, '$.title'), json_extract(j.input, '$.name'), j.kind), 1, 400) END, j.project_id
  FROM jobs j
 WHERE j.id IN (SELECT value FROM json_each($1)) AND +j.workspace_id = $2
UNION ALL
SELECT 'discussion', d.discussion_id, d.discussion_id, SUBSTR(d.topic, 1, 400), d.project_id
  FROM discussion_state d
 WHERE d.discussion_id IN (SELECT value FROM json_each($1)) AND +d.workspace_id = $2
UNION ALL
SELECT 'discussion', u.id, u.discussion_id, SUBSTR(v.topic, 1, 400), v.project_id
  FROM discussion_turns u JOIN discussion_state v ON v.discussion_id = u.discussion_id
 WHERE u.id IN (SELECT value FROM json_each($1)) AND +u.workspace_id = $2
UNION ALL
SELECT 'prompt', m.id, m.id, SUBSTR(m.prompt_message, 1, 400), m.project_id
  FROM discussion_prompts m
 WHERE m.id IN (SELECT value FROM json_each($1)) AND +m.workspace_id = $2
UNION ALL
SELECT 'chat', c.id, c.id, SUBSTR(c.message, 1, 400), c.project_id
  FROM squad_chat c
 WHERE c.id IN (SELECT value FROM json_each($1)) AND +c.workspace_id = $2
UNION ALL
SELECT 'project', p.id, p.id, p.name, p.id
  FROM projects p
 WHERE p.id IN (SELECT value FROM json_each($1)) AND +p.workspace_id = $2
UNION ALL
SELECT 'task', t.id, t.id, t.title, t.project_id
  FROM tasks t
 WHERE t.id IN (SELECT value FROM json_each($1)) AND +t.workspace_id = $2
UNION ALL
SELECT 'set', s.id, s.id, SUBSTR(json_extract(s.questions, '$[0].text'), 1, 400), s.project_id
  FROM open_questions s
 WHERE s.id IN (SELECT value FROM json_each($1)) AND +s.workspace_id = $2
UNION ALL
SELECT 'decision', e.id, e.id, SUBSTR(e.description, 1, 400), e.project_id
  FROM decisions e
 WHERE e.id IN (SELECT value FROM json_each($1)) AND +e.workspace_id = $2
UNION ALL
SELECT 'feedback', f.id, f.id, SUBSTR(f.text, 1, 400), f.project_id
  FROM feedback f
 WHERE f.id IN (SELECT value FROM json_each($1)) AND +f.workspace_id = $2
UNION ALL
SELECT 'agent', a.id, a.id, a.name, NULL
  FROM agent_templates a
 WHERE a.id IN (SELECT value FROM json_each($1)) AND +a.workspace_id = $2
UNION ALL
SELECT 'template', k.id, k.id, k.name, NULL
  FROM question_templates k
 WHERE k.id IN (SELECT value FROM json_each($1)) AND +k.workspace_id = $2
UNION ALL
SELECT 'token', o.id, o.id, o.name, o.project_id
  FROM tokens o
 WHERE o.id IN (SELECT value FROM json_each($1)) AND +o.workspace_id = $2
UNION ALL
SELECT 'user', w.id, w.id, w.name, NULL
  FROM users w
 WHERE w.id IN (SELECT value FROM json_each($1))
   AND EXISTS (SELECT 1 FROM members b WHERE b.workspace_id = $2 AND b.user_id = w.id)
UNION ALL
SELECT 'workspace', y.id, y.id, y.name, NULL
  FROM workspaces y
 WHERE y.id IN (SELECT value FROM json_each($1)) AND y.id = $2;

-- name: naming_find @postgres
SELECT 'question', q.id, q.id, SUBSTR(q.question, 1, 400), q.project_id
  FROM agent_questions q
 WHERE q.id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS JSONB)))) AND q.workspace_id = $2
UNION ALL
SELECT 'job', j.id, j.id, CASE WHEN j.lone THEN (SELECT SUBSTR(l.question, 1, 400) FROM agent_questions l WHERE l.job_id = j.id LIMIT 1)
            ELSE SUBSTR(COALESCE(CAST(j.input AS JSONB) ->> 'title', CAST(j.input AS JSONB) ->> 'name', j.kind), 1, 400) END, j.project_id
  FROM jobs j
 WHERE j.id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS JSONB)))) AND j.workspace_id = $2
UNION ALL
SELECT 'discussion', d.discussion_id, d.discussion_id, SUBSTR(d.topic, 1, 400), d.project_id
  FROM discussion_state d
 WHERE d.discussion_id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS JSONB)))) AND d.workspace_id = $2
UNION ALL
SELECT 'discussion', u.id, u.discussion_id, SUBSTR(v.topic, 1, 400), v.project_id
  FROM discussion_turns u JOIN discussion_state v ON v.discussion_id = u.discussion_id
 WHERE u.id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS JSONB)))) AND u.workspace_id = $2
UNION ALL
SELECT 'prompt', CAST(m.id AS TEXT), CAST(m.id AS TEXT), SUBSTR(m.prompt_message, 1, 400), m.project_id
  FROM discussion_prompts m
 WHERE m.id = ANY (ARRAY(SELECT CAST(g.value AS UUID) FROM jsonb_array_elements_text(CAST($1 AS JSONB)) AS g(value)
                     WHERE g.value ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'))
   AND m.workspace_id = $2
UNION ALL
SELECT 'chat', CAST(c.id AS TEXT), CAST(c.id AS TEXT), SUBSTR(c.message, 1, 400), c.project_id
  FROM squad_chat c
 WHERE c.id = ANY (ARRAY(SELECT CAST(g.value AS UUID) FROM jsonb_array_elements_text(CAST($1 AS JSONB)) AS g(value)
                     WHERE g.value ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'))
   AND c.workspace_id = $2
UNION ALL
SELECT 'project', p.id, p.id, p.name, p.id
  FROM projects p
 WHERE p.id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS JSONB)))) AND p.workspace_id = $2
UNION ALL
SELECT 'task', t.id, t.id, t.title, t.project_id
  FROM tasks t
 WHERE t.id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS JSONB)))) AND t.workspace_id = $2
UNION ALL
SELECT 'set', s.id, s.id, SUBSTR(CAST(s.questions AS JSONB) -> 0 ->> 'text', 1, 400), s.project_id
  FROM open_questions s
 WHERE s.id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS JSONB)))) AND s.workspace_id = $2
UNION ALL
SELECT 'decision', e.id, e.id, SUBSTR(e.description, 1, 400), e.project_id
  FROM decisions e
 WHERE e.id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS JSONB)))) AND e.workspace_id = $2
UNION ALL
SELECT 'feedback', f.id, f.id, SUBSTR(f.text, 1, 400), f.project_id
  FROM feedback f
 WHERE f.id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS JSONB)))) AND f.workspace_id = $2
UNION ALL
SELECT 'agent', a.id, a.id, a.name, NULL
  FROM agent_templates a
 WHERE a.id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS JSONB)))) AND a.workspace_id = $2
UNION ALL
SELECT 'template', k.id, k.id, k.name, NULL
  FROM question_templates k
 WHERE k.id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS JSONB)))) AND k.workspace_id = $2
UNION ALL
SELECT 'token', o.id, o.id, o.name, o.project_id
  FROM tokens o
 WHERE o.id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS JSONB)))) AND o.workspace_id = $2
UNION ALL
SELECT 'user', w.id, w.id, w.name, NULL
  FROM users w
 WHERE w.id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS JSONB))))
   AND EXISTS (SELECT 1 FROM members b WHERE b.workspace_id = $2 AND b.user_id = w.id)
UNION ALL
SELECT 'workspace', y.id, y.id, y.name, NULL
  FROM workspaces y
 WHERE y.id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($1 AS JSONB)))) AND y.id = $2;
