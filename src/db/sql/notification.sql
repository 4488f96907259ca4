-- Inboxes. A row's reader is 'agent:KEY', 'user:ID' or 'people': those at large, each of whom reads it for
-- themselves. Where people's rows belong to an inbox, $5 is the person and $6 their role; $5 is NULL elsewhere.
-- Whoever is bound to a project names it last and sees nothing of the others; of what is about no project, such
-- as the questions of a job without one, only the talk of the squad, which is everybody's.

-- name: notification_insert
INSERT INTO notifications ({notification_insert}) VALUES ({notification_insert_values});

-- $1 is a list of the same values for each row. SQLite runs notification_insert for each.
-- name: notification_insert_many @postgres only
INSERT INTO notifications ({notification_insert})
SELECT {notification_insert_rows} FROM jsonb_array_elements(CAST($1 AS JSONB)) AS r(value);

-- The two parts are cut before they are joined, so that each reads its index from the end and stops.
-- name: notification_list
SELECT * FROM (SELECT {notification}, read_at, resolved_at
                 FROM notifications
                WHERE workspace_id = $1 AND reader = $2 AND id < $3
                  AND (CAST($7 AS TEXT) IS NULL OR project_id = $7 OR (project_id IS NULL AND kind = 'mention'))
                ORDER BY id DESC
                LIMIT $4) own
UNION ALL
SELECT * FROM (SELECT {notification n}, r.read_at, n.resolved_at
                 FROM notifications n
                 LEFT JOIN notification_reads r ON r.notification_id = n.id AND r.person = CAST($5 AS TEXT)
                WHERE n.workspace_id = $1 AND n.reader = 'people' AND n.id < $3 AND CAST($5 AS TEXT) IS NOT NULL
                  AND (n.roles & $6) <> 0
                  AND (CAST($7 AS TEXT) IS NULL OR n.project_id = $7 OR (n.project_id IS NULL AND n.kind = 'mention'))
                ORDER BY n.id DESC
                LIMIT $4) shared
 ORDER BY id DESC
 LIMIT $4;

-- What has been resolved needs nobody's attention any more, read or not.
-- name: notification_list_unread
SELECT * FROM (SELECT {notification}, read_at, resolved_at
                 FROM notifications
                WHERE workspace_id = $1 AND reader = $2 AND id < $3 AND read_at IS NULL AND resolved_at IS NULL
                  AND (CAST($7 AS TEXT) IS NULL OR project_id = $7 OR (project_id IS NULL AND kind = 'mention'))
                ORDER BY id DESC
                LIMIT $4) own
UNION ALL
SELECT * FROM (SELECT {notification n}, n.read_at, n.resolved_at
                 FROM notifications n
                WHERE n.workspace_id = $1 AND n.reader = 'people' AND n.id < $3 AND CAST($5 AS TEXT) IS NOT NULL
                  AND n.read_at IS NULL AND n.resolved_at IS NULL AND (n.roles & $6) <> 0
                  AND (CAST($7 AS TEXT) IS NULL OR n.project_id = $7 OR (n.project_id IS NULL AND n.kind = 'mention'))
                  AND NOT EXISTS (SELECT 1 FROM notification_reads r
                                   WHERE r.notification_id = n.id AND r.person = CAST($5 AS TEXT))
                ORDER BY n.id DESC
                LIMIT $4) shared
 ORDER BY id DESC
 LIMIT $4;

-- $3 is the person, or NULL; being read is theirs alone.
-- name: notification_get
SELECT {notification n}, COALESCE(n.read_at, r.read_at), n.resolved_at
  FROM notifications n
  LEFT JOIN notification_reads r ON r.notification_id = n.id AND r.person = CAST($3 AS TEXT)
 WHERE n.id = $1 AND n.workspace_id = $2;

-- What a notification in somebody's inbox is about.
-- name: notification_ref
SELECT ref_type, ref_id FROM notifications WHERE id = $1 AND workspace_id = $2;

-- What asks something of its reader waits until it has ended; the rest, until it has been read.
-- name: notification_pending
SELECT (SELECT COUNT(*) FROM notifications
         WHERE workspace_id = $1 AND reader = $2 AND read_at IS NOT NULL AND resolved_at IS NULL
           AND ref_type IN ('question', 'open_question', 'turn')
           AND (CAST($5 AS TEXT) IS NULL OR project_id = $5))
     + (SELECT COUNT(*) FROM notifications
         WHERE workspace_id = $1 AND reader = $2 AND read_at IS NULL AND resolved_at IS NULL
           AND (CAST($5 AS TEXT) IS NULL OR project_id = $5 OR (project_id IS NULL AND kind = 'mention')))
     + (SELECT COUNT(*) FROM notifications n
         WHERE n.workspace_id = $1 AND n.reader = 'people' AND CAST($3 AS TEXT) IS NOT NULL
           AND n.read_at IS NULL AND n.resolved_at IS NULL AND (n.roles & $4) <> 0
           AND (CAST($5 AS TEXT) IS NULL OR n.project_id = $5 OR (n.project_id IS NULL AND n.kind = 'mention'))
           AND (n.ref_type IN ('question', 'open_question', 'turn')
                OR NOT EXISTS (SELECT 1 FROM notification_reads r
                                WHERE r.notification_id = n.id AND r.person = CAST($3 AS TEXT))));

-- name: notification_read
UPDATE notifications SET read_at = $3 WHERE id = $1 AND workspace_id = $2 AND read_at IS NULL;

-- name: notification_read_shared
INSERT INTO notification_reads (notification_id, person, read_at) VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING;

-- name: notification_read_all
UPDATE notifications SET read_at = $3
 WHERE workspace_id = $1 AND reader = $2 AND read_at IS NULL AND resolved_at IS NULL
   AND (CAST($4 AS TEXT) IS NULL OR project_id = $4 OR (project_id IS NULL AND kind = 'mention'));

-- name: notification_read_all_shared
INSERT INTO notification_reads (notification_id, person, read_at)
SELECT n.id, CAST($2 AS TEXT), CAST($3 AS BIGINT)
  FROM notifications n
 WHERE n.workspace_id = $1 AND n.reader = 'people' AND n.read_at IS NULL AND n.resolved_at IS NULL
   AND (n.roles & $4) <> 0
   AND (CAST($5 AS TEXT) IS NULL OR n.project_id = $5 OR (n.project_id IS NULL AND n.kind = 'mention'))
ON CONFLICT DO NOTHING;

-- $1 is the kind of subject, $2 its id: what they point at has ended, at $3. On SQLite, which makes RETURNING dear
-- and has one writer, they are read first.
-- name: notification_unresolved
SELECT {notification}, read_at, CAST($3 AS BIGINT)
  FROM notifications
 WHERE ref_type = $1 AND ref_id = $2 AND resolved_at IS NULL;

-- name: notification_resolve_one @sqlite
UPDATE notifications SET resolved_at = $3 WHERE ref_type = $1 AND ref_id = $2 AND resolved_at IS NULL;

-- name: notification_resolve_one @postgres
UPDATE notifications SET resolved_at = $3 WHERE ref_type = $1 AND ref_id = $2 AND resolved_at IS NULL
RETURNING {notification}, read_at, resolved_at;

-- The same, where $2 is a JSON list of ids.
-- name: notification_resolve @sqlite
UPDATE notifications SET resolved_at = $3
 WHERE ref_type = $1 AND ref_id IN (SELECT value FROM json_each($2)) AND resolved_at IS NULL
RETURNING {notification}, read_at, resolved_at;

-- name: notification_resolve @postgres
UPDATE notifications SET resolved_at = $3
 WHERE ref_type = $1 AND ref_id = ANY (ARRAY(SELECT jsonb_array_elements_text(CAST($2 AS JSONB)))) AND resolved_at IS NULL
RETURNING {notification}, read_at, resolved_at;
