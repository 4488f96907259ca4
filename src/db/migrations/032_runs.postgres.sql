-- Jobs that witan runs itself: an agent on a model in a loop of tools.
--
-- Whoever moves a run on has locked its job first. What ends what a run waits for (a question, a discussion, a prompt, the job
-- itself) makes the run wanted, in the same transaction, whoever does it: the triggers below. `news` counts that, so that
-- a step that looks at the same moment does not miss it.

CREATE TABLE runs (
    job_id          TEXT COLLATE "C" PRIMARY KEY REFERENCES jobs(id) ON DELETE CASCADE,
    workspace_id    TEXT COLLATE "C" NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    project_id      TEXT COLLATE "C" REFERENCES projects(id) ON DELETE SET NULL,
    agent_id        TEXT COLLATE "C" REFERENCES agent_templates(id) ON DELETE SET NULL,
    agent           TEXT COLLATE "C" NOT NULL,
    model_config    TEXT COLLATE "C",
    requester_role  TEXT COLLATE "C",
    instructions    TEXT COLLATE "C" NOT NULL,
    model           TEXT COLLATE "C",
    phase           TEXT COLLATE "C" NOT NULL DEFAULT 'opening'
                    CHECK (phase IN ('opening', 'asking', 'calling', 'waiting', 'condensing', 'ended')),
    step            BIGINT NOT NULL DEFAULT 0,
    recover         BOOLEAN NOT NULL DEFAULT FALSE,
    budget_steps    BIGINT NOT NULL,
    budget_tokens   BIGINT NOT NULL,
    budget_ms       BIGINT NOT NULL,
    budget_money    BIGINT NOT NULL,
    tokens_in       BIGINT NOT NULL DEFAULT 0,
    tokens_out      BIGINT NOT NULL DEFAULT 0,
    usage_missing   BIGINT NOT NULL DEFAULT 0,
    money           BIGINT NOT NULL DEFAULT 0,          -- in millionths
    used_ms         BIGINT NOT NULL DEFAULT 0,
    began_at        BIGINT,
    tools           TEXT COLLATE "C",                             -- a JSON list of names; NULL: all
    mistakes        BIGINT NOT NULL DEFAULT 0,
    turns           BIGINT NOT NULL DEFAULT 0,
    told_seq        BIGINT NOT NULL DEFAULT 0,
    last_seq        BIGINT NOT NULL DEFAULT 0,
    condensed_seq   BIGINT NOT NULL DEFAULT 0,
    condensing_seq  BIGINT NOT NULL DEFAULT 0,
    context_tokens  BIGINT NOT NULL DEFAULT 0,
    advice_id       TEXT COLLATE "C",
    news            BIGINT NOT NULL DEFAULT 0,
    wanted          BIGINT NOT NULL DEFAULT 1 CHECK (wanted IN (0, 1)),
    node            TEXT COLLATE "C",                             -- the node (council_nodes) that moves it on
    epoch           BIGINT NOT NULL DEFAULT 0,
    created_at      BIGINT NOT NULL,
    started_at      BIGINT,
    ended_at        BIGINT
);
-- What a node looks for: short however many there are.
CREATE INDEX runs_wanting ON runs (created_at, job_id) WHERE wanted = 1 AND node IS NULL;
CREATE INDEX runs_node ON runs (node) WHERE node IS NOT NULL;
CREATE INDEX runs_project ON runs (project_id, created_at) WHERE project_id IS NOT NULL;
CREATE INDEX runs_agent ON runs (agent_id) WHERE agent_id IS NOT NULL;
CREATE INDEX runs_workspace ON runs (workspace_id);

-- The conversation, what was decided and why. Rows are only ever added.
CREATE TABLE run_entries (
    job_id      TEXT COLLATE "C" NOT NULL REFERENCES runs(job_id) ON DELETE CASCADE,
    seq         BIGINT NOT NULL,                        -- 1, 2, 3 ... within the run
    step        BIGINT NOT NULL,
    kind        TEXT COLLATE "C" NOT NULL CHECK (kind IN ('instructions', 'input', 'reply', 'call', 'result', 'note', 'condensed',
                                            'decision', 'error')),
    text        TEXT COLLATE "C",
    data        TEXT COLLATE "C",                                 -- a JSON object
    call_id     TEXT COLLATE "C",
    model       TEXT COLLATE "C",
    tokens_in   BIGINT,
    tokens_out  BIGINT,
    took_ms     BIGINT,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (job_id, seq)
);

CREATE TABLE run_calls (
    id                  TEXT COLLATE "C" PRIMARY KEY,
    job_id              TEXT COLLATE "C" NOT NULL REFERENCES runs(job_id) ON DELETE CASCADE,
    step                BIGINT NOT NULL,
    position            BIGINT NOT NULL,
    provider_id         TEXT COLLATE "C" NOT NULL,
    name                TEXT COLLATE "C" NOT NULL,
    arguments           TEXT COLLATE "C" NOT NULL,
    approved_arguments  TEXT COLLATE "C",
    state               TEXT COLLATE "C" NOT NULL
                        CHECK (state IN ('proposed', 'approval', 'queued', 'running', 'waiting', 'done')),
    outcome             TEXT COLLATE "C" CHECK (outcome IN ('ok', 'error', 'unavailable', 'timeout', 'too_large', 'cancelled',
                                              'interrupted', 'rejected', 'invalid', 'unknown', 'forbidden', 'skipped')),
    output              TEXT COLLATE "C",
    question_id         TEXT COLLATE "C",
    discussion_id       TEXT COLLATE "C",
    prompt_id           TEXT COLLATE "C",
    elicitation         TEXT COLLATE "C",
    epoch               BIGINT NOT NULL DEFAULT 0,
    attempt             BIGINT NOT NULL DEFAULT 0,
    digest              TEXT COLLATE "C",
    idempotent          BOOLEAN NOT NULL DEFAULT FALSE,
    created_at          BIGINT NOT NULL,
    started_at          BIGINT,
    ended_at            BIGINT,
    UNIQUE (job_id, step, position)
);
CREATE INDEX run_calls_open ON run_calls (job_id, step, position) WHERE state <> 'done';
CREATE INDEX run_calls_question ON run_calls (question_id) WHERE question_id IS NOT NULL;
CREATE INDEX run_calls_discussion ON run_calls (discussion_id) WHERE discussion_id IS NOT NULL;
CREATE INDEX run_calls_prompt ON run_calls (prompt_id) WHERE prompt_id IS NOT NULL;

-- What a tool of an MCP server was when people last approved a call of it, in each workspace: one that has changed is asked about.
CREATE TABLE run_approved_tools (
    workspace_id  TEXT COLLATE "C" NOT NULL REFERENCES workspaces(id) ON DELETE CASCADE,
    name          TEXT COLLATE "C" NOT NULL,
    digest        TEXT COLLATE "C" NOT NULL,
    approved_at   BIGINT NOT NULL,
    PRIMARY KEY (workspace_id, name)
);

CREATE FUNCTION agent_questions_run() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    UPDATE runs SET news = news + 1, wanted = 1 WHERE phase <> 'ended' AND job_id = NEW.job_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER agent_questions_run AFTER UPDATE OF status ON agent_questions FOR EACH ROW
WHEN (OLD.status = 'pending' AND NEW.status <> 'pending')
EXECUTE FUNCTION agent_questions_run();

-- Nobody moves a run on whose job has ended: whoever holds it hears of it, and what is left of it is closed by the next.
CREATE FUNCTION jobs_run() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    UPDATE runs SET news = news + 1, wanted = 1, node = NULL WHERE phase <> 'ended' AND job_id = NEW.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER jobs_run AFTER UPDATE OF status ON jobs FOR EACH ROW
WHEN (NEW.status IN ('completed', 'failed', 'cancelled') AND OLD.status <> NEW.status)
EXECUTE FUNCTION jobs_run();

CREATE FUNCTION discussion_state_run() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    UPDATE runs SET news = news + 1, wanted = 1 WHERE phase <> 'ended' AND job_id IN (SELECT c.job_id FROM run_calls c WHERE c.discussion_id = NEW.discussion_id AND c.state = 'waiting');
    RETURN NULL;
END
$$;

CREATE TRIGGER discussion_state_run AFTER UPDATE OF status ON discussion_state FOR EACH ROW
WHEN (NEW.status IN ('completed', 'cancelled', 'failed') AND OLD.status <> NEW.status)
EXECUTE FUNCTION discussion_state_run();

CREATE FUNCTION discussion_state_run_gone() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    UPDATE runs SET news = news + 1, wanted = 1 WHERE phase <> 'ended' AND job_id IN (SELECT c.job_id FROM run_calls c WHERE c.discussion_id = OLD.discussion_id AND c.state = 'waiting');
    RETURN NULL;
END
$$;

CREATE TRIGGER discussion_state_run_gone AFTER DELETE ON discussion_state FOR EACH ROW
EXECUTE FUNCTION discussion_state_run_gone();

CREATE FUNCTION discussion_prompts_run() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    UPDATE runs SET news = news + 1, wanted = 1 WHERE phase <> 'ended' AND job_id IN (SELECT c.job_id FROM run_calls c WHERE c.prompt_id = CAST(NEW.id AS TEXT) AND c.state = 'waiting');
    RETURN NULL;
END
$$;

CREATE TRIGGER discussion_prompts_run AFTER UPDATE OF status ON discussion_prompts FOR EACH ROW
WHEN (NEW.status NOT IN ('pending', 'collecting') AND OLD.status <> NEW.status)
EXECUTE FUNCTION discussion_prompts_run();

CREATE FUNCTION discussion_prompts_run_gone() RETURNS TRIGGER LANGUAGE plpgsql SET search_path FROM CURRENT
AS $$
BEGIN
    UPDATE runs SET news = news + 1, wanted = 1 WHERE phase <> 'ended' AND job_id IN (SELECT c.job_id FROM run_calls c WHERE c.prompt_id = CAST(OLD.id AS TEXT) AND c.state = 'waiting');
    RETURN NULL;
END
$$;

CREATE TRIGGER discussion_prompts_run_gone AFTER DELETE ON discussion_prompts FOR EACH ROW
EXECUTE FUNCTION discussion_prompts_run_gone();
