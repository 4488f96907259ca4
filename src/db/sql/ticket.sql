-- Short-lived stand-ins for a credential.

-- name: ticket_insert
INSERT INTO tickets (hash, caller, workspace_id, expires_at) VALUES ($1, $2, $3, $4);

-- name: ticket_prune
DELETE FROM tickets
 WHERE hash IN (SELECT hash FROM tickets WHERE expires_at < $1 ORDER BY expires_at LIMIT $2);
