-- About the database itself: which migrations it has, whether it answers, what time it is there.

-- name: schema_exists @sqlite
SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'schema_migrations';

-- name: schema_exists @postgres
SELECT CASE WHEN to_regclass('schema_migrations') IS NULL THEN 0 ELSE 1 END;

-- The cheapest look at the file there is: one row of its first page.
-- name: schema_touch @sqlite only
SELECT 1 FROM sqlite_master LIMIT 1;

-- A migration may take as long as it needs, and so may the wait for another node's. SQLite's BEGIN
-- IMMEDIATE is the lock there.
-- name: schema_lock @postgres
SELECT set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true),
       pg_advisory_xact_lock(7117, 1);

-- name: schema_lock @sqlite
SELECT 1;

-- name: schema_create
CREATE TABLE IF NOT EXISTS schema_migrations (
    number     INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    applied_at BIGINT NOT NULL
);

-- name: schema_current
SELECT COALESCE(MAX(number), 0) FROM schema_migrations;

-- name: schema_record
INSERT INTO schema_migrations (number, name, applied_at) VALUES ($1, $2, $3);

-- Milliseconds since 1970, by the database's clock.
-- name: database_now @sqlite
SELECT CAST(ROUND((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER);

-- name: database_now @postgres
SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT);

-- When the newest row was written, as far as witan knows: other programs may write any time they like. The last few
-- are looked at, since calls that run side by side do not commit in the order in which they began.
-- name: clock_newest @sqlite
SELECT MAX(created_at)
  FROM (SELECT created_at FROM audit WHERE actor_kind <> 'sql' ORDER BY seq DESC LIMIT 200) AS newest;

-- name: clock_newest @postgres
SELECT MAX(created_at)
  FROM (SELECT created_at FROM audit WHERE actor_kind <> 'sql' ORDER BY id DESC LIMIT 200) AS newest;
