-- Questions that somebody does not want to be reminded of for a while.

-- name: snooze_set
INSERT INTO question_snoozes (person, question_id, until_ms) VALUES ($1, $2, $3)
ON CONFLICT (person, question_id) DO UPDATE SET until_ms = excluded.until_ms;

-- name: snooze_end
DELETE FROM question_snoozes WHERE person = $1 AND question_id = $2;

-- Whoever snoozed it hears of it anew.
-- name: snooze_end_all
DELETE FROM question_snoozes WHERE question_id = $1;

-- Those of one person that are not over: $2 now, $3 a question or NULL.
-- name: snooze_list
SELECT question_id, until_ms FROM question_snoozes
 WHERE person = $1 AND until_ms > $2 AND (CAST($3 AS TEXT) IS NULL OR question_id = $3);

-- name: snooze_count
SELECT COUNT(*) FROM question_snoozes WHERE person = $1 AND until_ms > $2 AND question_id <> $3;

-- Those of one person whose question has ended.
-- name: snooze_forget_ended
DELETE FROM question_snoozes
 WHERE person = $1
   AND question_id IN (SELECT s.question_id FROM question_snoozes s JOIN agent_questions q ON q.id = s.question_id
                        WHERE s.person = $1 AND q.status <> 'pending');

-- Those whose time is over, a few at once.
-- name: snooze_prune
DELETE FROM question_snoozes
 WHERE (person, question_id) IN (SELECT person, question_id FROM question_snoozes
                                  WHERE until_ms <= $1 ORDER BY until_ms LIMIT $2);
