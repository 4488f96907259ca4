-- Discussions: the state, the order, the log. Whoever changes one has locked its state first.

-- columns: discussion
discussion_id, workspace_id, project_id, task_id, topic, mode, current_turn_index, current_round, status, end_reason,
outcome_source, outcome_by, result, options, rounds, phase, ending, parent_id, root_id, depth, ref_kind, ref_id,
forked_from, forked_at, session_id, calls, tokens_in, tokens_out, usage_missing, iterations, settled_round, wants_drive,
driver, driver_epoch, summary, summary_seq, created_by_kind, created_by_id, created_by_name, created_at, updated_at, ended_at;

-- name: discussion_insert
INSERT INTO discussion_state (id, discussion_id, workspace_id, project_id, task_id, topic, mode, options, rounds, phase,
                              parent_id, root_id, depth, ref_kind, ref_id, forked_from, forked_at, session_id,
                              wants_drive, created_by_kind, created_by_id, created_by_name, created_at, updated_at,
                              current_turn_index, current_round)
VALUES ($1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $22,
        $23, $24);

-- By its own id, or by that of its project: then there may be several.
-- name: discussion_find
SELECT {discussion} FROM discussion_state
 WHERE workspace_id = $2 AND (discussion_id = $1 OR project_id = $1)
 ORDER BY CASE WHEN discussion_id = $1 THEN 0 ELSE 1 END, discussion_id
 LIMIT 2;

-- name: discussion_lock @sqlite
SELECT {discussion} FROM discussion_state WHERE discussion_id = $1;

-- name: discussion_lock @postgres
SELECT {discussion} FROM discussion_state WHERE discussion_id = $1 FOR NO KEY UPDATE;

-- name: discussion_save
UPDATE discussion_state
   SET current_turn_index = $2, current_round = $3, status = $4, end_reason = $5, outcome_source = $6, outcome_by = $7,
       result = $8, rounds = $9, phase = $10, ending = $11, calls = $12, tokens_in = $13, tokens_out = $14,
       usage_missing = $15, iterations = $16, wants_drive = $17, driver = $18, summary = $19, summary_seq = $20,
       updated_at = $21, ended_at = $22, settled_round = $23, outcome_by_id = COALESCE($24, outcome_by_id)
 WHERE discussion_id = $1;

-- Ends one that cannot be moved on, if $2 still drives it.
-- name: discussion_fail
UPDATE discussion_state
   SET status = 'failed', end_reason = 'failed', ending = NULL, phase = 'ended', wants_drive = 0, driver = NULL,
       outcome_source = 'policy', outcome_by = 'system', outcome_by_id = 'system', result = $4, updated_at = $5, ended_at = $5
 WHERE discussion_id = $1 AND driver = $2 AND driver_epoch = $3;

-- Whoever has waited for it goes on.
-- name: discussion_fail_parent
UPDATE discussion_state SET wants_drive = 1, driver = NULL, phase = 'opening', updated_at = $2
 WHERE discussion_id = (SELECT parent_id FROM discussion_state WHERE discussion_id = $1)
   AND status = 'active' AND phase = 'delegating';

-- $3..$6: mode, status, project, task; $7 parent; $8 session; NULL: any.
-- name: discussion_list
SELECT {discussion} FROM discussion_state
 WHERE workspace_id = $1 AND discussion_id < $2
   AND (CAST($3 AS TEXT) IS NULL OR mode = $3)
   AND (CAST($4 AS TEXT) IS NULL OR status = $4)
   AND (CAST($5 AS TEXT) IS NULL OR project_id = $5)
   AND (CAST($6 AS TEXT) IS NULL OR task_id = $6)
   AND (CAST($7 AS TEXT) IS NULL OR parent_id = $7)
   AND (CAST($8 AS TEXT) IS NULL OR session_id = $8)
 ORDER BY discussion_id DESC
 LIMIT $9;

-- What all that were split off from one have used together, and since when.
-- name: discussion_used
SELECT COALESCE(SUM(calls), 0), COALESCE(SUM(tokens_in + tokens_out), 0), COALESCE(MIN(created_at), 0)
  FROM discussion_state WHERE root_id = $1;

-- The same, told apart, as a run takes it that has started one.
-- name: discussion_spent
SELECT COALESCE(SUM(tokens_in), 0), COALESCE(SUM(tokens_out), 0) FROM discussion_state WHERE root_id = $1;

-- Calls that they have out or in line together: they will be made.
-- name: discussion_out
SELECT COUNT(*), COALESCE(SUM(CASE WHEN t.discussion_id = $2 THEN 1 ELSE 0 END), 0)
  FROM discussion_turns t JOIN discussion_state s ON s.discussion_id = t.discussion_id
 WHERE s.root_id = $1 AND t.state IN ('queued', 'calling');

-- What the largest of their calls took, of those that were reported: what it was told, and all of it.
-- name: discussion_largest_call
SELECT COALESCE(MAX(l.tokens_in / (l.calls - l.usage_missing)), 0),
       COALESCE(MAX((l.tokens_in + l.tokens_out) / (l.calls - l.usage_missing)), 0)
  FROM discussion_logs l JOIN discussion_state s ON s.discussion_id = l.discussion_id
 WHERE s.root_id = $1 AND l.calls > l.usage_missing;

-- Whoever asks whether a shared budget has a call left does so one at a time until the transaction ends.
-- name: discussion_budget_hold @postgres
SELECT pg_advisory_xact_lock(7119, hashtext($1));

-- name: discussion_budget_hold @sqlite
SELECT $1;

-- name: discussion_children_open
SELECT COUNT(*) FROM discussion_state WHERE parent_id = $1 AND status IN ('active', 'paused');

-- name: discussion_children_ids
SELECT discussion_id FROM discussion_state WHERE parent_id = $1 AND status IN ('active', 'paused')
 ORDER BY discussion_id;

-- Whoever wants to put something to a council does so one at a time until the transaction ends. SQLite has one writer.
-- name: discussion_ref_hold @postgres
SELECT pg_advisory_xact_lock(7118, hashtext($1));

-- name: discussion_ref_hold @sqlite
SELECT $1;

-- name: discussion_ref_open
SELECT discussion_id FROM discussion_state
 WHERE ref_id = $1 AND ref_kind = $2 AND status IN ('active', 'paused')
 ORDER BY discussion_id
 LIMIT 1;

-- columns: participant
id, agent_id, user_id, name, role, sequence_order;

-- name: participant_insert
INSERT INTO discussion_participants (id, workspace_id, discussion_id, project_id, agent_id, user_id, name, role,
                                     sequence_order, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10);

-- In the order of speaking, each with its agent as it is now; an agent that was deleted is as none.
-- name: participant_list
SELECT {participant p}, a.id, a.system_prompt, a.ai_model_config
  FROM discussion_participants p
  LEFT JOIN agent_templates a ON a.id = p.agent_id AND a.deleted_at IS NULL
 WHERE p.discussion_id = $1
 ORDER BY p.sequence_order;

-- columns: logged
id, seq, kind, manner, agent_id, user_id, speaker, role, content, turn_index, round_number, metadata, created_at, calls,
tokens_in, tokens_out, usage_missing;

-- name: logged_insert
INSERT INTO discussion_logs (id, workspace_id, discussion_id, project_id, seq, kind, manner, agent_id, user_id,
                             speaker, role, content, turn_index, round_number, metadata, created_at, calls, tokens_in,
                             tokens_out, usage_missing)
VALUES ($1, $2, $3, $4, (SELECT COALESCE(MAX(seq), 0) + 1 FROM discussion_logs WHERE discussion_id = $3), $5, $6, $7,
        $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)
RETURNING seq;

-- name: logged_all
SELECT {logged} FROM discussion_logs WHERE discussion_id = $1 AND seq > $2 ORDER BY seq LIMIT $3;

-- The $3 that people see after one of them, oldest first; '' is before all.
-- name: logged_shown
SELECT {logged} FROM discussion_logs
 WHERE discussion_id = $1 AND kind IN ('message', 'turn')
   AND seq > COALESCE((SELECT seq FROM discussion_logs WHERE id = $2 AND discussion_id = $1), 0)
 ORDER BY seq
 LIMIT $3;

-- How often each has spoken, in the order of their first words.
-- name: logged_counts
SELECT speaker, COUNT(*) FROM discussion_logs
 WHERE discussion_id = $1 AND kind IN ('message', 'turn') AND manner = 'said'
 GROUP BY speaker
 ORDER BY MIN(seq)
 LIMIT $2;

-- The last $2 that people see, newest first.
-- name: logged_last
SELECT {logged} FROM discussion_logs
 WHERE discussion_id = $1 AND kind IN ('message', 'turn')
 ORDER BY seq DESC
 LIMIT $2;

-- name: logged_round
SELECT {logged} FROM discussion_logs
 WHERE discussion_id = $1 AND kind = $2 AND round_number = $3 AND turn_index >= 0
 ORDER BY turn_index;

-- name: logged_last_seq
SELECT COALESCE(MAX(seq), 0) FROM discussion_logs WHERE discussion_id = $1;

-- What each speaker took, with the attempts of turns that are still open. Judges and summaries have no agent.
-- name: spent_by_speaker
SELECT agent_id, speaker, SUM(said), SUM(passed), SUM(calls), SUM(tokens_in), SUM(tokens_out), SUM(usage_missing)
  FROM (SELECT agent_id, speaker, seq, calls, tokens_in, tokens_out, usage_missing,
               CASE WHEN kind = 'turn' AND manner = 'said' THEN 1 ELSE 0 END AS said,
               CASE WHEN kind = 'turn' AND manner = 'passed' THEN 1 ELSE 0 END AS passed
          FROM discussion_logs
         WHERE discussion_id = $1 AND (agent_id IS NOT NULL OR calls > 0)
        UNION ALL
        SELECT agent_id, speaker, 1000000000, calls, tokens_in, tokens_out, usage_missing, 0, 0
          FROM discussion_turns
         WHERE discussion_id = $1 AND calls > 0) AS took
 GROUP BY agent_id, speaker
 ORDER BY MIN(seq), speaker
 LIMIT $2;

-- What the others of one family ($1: its root) took, and when: by the rows of their logs, and at the end of each the
-- calls of which no row is left.
-- name: spent_by_others
SELECT l.created_at, l.calls, l.tokens_in + l.tokens_out
  FROM discussion_state s JOIN discussion_logs l ON l.discussion_id = s.discussion_id
 WHERE s.root_id = $1 AND s.discussion_id <> $2 AND l.calls > 0
UNION ALL
SELECT s.ended_at,
       s.calls - (SELECT COALESCE(SUM(l.calls), 0) FROM discussion_logs l WHERE l.discussion_id = s.discussion_id),
       s.tokens_in + s.tokens_out - (SELECT COALESCE(SUM(l.tokens_in + l.tokens_out), 0) FROM discussion_logs l
                                      WHERE l.discussion_id = s.discussion_id)
  FROM discussion_state s
 WHERE s.root_id = $1 AND s.discussion_id <> $2 AND s.ended_at IS NOT NULL;

-- columns: decided
seq, kind, round_number, turn_index, after_seq, inputs, verdict, reason, created_at;

-- name: decided_insert
INSERT INTO discussion_decisions (discussion_id, seq, kind, round_number, turn_index, after_seq, inputs, verdict,
                                  reason, created_at)
VALUES ($1, (SELECT COALESCE(MAX(seq), 0) + 1 FROM discussion_decisions WHERE discussion_id = $1), $2, $3, $4, $5, $6,
        $7, $8, $9);

-- name: decided_list
SELECT {decided} FROM discussion_decisions WHERE discussion_id = $1 ORDER BY seq LIMIT $2;

-- name: decided_count
SELECT COUNT(*) FROM discussion_decisions WHERE discussion_id = $1 AND kind = $2 AND round_number = $3;

-- name: interjection_insert
INSERT INTO discussion_interjections (id, discussion_id, agent_id, user_id, speaker, role, content, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8);

-- name: interjection_count
SELECT COUNT(*) FROM discussion_interjections WHERE discussion_id = $1;

-- columns: interjection
agent_id, user_id, speaker, role, content;

-- name: interjection_list
SELECT {interjection} FROM discussion_interjections
 WHERE discussion_id = $1 ORDER BY id;

-- name: interjection_clear
DELETE FROM discussion_interjections WHERE discussion_id = $1;

-- The result of a discussion is its task's result, too.
-- name: discussion_task_result
UPDATE tasks SET result = $2, updated_at = $3 WHERE id = $1;
