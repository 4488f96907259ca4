-- Who belongs to which workspace, and as what.

-- name: member_insert
INSERT INTO members (workspace_id, user_id, role, created_at) VALUES ($1, $2, $3, $4)
ON CONFLICT (workspace_id, user_id) DO NOTHING;

-- name: member_role
SELECT role FROM members WHERE workspace_id = $1 AND user_id = $2;

-- name: member_set_role
UPDATE members SET role = $3 WHERE workspace_id = $1 AND user_id = $2;

-- name: member_delete
DELETE FROM members WHERE workspace_id = $1 AND user_id = $2;

-- Taken before anything that may cost a workspace its last owner, so that two owners cannot remove each
-- other at once.
-- name: member_lock_owners @sqlite
SELECT COUNT(*) FROM members WHERE user_id = $1;

-- name: member_lock_owners @postgres
SELECT user_id FROM members
 WHERE role = 'owner' AND workspace_id IN (SELECT workspace_id FROM members WHERE user_id = $1)
 ORDER BY workspace_id, user_id
   FOR UPDATE;

-- The workspaces (all, or the one given) that have no other owner who can log in or be given a login.
-- name: member_last_owner_of
SELECT w.slug
  FROM members m JOIN workspaces w ON w.id = m.workspace_id
 WHERE m.user_id = $1 AND m.role = 'owner' AND (CAST($2 AS TEXT) IS NULL OR m.workspace_id = $2)
   AND NOT EXISTS (SELECT 1 FROM members o JOIN users u ON u.id = o.user_id
                    WHERE o.workspace_id = m.workspace_id AND o.role = 'owner' AND o.user_id <> m.user_id
                      AND u.disabled_at IS NULL)
 ORDER BY w.slug
 LIMIT 1;

-- Memberships of user $1 outside workspace $3 over which user $2 has no say; $4 the roles that manage, each between spaces.
-- name: member_beyond
SELECT COUNT(*)
  FROM members t LEFT JOIN members c ON c.workspace_id = t.workspace_id AND c.user_id = CAST($2 AS TEXT)
 WHERE t.user_id = $1 AND t.workspace_id <> $3
   AND (c.role IS NULL OR $4 NOT LIKE '% ' || c.role || ' %' OR (t.role = 'owner' AND c.role <> 'owner'));

-- Workspaces in which user $2 manages user $1; $3 the same roles.
-- name: member_managed
SELECT COUNT(*)
  FROM members t JOIN members c ON c.workspace_id = t.workspace_id
 WHERE t.user_id = $1 AND c.user_id = $2 AND $3 LIKE '% ' || c.role || ' %';
