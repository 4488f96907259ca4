-- Agents that witan runs, and discussions.
--
-- Another program may write participants and a state with plain SQL, with a project and an order and nothing else:
-- the triggers below then fill in the rest. Such a discussion has its project's id, so there is one for each project.

-- The first schema kept a place for agents; what another program has put there is taken over.
CREATE TABLE agent_templates_before AS
SELECT id, workspace_id, name, role, system_prompt, ai_model_config, created_at FROM agent_templates;
DROP TABLE agent_templates;

CREATE TABLE agent_templates (
    id               TEXT PRIMARY KEY DEFAULT (lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4'
                         || substr(hex(randomblob(2)), 2) || '-8' || substr(hex(randomblob(2)), 2) || '-'
                         || hex(randomblob(6)))),
    workspace_id     TEXT NOT NULL DEFAULT '00000000-0000-7000-8000-000000000001'
                     REFERENCES workspaces(id) ON DELETE CASCADE,
    name             TEXT NOT NULL,
    role             TEXT NOT NULL DEFAULT 'specialist',
    system_prompt    TEXT NOT NULL DEFAULT '',
    ai_model_config  TEXT,                                   -- any JSON that core/council/model_config.h takes
    created_by       TEXT,
    created_at       INTEGER NOT NULL DEFAULT (CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)),
    updated_at       INTEGER,
    deleted_at       INTEGER,
    name_key         TEXT NOT NULL GENERATED ALWAYS AS (lower(name)) STORED
) STRICT;
-- Who is gone leaves the name to others.
CREATE UNIQUE INDEX agent_templates_name ON agent_templates (workspace_id, name_key) WHERE deleted_at IS NULL;
CREATE INDEX agent_templates_list ON agent_templates (workspace_id, id) WHERE deleted_at IS NULL;

INSERT INTO agent_templates (id, workspace_id, name, role, system_prompt, ai_model_config, created_at)
SELECT id, workspace_id, name, role, system_prompt, CASE WHEN ai_model_config <> '{}' THEN ai_model_config END, created_at
  FROM agent_templates_before;
DROP TABLE agent_templates_before;

-- A discussion, one row each.
CREATE TABLE discussion_state (
    id                  TEXT PRIMARY KEY DEFAULT (lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4'
                            || substr(hex(randomblob(2)), 2) || '-8' || substr(hex(randomblob(2)), 2) || '-'
                            || hex(randomblob(6)))),
    discussion_id       TEXT UNIQUE,                         -- what everybody calls it by
    workspace_id        TEXT NOT NULL DEFAULT '00000000-0000-7000-8000-000000000001'
                        REFERENCES workspaces(id) ON DELETE CASCADE,
    project_id          TEXT REFERENCES projects(id) ON DELETE CASCADE,
    task_id             TEXT REFERENCES tasks(id) ON DELETE SET NULL,
    topic               TEXT NOT NULL DEFAULT '',
    mode                TEXT NOT NULL DEFAULT 'turns' CHECK (mode IN ('turns', 'rounds', 'parallel')),
    current_turn_index  INTEGER NOT NULL DEFAULT 0 CHECK (current_turn_index >= 0),
    current_round       INTEGER NOT NULL DEFAULT 1 CHECK (current_round >= 0),
    status              TEXT NOT NULL DEFAULT 'active'
                        CHECK (status IN ('active', 'paused', 'completed', 'cancelled', 'failed')),
    end_reason          TEXT CHECK (end_reason IN ('rounds_used', 'all_passed', 'agreement', 'nothing_new', 'budget',
                                                   'cancelled', 'failed')),
    outcome_source      TEXT,
    outcome_by          TEXT,
    result              TEXT,                                -- {vote, shadow, answered ...}: what was decided, as JSON
    options             TEXT NOT NULL DEFAULT '{}',
    rounds              INTEGER NOT NULL DEFAULT 3 CHECK (rounds >= 1),
    phase               TEXT NOT NULL DEFAULT 'opening'
                        CHECK (phase IN ('opening', 'asking', 'calling', 'speaking', 'outside', 'person', 'voting',
                                         'judging', 'summarising', 'delegating', 'answering', 'ended')),
    ending              TEXT,                                -- the end_reason it is on its way to
    parent_id           TEXT,                                -- the discussion that this one was split off from
    root_id             TEXT,                                -- the first of them, whose budget holds for all
    depth               INTEGER NOT NULL DEFAULT 0,
    ref_kind            TEXT CHECK (ref_kind IN ('prompt', 'question')),
    ref_id              TEXT,                                -- what its result answers
    forked_from         TEXT,
    forked_at           INTEGER,
    session_id          TEXT,
    calls               INTEGER NOT NULL DEFAULT 0,
    tokens_in           INTEGER NOT NULL DEFAULT 0,
    tokens_out          INTEGER NOT NULL DEFAULT 0,
    usage_missing       INTEGER NOT NULL DEFAULT 0,          -- calls that did not say what they took
    iterations          INTEGER NOT NULL DEFAULT 0,          -- slots done since somebody spoke
    settled_round       INTEGER NOT NULL DEFAULT 0,          -- the last one whose end was judged
    wants_drive         INTEGER NOT NULL DEFAULT 0 CHECK (wants_drive IN (0, 1)),
    driver              TEXT,                                -- the node (council_nodes) that drives it
    driver_epoch        INTEGER NOT NULL DEFAULT 0,
    summary             TEXT,                                -- of what was said up to summary_seq
    summary_seq         INTEGER NOT NULL DEFAULT 0,
    created_by_kind     TEXT,
    created_by_id       TEXT,
    created_by_name     TEXT,
    created_at          INTEGER NOT NULL DEFAULT (CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)),
    updated_at          INTEGER NOT NULL DEFAULT (CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)),
    ended_at            INTEGER
) STRICT;
CREATE INDEX discussion_state_list ON discussion_state (workspace_id, discussion_id);
CREATE INDEX discussion_state_project ON discussion_state (project_id, discussion_id) WHERE project_id IS NOT NULL;
CREATE INDEX discussion_state_status ON discussion_state (workspace_id, status, discussion_id);
CREATE INDEX discussion_state_task ON discussion_state (task_id) WHERE task_id IS NOT NULL;
CREATE INDEX discussion_state_parent ON discussion_state (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX discussion_state_root ON discussion_state (root_id) WHERE root_id IS NOT NULL;
CREATE INDEX discussion_state_ref ON discussion_state (ref_id) WHERE ref_id IS NOT NULL;
CREATE INDEX discussion_state_ended ON discussion_state (ended_at) WHERE ended_at IS NOT NULL;
-- What a driver looks for: short however many there are.
CREATE INDEX discussion_state_wanting ON discussion_state (updated_at) WHERE wants_drive = 1 AND driver IS NULL;
CREATE INDEX discussion_state_driver ON discussion_state (driver) WHERE driver IS NOT NULL;

CREATE TABLE discussion_participants (
    id              TEXT PRIMARY KEY DEFAULT (lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4'
                        || substr(hex(randomblob(2)), 2) || '-8' || substr(hex(randomblob(2)), 2) || '-'
                        || hex(randomblob(6)))),
    workspace_id    TEXT NOT NULL DEFAULT '00000000-0000-7000-8000-000000000001'
                    REFERENCES workspaces(id) ON DELETE CASCADE,
    discussion_id   TEXT,
    project_id      TEXT REFERENCES projects(id) ON DELETE CASCADE,
    agent_id        TEXT REFERENCES agent_templates(id) ON DELETE SET NULL,
    user_id         TEXT,
    name            TEXT,                                    -- as it was when it joined
    role            TEXT NOT NULL,
    sequence_order  INTEGER NOT NULL,
    created_at      INTEGER NOT NULL DEFAULT (CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER)),
    UNIQUE (discussion_id, sequence_order)
) STRICT;
CREATE INDEX discussion_participants_agent ON discussion_participants (agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX discussion_participants_project ON discussion_participants (project_id) WHERE project_id IS NOT NULL;

-- What was said, for good. No turn is ever logged twice: the index sees to it.
CREATE TABLE discussion_logs (
    id             TEXT PRIMARY KEY DEFAULT (lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4'
                       || substr(hex(randomblob(2)), 2) || '-8' || substr(hex(randomblob(2)), 2) || '-'
                       || hex(randomblob(6)))),
    workspace_id   TEXT NOT NULL DEFAULT '00000000-0000-7000-8000-000000000001'
                   REFERENCES workspaces(id) ON DELETE CASCADE,
    discussion_id  TEXT,
    project_id     TEXT REFERENCES projects(id) ON DELETE CASCADE,
    seq            INTEGER,                                  -- 1, 2, 3 ... within the discussion
    kind           TEXT NOT NULL DEFAULT 'turn' CHECK (kind IN ('message', 'turn', 'ballot', 'judge', 'summary')),
    manner         TEXT NOT NULL DEFAULT 'said' CHECK (manner IN ('said', 'passed', 'skipped')),
    agent_id       TEXT REFERENCES agent_templates(id) ON DELETE SET NULL,
    user_id        TEXT,
    speaker        TEXT NOT NULL DEFAULT '',
    role           TEXT NOT NULL DEFAULT 'user',
    content        TEXT NOT NULL,
    turn_index     INTEGER NOT NULL DEFAULT -1,              -- -1: out of turn
    round_number   INTEGER NOT NULL DEFAULT 1,
    metadata       TEXT NOT NULL DEFAULT '{}',
    created_at     INTEGER NOT NULL DEFAULT (CAST(round((julianday('now') - 2440587.5) * 86400000.0) AS INTEGER))
) STRICT;
CREATE UNIQUE INDEX discussion_logs_seq ON discussion_logs (discussion_id, seq);
CREATE UNIQUE INDEX discussion_logs_turn ON discussion_logs (discussion_id, kind, round_number, turn_index)
    WHERE turn_index >= 0;
CREATE INDEX discussion_logs_project ON discussion_logs (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX discussion_logs_agent ON discussion_logs (agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX discussion_logs_user ON discussion_logs (user_id) WHERE user_id IS NOT NULL;

-- Turns that have been opened and not yet been logged.
CREATE TABLE discussion_turns (
    id              TEXT PRIMARY KEY,
    workspace_id    TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    discussion_id   TEXT NOT NULL REFERENCES discussion_state(discussion_id) ON DELETE CASCADE,
    kind            TEXT NOT NULL CHECK (kind IN ('turn', 'ballot', 'judge', 'summary')),
    round_number    INTEGER NOT NULL,
    turn_index      INTEGER NOT NULL,
    participant_id  TEXT,
    agent_id        TEXT,
    user_id         TEXT,
    speaker         TEXT NOT NULL,
    role            TEXT NOT NULL,
    agent_key       TEXT,                                    -- whose list it stands in: an agent's name, folded
    state           TEXT NOT NULL CHECK (state IN ('queued', 'calling', 'outside')),
    attempt         INTEGER NOT NULL DEFAULT 1,
    without_stops   INTEGER NOT NULL DEFAULT 0 CHECK (without_stops IN (0, 1)),
    due_ms          INTEGER,                                 -- of one that is owed from outside
    partial         TEXT,
    started_at      INTEGER,
    created_at      INTEGER NOT NULL,
    UNIQUE (discussion_id, kind, round_number, turn_index)
) STRICT;
CREATE INDEX discussion_turns_due ON discussion_turns (due_ms) WHERE due_ms IS NOT NULL;
CREATE INDEX discussion_turns_agent ON discussion_turns (workspace_id, agent_key, id) WHERE agent_key IS NOT NULL;
CREATE INDEX discussion_turns_of ON discussion_turns (agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX discussion_turns_waiting ON discussion_turns (workspace_id, id) WHERE state = 'outside';

-- What the machine decided, and why; a replay comes to the same from the log alone.
CREATE TABLE discussion_decisions (
    discussion_id  TEXT NOT NULL REFERENCES discussion_state(discussion_id) ON DELETE CASCADE,
    seq            INTEGER NOT NULL,
    kind           TEXT NOT NULL,
    round_number   INTEGER NOT NULL,
    turn_index     INTEGER NOT NULL,
    after_seq      INTEGER NOT NULL,                         -- the last row of the log that it knew
    inputs         TEXT NOT NULL DEFAULT '{}',
    verdict        TEXT NOT NULL,
    reason         TEXT NOT NULL,
    created_at     INTEGER NOT NULL,
    PRIMARY KEY (discussion_id, seq)
) STRICT, WITHOUT ROWID;

-- Words that wait for the end of a turn.
CREATE TABLE discussion_interjections (
    id             TEXT PRIMARY KEY,
    discussion_id  TEXT NOT NULL REFERENCES discussion_state(discussion_id) ON DELETE CASCADE,
    agent_id       TEXT,
    user_id        TEXT,
    speaker        TEXT NOT NULL,
    role           TEXT NOT NULL,
    content        TEXT NOT NULL,
    created_at     INTEGER NOT NULL
) STRICT;
CREATE INDEX discussion_interjections_of ON discussion_interjections (discussion_id, id);

-- Who is alive to drive discussions. A node has a new id at each start.
CREATE TABLE council_nodes (
    id           TEXT PRIMARY KEY,
    started_at   INTEGER NOT NULL,
    lease_until  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What plain SQL leaves out. A slot of a person has no agent.
CREATE TRIGGER discussion_state_adopt AFTER INSERT ON discussion_state
WHEN NEW.discussion_id IS NULL
BEGIN
    SELECT RAISE(ABORT, 'a discussion without discussion_id needs a project_id') WHERE NEW.project_id IS NULL;
    UPDATE discussion_state
       SET discussion_id = NEW.project_id, root_id = NEW.project_id, current_round = MAX(NEW.current_round, 1),
           workspace_id = (SELECT workspace_id FROM projects WHERE id = NEW.project_id),
           topic = CASE NEW.topic WHEN '' THEN (SELECT name FROM projects WHERE id = NEW.project_id)
                                  ELSE NEW.topic END
     WHERE id = NEW.id;
END;

CREATE TRIGGER discussion_participants_adopt AFTER INSERT ON discussion_participants
WHEN NEW.discussion_id IS NULL OR NEW.name IS NULL
BEGIN
    SELECT RAISE(ABORT, 'a participant without discussion_id needs a project_id')
     WHERE NEW.discussion_id IS NULL AND NEW.project_id IS NULL;
    UPDATE discussion_participants
       SET discussion_id = COALESCE(NEW.discussion_id, NEW.project_id),
           workspace_id = COALESCE((SELECT workspace_id FROM projects WHERE id = NEW.project_id), NEW.workspace_id),
           name = COALESCE(NEW.name, (SELECT name FROM agent_templates WHERE id = NEW.agent_id),
                           CASE NEW.role WHEN 'user' THEN 'User' ELSE NEW.role END)
     WHERE id = NEW.id;
END;

CREATE TRIGGER discussion_logs_adopt AFTER INSERT ON discussion_logs
WHEN NEW.discussion_id IS NULL OR NEW.seq IS NULL
BEGIN
    SELECT RAISE(ABORT, 'an entry without discussion_id needs a project_id')
     WHERE NEW.discussion_id IS NULL AND NEW.project_id IS NULL;
    UPDATE discussion_logs
       SET discussion_id = COALESCE(NEW.discussion_id, NEW.project_id),
           seq = (SELECT COALESCE(MAX(seq), 0) + 1 FROM discussion_logs
                   WHERE discussion_id = COALESCE(NEW.discussion_id, NEW.project_id)),
           workspace_id = COALESCE((SELECT workspace_id FROM projects WHERE id = NEW.project_id), NEW.workspace_id),
           speaker = CASE NEW.speaker
                         WHEN '' THEN COALESCE((SELECT name FROM agent_templates WHERE id = NEW.agent_id),
                                               CASE NEW.role WHEN 'user' THEN 'User' ELSE NEW.role END)
                         ELSE NEW.speaker END
     WHERE id = NEW.id;
END;

-- The order and what was said go with their discussion.
CREATE TRIGGER discussion_state_deleted AFTER DELETE ON discussion_state
BEGIN
    DELETE FROM discussion_participants WHERE discussion_id = OLD.discussion_id;
    DELETE FROM discussion_logs WHERE discussion_id = OLD.discussion_id;
END;

-- For a workspace that goes with all that is in it.
CREATE INDEX agent_templates_workspace ON agent_templates (workspace_id);
CREATE INDEX discussion_participants_workspace ON discussion_participants (workspace_id);
CREATE INDEX discussion_turns_workspace ON discussion_turns (workspace_id);
CREATE INDEX discussion_logs_workspace ON discussion_logs (workspace_id);
