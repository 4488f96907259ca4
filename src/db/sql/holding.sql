-- Nodes that hold rows, of whichever kind (core/holding/holding.h). Their table has the name of the first kind that there was.

-- name: node_renew
INSERT INTO council_nodes (id, started_at, lease_until) VALUES ($1, $2, $3)
ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until;

-- name: node_delete
DELETE FROM council_nodes WHERE id = $1;

-- One that has renewed meanwhile stays.
-- name: node_bury
DELETE FROM council_nodes WHERE id = $1 AND lease_until < $2;

-- name: node_clear
DELETE FROM council_nodes;

-- name: node_dead
SELECT id FROM council_nodes WHERE lease_until < $1 ORDER BY id;

-- Whether this transaction is the only one with the lock $1 of db/locks.h. SQLite has one writer anyway.
-- name: holding_alone @sqlite
SELECT 1 WHERE $1 > 0;

-- name: holding_alone @postgres
SELECT CASE WHEN pg_try_advisory_xact_lock(7117, CAST($1 AS INTEGER)) THEN 1 ELSE 0 END;

-- Ends sessions that hold the lock $1 or $2 and for $3 milliseconds have done nothing but wait for their client. No node of
-- ours keeps one that long; one that was stopped at an unlucky moment, is of an older version, or is another program
-- altogether might.
-- name: holding_end_idle @postgres only
SELECT COUNT(pg_terminate_backend(l.pid))
  FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
 WHERE l.locktype = 'advisory' AND l.granted AND l.pid <> pg_backend_pid()
   AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
   AND l.classid = 7117 AND l.objid IN (CAST($1 AS INTEGER), CAST($2 AS INTEGER)) AND l.objsubid = 2
   AND a.wait_event_type = 'Client'
   AND a.state_change < clock_timestamp() - CAST($3 AS INTEGER) * INTERVAL '1 millisecond';
