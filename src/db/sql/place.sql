-- Where an account has been logged in from.

-- $2 is the address's place, $3 the browser's; NULL where there is none. Last: whether any account was logged in
-- from that browser.
-- name: place_known
SELECT EXISTS (SELECT 1 FROM login_places WHERE user_id = $1 AND place = $2),
       EXISTS (SELECT 1 FROM login_places WHERE user_id = $1 AND place = CAST($3 AS TEXT)),
       EXISTS (SELECT 1 FROM login_places WHERE place = CAST($3 AS TEXT));

-- name: place_put
INSERT INTO login_places (user_id, place, seen_at) VALUES ($1, $2, $3)
ON CONFLICT (user_id, place) DO UPDATE SET seen_at = excluded.seen_at;

-- name: place_forget_oldest
DELETE FROM login_places
 WHERE user_id = $1 AND place NOT IN (SELECT place FROM login_places WHERE user_id = $1
                                       ORDER BY seen_at DESC, place LIMIT $2);

-- name: place_prune
DELETE FROM login_places
 WHERE (user_id, place) IN (SELECT user_id, place FROM login_places WHERE seen_at < $1 ORDER BY seen_at LIMIT $2);
