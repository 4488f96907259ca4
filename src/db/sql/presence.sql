-- Who has which page open. A row is a tab; one that has said nothing for a while does not count any more.

-- columns: presence
p.workspace_id AS workspace_id, p.person AS person, COALESCE(u.name, t.name, p.person) AS name, p.page AS page,
p.subject AS subject, p.state AS state, p.changed_at AS changed_at, p.seen_at AS seen_at;

-- A tab says the same again, mostly: then only the time moves. One that has run out ($8) comes anew.
-- name: presence_say
UPDATE presence
   SET changed_at = CASE WHEN page = $4 AND COALESCE(subject, '') = COALESCE(CAST($5 AS TEXT), '') AND state = $6
                              AND seen_at > $8
                         THEN changed_at ELSE $7 END,
       page = $4, subject = $5, state = $6, seen_at = $7
 WHERE workspace_id = $1 AND person = $2 AND tab = $3;

-- name: presence_begin
INSERT INTO presence (workspace_id, person, tab, page, subject, state, changed_at, seen_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
ON CONFLICT (workspace_id, person, tab) DO UPDATE
   SET page = excluded.page, subject = excluded.subject, state = excluded.state, changed_at = excluded.changed_at,
       seen_at = excluded.seen_at;

-- Of one person's tabs ($3 of them), and of all of a workspace ($4), the latest are kept.
-- name: presence_forget_oldest
DELETE FROM presence
 WHERE workspace_id = $1
   AND ((person = $2 AND tab NOT IN (SELECT tab FROM presence WHERE workspace_id = $1 AND person = $2
                                      ORDER BY seen_at DESC, tab LIMIT $3))
        OR (person, tab) NOT IN (SELECT person, tab FROM presence WHERE workspace_id = $1
                                  ORDER BY seen_at DESC, person, tab LIMIT $4));

-- A page of people who are here: their tabs that count ($2), those who look at one thing first of all if one is asked for ($5, $6).
-- Whoever has lost their part in the workspace is not listed, though the tab may still say so.
-- name: presence_list
SELECT {presence}
  FROM presence p
  LEFT JOIN users u ON u.id = p.person
  LEFT JOIN tokens t ON t.id = p.person
 WHERE p.workspace_id = $1 AND p.seen_at > $2 AND p.state <> 'gone'
   AND p.person IN (SELECT o.person FROM presence o
                     WHERE o.workspace_id = $1 AND o.seen_at > $2 AND o.state <> 'gone' AND o.person > $3
                       AND (CAST($5 AS TEXT) IS NULL OR o.page = $5) AND (CAST($6 AS TEXT) IS NULL OR o.subject = $6)
                       AND (o.person = 'local'
                            OR EXISTS (SELECT 1 FROM members m WHERE m.workspace_id = $1 AND m.user_id = o.person)
                            OR EXISTS (SELECT 1 FROM tokens k WHERE k.workspace_id = $1 AND k.id = o.person
                                                                AND k.revoked_at IS NULL))
                     GROUP BY o.person
                     ORDER BY o.person
                     LIMIT $4)
 ORDER BY p.person, p.state DESC, p.changed_at DESC, p.tab;

-- All tabs of those of whom something has changed since $1: said something else, or ran out, which a tab does whose last word is
-- between $2 and $3. What has run out or is gone is among them.
-- name: presence_changed
SELECT {presence}
  FROM presence p
  JOIN (SELECT workspace_id, person FROM presence WHERE seen_at > $1 AND changed_at > $1
        UNION
        SELECT workspace_id, person FROM presence WHERE seen_at > $2 AND seen_at <= $3 AND state <> 'gone') c
    ON c.workspace_id = p.workspace_id AND c.person = p.person
  LEFT JOIN users u ON u.id = p.person
  LEFT JOIN tokens t ON t.id = p.person
 ORDER BY p.workspace_id, p.person, p.state DESC, p.changed_at DESC, p.tab
 LIMIT $4;

-- When agents that have a token of their own were last heard from.
-- name: presence_agents
SELECT agent_name, MAX(last_used_at)
  FROM tokens
 WHERE workspace_id = $1 AND agent_name IS NOT NULL AND revoked_at IS NULL AND last_used_at IS NOT NULL
 GROUP BY agent_name
 ORDER BY 2 DESC, 1
 LIMIT $2;

-- name: presence_prune
DELETE FROM presence
 WHERE (workspace_id, person, tab) IN (SELECT workspace_id, person, tab FROM presence
                                        WHERE seen_at < $1 ORDER BY seen_at LIMIT $2);
