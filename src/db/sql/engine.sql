-- What the engine itself asks: facts that all nodes share, and the order of events.

-- name: fact_get
SELECT value FROM facts WHERE name = $1;

-- name: fact_set
INSERT INTO facts (name, value) VALUES ($1, $2)
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- Two nodes that set it at once agree: the first one's holds.
-- name: fact_keep
INSERT INTO facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING;

-- Two nodes that move a number at once both count.
-- name: fact_add
INSERT INTO facts (name, value) VALUES ($1, CAST($2 AS TEXT))
    ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(facts.value AS BIGINT) + CAST(excluded.value AS BIGINT) AS TEXT)
RETURNING value;
