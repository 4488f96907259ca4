-- Agents that witan runs, and discussions.
--
-- Another program may write participants and a state with plain SQL, with a project and an order and nothing else:
-- the triggers below then fill in the rest. Such a discussion has its project's id, so there is one for each project.

-- The first schema kept a place for agents; what another program has put there is taken over.
CREATE TABLE agent_templates_before AS
SELECT id, workspace_id, name, role, system_prompt, ai_model_config, created_at FROM agent_templates;
DROP TABLE agent_templates;

CREATE TABLE agent_templates (
    id               TEXT COLLATE "C" PRIMARY KEY DEFAULT CAST(gen_random_uuid() AS TEXT),
    workspace_id     TEXT COLLATE "C" NOT NULL DEFAULT '00000000-0000-7000-8000-000000000001'
                     REFERENCES workspaces(id) ON DELETE CASCADE,
    name             TEXT COLLATE "C" NOT NULL,
    role             TEXT COLLATE "C" NOT NULL DEFAULT 'specialist',
    system_prompt    TEXT COLLATE "C" NOT NULL DEFAULT '',
    ai_model_config  JSONB,                                   -- any JSON that core/council/model_config.h takes
    created_by       TEXT COLLATE "C",
    created_at       BIGINT NOT NULL DEFAULT witan_ms(now()),
    updated_at       BIGINT,
    deleted_at       BIGINT,
    name_key         TEXT COLLATE "C" NOT NULL GENERATED ALWAYS AS (lower(name)) STORED
);
-- Who is gone leaves the name to others.
CREATE UNIQUE INDEX agent_templates_name ON agent_templates (workspace_id, name_key) WHERE deleted_at IS NULL;
CREATE INDEX agent_templates_list ON agent_templates (workspace_id, id) WHERE deleted_at IS NULL;

INSERT INTO agent_templates (id, workspace_id, name, role, system_prompt, ai_model_config, created_at)
SELECT id, workspace_id, name, role, system_prompt, CASE WHEN ai_model_config <> '{}' THEN CAST(ai_model_config AS JSONB) END, created_at
  FROM agent_templates_before;
DROP TABLE agent_templates_before;

-- A discussion, one row each.
CREATE TABLE discussion_state (
    id                  TEXT COLLATE "C" PRIMARY KEY DEFAULT CAST(gen_random_uuid() AS TEXT),
    discussion_id       TEXT COLLATE "C" UNIQUE,                         -- what everybody calls it by
    workspace_id        TEXT COLLATE "C" NOT NULL DEFAULT '00000000-0000-7000-8000-000000000001'
                        REFERENCES workspaces(id) ON DELETE CASCADE,
    project_id          TEXT COLLATE "C" REFERENCES projects(id) ON DELETE CASCADE,
    task_id             TEXT COLLATE "C" REFERENCES tasks(id) ON DELETE SET NULL,
    topic               TEXT COLLATE "C" NOT NULL DEFAULT '',
    mode                TEXT COLLATE "C" NOT NULL DEFAULT 'turns' CHECK (mode IN ('turns', 'rounds', 'parallel')),
    current_turn_index  INTEGER NOT NULL DEFAULT 0 CHECK (current_turn_index >= 0),
    current_round       INTEGER NOT NULL DEFAULT 1 CHECK (current_round >= 0),
    status              TEXT COLLATE "C" NOT NULL DEFAULT 'active'
                        CHECK (status IN ('active', 'paused', 'completed', 'cancelled', 'failed')),
    end_reason          TEXT COLLATE "C" CHECK (end_reason IN ('rounds_used', 'all_passed', 'agreement', 'nothing_new', 'budget',
                                                   'cancelled', 'failed')),
    outcome_source      TEXT COLLATE "C",
    outcome_by          TEXT COLLATE "C",
    result              TEXT COLLATE "C",                                -- {vote, shadow, answered ...}: what was decided, as JSON
    options             TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    rounds              INTEGER NOT NULL DEFAULT 3 CHECK (rounds >= 1),
    phase               TEXT COLLATE "C" NOT NULL DEFAULT 'opening'
                        CHECK (phase IN ('opening', 'asking', 'calling', 'speaking', 'outside', 'person', 'voting',
                                         'judging', 'summarising', 'delegating', 'answering', 'ended')),
    ending              TEXT COLLATE "C",                                -- the end_reason it is on its way to
    parent_id           TEXT COLLATE "C",                                -- the discussion that this one was split off from
    root_id             TEXT COLLATE "C",                                -- the first of them, whose budget holds for all
    depth               INTEGER NOT NULL DEFAULT 0,
    ref_kind            TEXT COLLATE "C" CHECK (ref_kind IN ('prompt', 'question')),
    ref_id              TEXT COLLATE "C",                                -- what its result answers
    forked_from         TEXT COLLATE "C",
    forked_at           BIGINT,
    session_id          TEXT COLLATE "C",
    calls               INTEGER NOT NULL DEFAULT 0,
    tokens_in           BIGINT NOT NULL DEFAULT 0,
    tokens_out          BIGINT NOT NULL DEFAULT 0,
    usage_missing       INTEGER NOT NULL DEFAULT 0,          -- calls that did not say what they took
    iterations          INTEGER NOT NULL DEFAULT 0,          -- slots done since somebody spoke
    settled_round       INTEGER NOT NULL DEFAULT 0,          -- the last one whose end was judged
    wants_drive         INTEGER NOT NULL DEFAULT 0 CHECK (wants_drive IN (0, 1)),
    driver              TEXT COLLATE "C",                                -- the node (council_nodes) that drives it
    driver_epoch        BIGINT NOT NULL DEFAULT 0,
    summary             TEXT COLLATE "C",                                -- of what was said up to summary_seq
    summary_seq         INTEGER NOT NULL DEFAULT 0,
    created_by_kind     TEXT COLLATE "C",
    created_by_id       TEXT COLLATE "C",
    created_by_name     TEXT COLLATE "C",
    created_at          BIGINT NOT NULL DEFAULT witan_ms(now()),
    updated_at          BIGINT NOT NULL DEFAULT witan_ms(now()),
    ended_at            BIGINT
);
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
    id              TEXT COLLATE "C" PRIMARY KEY DEFAULT CAST(gen_random_uuid() AS TEXT),
    workspace_id    TEXT COLLATE "C" NOT NULL DEFAULT '00000000-0000-7000-8000-000000000001'
                    REFERENCES workspaces(id) ON DELETE CASCADE,
    discussion_id   TEXT COLLATE "C",
    project_id      TEXT COLLATE "C" REFERENCES projects(id) ON DELETE CASCADE,
    agent_id        TEXT COLLATE "C" REFERENCES agent_templates(id) ON DELETE SET NULL,
    user_id         TEXT COLLATE "C",
    name            TEXT COLLATE "C",                                    -- as it was when it joined
    role            TEXT COLLATE "C" NOT NULL,
    sequence_order  INTEGER NOT NULL,
    created_at      BIGINT NOT NULL DEFAULT witan_ms(now()),
    UNIQUE (discussion_id, sequence_order)
);
CREATE INDEX discussion_participants_agent ON discussion_participants (agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX discussion_participants_project ON discussion_participants (project_id) WHERE project_id IS NOT NULL;

-- What was said, for good. No turn is ever logged twice: the index sees to it.
CREATE TABLE discussion_logs (
    id             TEXT COLLATE "C" PRIMARY KEY DEFAULT CAST(gen_random_uuid() AS TEXT),
    workspace_id   TEXT COLLATE "C" NOT NULL DEFAULT '00000000-0000-7000-8000-000000000001'
                   REFERENCES workspaces(id) ON DELETE CASCADE,
    discussion_id  TEXT COLLATE "C",
    project_id     TEXT COLLATE "C" REFERENCES projects(id) ON DELETE CASCADE,
    seq            INTEGER,                                  -- 1, 2, 3 ... within the discussion
    kind           TEXT COLLATE "C" NOT NULL DEFAULT 'turn' CHECK (kind IN ('message', 'turn', 'ballot', 'judge', 'summary')),
    manner         TEXT COLLATE "C" NOT NULL DEFAULT 'said' CHECK (manner IN ('said', 'passed', 'skipped')),
    agent_id       TEXT COLLATE "C" REFERENCES agent_templates(id) ON DELETE SET NULL,
    user_id        TEXT COLLATE "C",
    speaker        TEXT COLLATE "C" NOT NULL DEFAULT '',
    role           TEXT COLLATE "C" NOT NULL DEFAULT 'user',
    content        TEXT COLLATE "C" NOT NULL,
    turn_index     INTEGER NOT NULL DEFAULT -1,              -- -1: out of turn
    round_number   INTEGER NOT NULL DEFAULT 1,
    metadata       JSONB NOT NULL DEFAULT '{}',
    created_at     BIGINT NOT NULL DEFAULT witan_ms(now())
);
CREATE UNIQUE INDEX discussion_logs_seq ON discussion_logs (discussion_id, seq);
CREATE UNIQUE INDEX discussion_logs_turn ON discussion_logs (discussion_id, kind, round_number, turn_index)
    WHERE turn_index >= 0;
CREATE INDEX discussion_logs_project ON discussion_logs (project_id) WHERE project_id IS NOT NULL;
CREATE INDEX discussion_logs_agent ON discussion_logs (agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX discussion_logs_user ON discussion_logs (user_id) WHERE user_id IS NOT NULL;

-- Turns that have been opened and not yet been logged.
CREATE TABLE discussion_turns (
    id              TEXT COLLATE "C" PRIMARY KEY,
    workspace_id    TEXT COLLATE "C" NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    discussion_id   TEXT COLLATE "C" NOT NULL REFERENCES discussion_state(discussion_id) ON DELETE CASCADE,
    kind            TEXT COLLATE "C" NOT NULL CHECK (kind IN ('turn', 'ballot', 'judge', 'summary')),
    round_number    INTEGER NOT NULL,
    turn_index      INTEGER NOT NULL,
    participant_id  TEXT COLLATE "C",
    agent_id        TEXT COLLATE "C",
    user_id         TEXT COLLATE "C",
    speaker         TEXT COLLATE "C" NOT NULL,
    role            TEXT COLLATE "C" NOT NULL,
    agent_key       TEXT COLLATE "C",                                    -- whose list it stands in: an agent's name, folded
    state           TEXT COLLATE "C" NOT NULL CHECK (state IN ('queued', 'calling', 'outside')),
    attempt         INTEGER NOT NULL DEFAULT 1,
    without_stops   INTEGER NOT NULL DEFAULT 0 CHECK (without_stops IN (0, 1)),
    due_ms          BIGINT,                                 -- of one that is owed from outside
    partial         TEXT COLLATE "C",
    started_at      BIGINT,
    created_at      BIGINT NOT NULL,
    UNIQUE (discussion_id, kind, round_number, turn_index)
);
CREATE INDEX discussion_turns_due ON discussion_turns (due_ms) WHERE due_ms IS NOT NULL;
CREATE INDEX discussion_turns_agent ON discussion_turns (workspace_id, agent_key, id) WHERE agent_key IS NOT NULL;
CREATE INDEX discussion_turns_of ON discussion_turns (agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX discussion_turns_waiting ON discussion_turns (workspace_id, id) WHERE state = 'outside';

-- What the machine decided, and why; a replay comes to the same from the log alone.
CREATE TABLE discussion_decisions (
    discussion_id  TEXT COLLATE "C" NOT NULL REFERENCES discussion_state(discussion_id) ON DELETE CASCADE,
    seq            INTEGER NOT NULL,
    kind           TEXT COLLATE "C" NOT NULL,
    round_number   INTEGER NOT NULL,
    turn_index     INTEGER NOT NULL,
    after_seq      INTEGER NOT NULL,                         -- the last row of the log that it knew
    inputs         TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    verdict        TEXT COLLATE "C" NOT NULL,
    reason         TEXT COLLATE "C" NOT NULL,
    created_at     BIGINT NOT NULL,
    PRIMARY KEY (discussion_id, seq)
);

-- Words that wait for the end of a turn.
CREATE TABLE discussion_interjections (
    id             TEXT COLLATE "C" PRIMARY KEY,
    discussion_id  TEXT COLLATE "C" NOT NULL REFERENCES discussion_state(discussion_id) ON DELETE CASCADE,
    agent_id       TEXT COLLATE "C",
    user_id        TEXT COLLATE "C",
    speaker        TEXT COLLATE "C" NOT NULL,
    role           TEXT COLLATE "C" NOT NULL,
    content        TEXT COLLATE "C" NOT NULL,
    created_at     BIGINT NOT NULL
);
CREATE INDEX discussion_interjections_of ON discussion_interjections (discussion_id, id);

-- Who is alive to drive discussions. A node has a new id at each start.
CREATE TABLE council_nodes (
    id           TEXT COLLATE "C" PRIMARY KEY,
    started_at   BIGINT NOT NULL,
    lease_until  BIGINT NOT NULL
);

-- What plain SQL leaves out. A slot of a person has no agent.
CREATE FUNCTION discussion_state_adopt() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    IF NEW.project_id IS NULL THEN
        RAISE EXCEPTION 'a discussion without discussion_id needs a project_id' USING ERRCODE = 'check_violation';
    END IF;
    NEW.discussion_id := NEW.project_id;
    NEW.root_id := NEW.project_id;
    NEW.current_round := GREATEST(NEW.current_round, 1);
    SELECT workspace_id, CASE NEW.topic WHEN '' THEN name ELSE NEW.topic END INTO NEW.workspace_id, NEW.topic
      FROM projects WHERE id = NEW.project_id;
    RETURN NEW;
END
$$;

CREATE TRIGGER discussion_state_adopt BEFORE INSERT ON discussion_state FOR EACH ROW
WHEN (NEW.discussion_id IS NULL) EXECUTE FUNCTION discussion_state_adopt();

CREATE FUNCTION discussion_participants_adopt() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    IF NEW.discussion_id IS NULL AND NEW.project_id IS NULL THEN
        RAISE EXCEPTION 'a participant without discussion_id needs a project_id' USING ERRCODE = 'check_violation';
    END IF;
    NEW.discussion_id := COALESCE(NEW.discussion_id, NEW.project_id);
    NEW.workspace_id := COALESCE((SELECT workspace_id FROM projects WHERE id = NEW.project_id), NEW.workspace_id);
    NEW.name := COALESCE(NEW.name, (SELECT name FROM agent_templates WHERE id = NEW.agent_id),
                         CASE NEW.role WHEN 'user' THEN 'User' ELSE NEW.role END);
    RETURN NEW;
END
$$;

CREATE TRIGGER discussion_participants_adopt BEFORE INSERT ON discussion_participants FOR EACH ROW
WHEN (NEW.discussion_id IS NULL OR NEW.name IS NULL) EXECUTE FUNCTION discussion_participants_adopt();

CREATE FUNCTION discussion_logs_adopt() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    IF NEW.discussion_id IS NULL AND NEW.project_id IS NULL THEN
        RAISE EXCEPTION 'an entry without discussion_id needs a project_id' USING ERRCODE = 'check_violation';
    END IF;
    NEW.discussion_id := COALESCE(NEW.discussion_id, NEW.project_id);
    NEW.workspace_id := COALESCE((SELECT workspace_id FROM projects WHERE id = NEW.project_id), NEW.workspace_id);
    NEW.seq := (SELECT COALESCE(MAX(seq), 0) + 1 FROM discussion_logs WHERE discussion_id = NEW.discussion_id);
    IF NEW.speaker = '' THEN
        NEW.speaker := COALESCE((SELECT name FROM agent_templates WHERE id = NEW.agent_id),
                                CASE NEW.role WHEN 'user' THEN 'User' ELSE NEW.role END);
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER discussion_logs_adopt BEFORE INSERT ON discussion_logs FOR EACH ROW
WHEN (NEW.discussion_id IS NULL OR NEW.seq IS NULL) EXECUTE FUNCTION discussion_logs_adopt();

-- The order and what was said go with their discussion.
CREATE FUNCTION discussion_state_deleted() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    DELETE FROM discussion_participants WHERE discussion_id = OLD.discussion_id;
    DELETE FROM discussion_logs WHERE discussion_id = OLD.discussion_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER discussion_state_deleted AFTER DELETE ON discussion_state FOR EACH ROW
EXECUTE FUNCTION discussion_state_deleted();

-- For a workspace that goes with all that is in it.
CREATE INDEX agent_templates_workspace ON agent_templates (workspace_id);
CREATE INDEX discussion_participants_workspace ON discussion_participants (workspace_id);
CREATE INDEX discussion_turns_workspace ON discussion_turns (workspace_id);
CREATE INDEX discussion_logs_workspace ON discussion_logs (workspace_id);
