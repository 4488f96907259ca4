-- Jobs that witan runs itself: an agent on a model in a loop of tools.
--
-- Whoever moves a run on has locked its job first. What ends what a run waits for (a question, a discussion, a prompt, the job
-- itself) makes the run wanted, in the same transaction, whoever does it: the triggers below. `news` counts that, so that
-- a step that looks at the same moment does not miss it.

CREATE TABLE runs (
    job_id          TEXT PRIMARY KEY REFERENCES jobs(id) ON DELETE CASCADE,
    workspace_id    TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    project_id      TEXT REFERENCES projects(id) ON DELETE SET NULL,
    agent_id        TEXT REFERENCES agent_templates(id) ON DELETE SET NULL,
    agent           TEXT NOT NULL,
    model_config    TEXT,
    requester_role  TEXT,
    instructions    TEXT NOT NULL,
    model           TEXT,
    phase           TEXT NOT NULL DEFAULT 'opening'
                    CHECK (phase IN ('opening', 'asking', 'calling', 'waiting', 'condensing', 'ended')),
    step            INTEGER NOT NULL DEFAULT 0,
    recover         INTEGER NOT NULL DEFAULT 0 CHECK (recover IN (0, 1)),
    budget_steps    INTEGER NOT NULL,
    budget_tokens   INTEGER NOT NULL,
    budget_ms       INTEGER NOT NULL,
    budget_money    INTEGER NOT NULL,
    tokens_in       INTEGER NOT NULL DEFAULT 0,
    tokens_out      INTEGER NOT NULL DEFAULT 0,
    usage_missing   INTEGER NOT NULL DEFAULT 0,
    money           INTEGER NOT NULL DEFAULT 0,          -- in millionths
    used_ms         INTEGER NOT NULL DEFAULT 0,
    began_at        INTEGER,
    tools           TEXT,                             -- a JSON list of names; NULL: all
    mistakes        INTEGER NOT NULL DEFAULT 0,
    turns           INTEGER NOT NULL DEFAULT 0,
    told_seq        INTEGER NOT NULL DEFAULT 0,
    last_seq        INTEGER NOT NULL DEFAULT 0,
    condensed_seq   INTEGER NOT NULL DEFAULT 0,
    condensing_seq  INTEGER NOT NULL DEFAULT 0,
    context_tokens  INTEGER NOT NULL DEFAULT 0,
    advice_id       TEXT,
    news            INTEGER NOT NULL DEFAULT 0,
    wanted          INTEGER NOT NULL DEFAULT 1 CHECK (wanted IN (0, 1)),
    node            TEXT,                             -- the node (council_nodes) that moves it on
    epoch           INTEGER NOT NULL DEFAULT 0,
    created_at      INTEGER NOT NULL,
    started_at      INTEGER,
    ended_at        INTEGER
) STRICT;
-- What a node looks for: short however many there are.
CREATE INDEX runs_wanting ON runs (created_at, job_id) WHERE wanted = 1 AND node IS NULL;
CREATE INDEX runs_node ON runs (node) WHERE node IS NOT NULL;
CREATE INDEX runs_project ON runs (project_id, created_at) WHERE project_id IS NOT NULL;
CREATE INDEX runs_agent ON runs (agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX runs_workspace ON runs (workspace_id);

-- The conversation, what was decided and why. Rows are only ever added.
CREATE TABLE run_entries (
    job_id      TEXT NOT NULL REFERENCES runs(job_id) ON DELETE CASCADE,
    seq         INTEGER NOT NULL,                        -- 1, 2, 3 ... within the run
    step        INTEGER NOT NULL,
    kind        TEXT NOT NULL CHECK (kind IN ('instructions', 'input', 'reply', 'call', 'result', 'note', 'condensed',
                                            'decision', 'error')),
    text        TEXT,
    data        TEXT,                                 -- a JSON object
    call_id     TEXT,
    model       TEXT,
    tokens_in   INTEGER,
    tokens_out  INTEGER,
    took_ms     INTEGER,
    created_at  INTEGER NOT NULL,
    PRIMARY KEY (job_id, seq)
) STRICT;

CREATE TABLE run_calls (
    id                  TEXT PRIMARY KEY,
    job_id              TEXT NOT NULL REFERENCES runs(job_id) ON DELETE CASCADE,
    step                INTEGER NOT NULL,
    position            INTEGER NOT NULL,
    provider_id         TEXT NOT NULL,
    name                TEXT NOT NULL,
    arguments           TEXT NOT NULL,
    approved_arguments  TEXT,
    state               TEXT NOT NULL
                        CHECK (state IN ('proposed', 'approval', 'queued', 'running', 'waiting', 'done')),
    outcome             TEXT CHECK (outcome IN ('ok', 'error', 'unavailable', 'timeout', 'too_large', 'cancelled',
                                              'interrupted', 'rejected', 'invalid', 'unknown', 'forbidden', 'skipped')),
    output              TEXT,
    question_id         TEXT,
    discussion_id       TEXT,
    prompt_id           TEXT,
    elicitation         TEXT,
    epoch               INTEGER NOT NULL DEFAULT 0,
    attempt             INTEGER NOT NULL DEFAULT 0,
    digest              TEXT,
    idempotent          INTEGER NOT NULL DEFAULT 0 CHECK (idempotent IN (0, 1)),
    created_at          INTEGER NOT NULL,
    started_at          INTEGER,
    ended_at            INTEGER,
    UNIQUE (job_id, step, position)
) STRICT;
CREATE INDEX run_calls_open ON run_calls (job_id, step, position) WHERE state <> 'done';
CREATE INDEX run_calls_question ON run_calls (question_id) WHERE question_id IS NOT NULL;
CREATE INDEX run_calls_discussion ON run_calls (discussion_id) WHERE discussion_id IS NOT NULL;
CREATE INDEX run_calls_prompt ON run_calls (prompt_id) WHERE prompt_id IS NOT NULL;

-- What a tool of an MCP server was when people last approved a call of it, in each workspace: one that has changed is asked about.
CREATE TABLE run_approved_tools (
    workspace_id  TEXT NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    name          TEXT NOT NULL,
    digest        TEXT NOT NULL,
    approved_at   INTEGER NOT NULL,
    PRIMARY KEY (workspace_id, name)
) STRICT;

CREATE TRIGGER agent_questions_run AFTER UPDATE OF status ON agent_questions FOR EACH ROW
WHEN OLD.status = 'pending' AND NEW.status <> 'pending'
BEGIN
    UPDATE runs SET news = news + 1, wanted = 1 WHERE phase <> 'ended' AND job_id = NEW.job_id;
END;

-- Nobody moves a run on whose job has ended: whoever holds it hears of it, and what is left of it is closed by the next.
CREATE TRIGGER jobs_run AFTER UPDATE OF status ON jobs FOR EACH ROW
WHEN NEW.status IN ('completed', 'failed', 'cancelled') AND OLD.status <> NEW.status
BEGIN
    UPDATE runs SET news = news + 1, wanted = 1, node = NULL WHERE phase <> 'ended' AND job_id = NEW.id;
END;

CREATE TRIGGER discussion_state_run AFTER UPDATE OF status ON discussion_state FOR EACH ROW
WHEN NEW.status IN ('completed', 'cancelled', 'failed') AND OLD.status <> NEW.status
BEGIN
    UPDATE runs SET news = news + 1, wanted = 1 WHERE phase <> 'ended' AND job_id IN (SELECT c.job_id FROM run_calls c WHERE c.discussion_id = NEW.discussion_id AND c.state = 'waiting');
END;

CREATE TRIGGER discussion_state_run_gone AFTER DELETE ON discussion_state FOR EACH ROW
BEGIN
    UPDATE runs SET news = news + 1, wanted = 1 WHERE phase <> 'ended' AND job_id IN (SELECT c.job_id FROM run_calls c WHERE c.discussion_id = OLD.discussion_id AND c.state = 'waiting');
END;

CREATE TRIGGER discussion_prompts_run AFTER UPDATE OF status ON discussion_prompts FOR EACH ROW
WHEN NEW.status NOT IN ('pending', 'collecting') AND OLD.status <> NEW.status
BEGIN
    UPDATE runs SET news = news + 1, wanted = 1 WHERE phase <> 'ended' AND job_id IN (SELECT c.job_id FROM run_calls c WHERE c.prompt_id = NEW.id AND c.state = 'waiting');
END;

CREATE TRIGGER discussion_prompts_run_gone AFTER DELETE ON discussion_prompts FOR EACH ROW
BEGIN
    UPDATE runs SET news = news + 1, wanted = 1 WHERE phase <> 'ended' AND job_id IN (SELECT c.job_id FROM run_calls c WHERE c.prompt_id = OLD.id AND c.state = 'waiting');
END;
