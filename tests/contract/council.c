#include "council.h"

#include "base/clock.h"

const char *make_agent(struct t *t, const char *name, const char *role)
{
    call(t, "agent_create", "{s:s, s:s, s:{s:s, s:s}}", "name", name, "role", role, "ai_model_config",
         "provider", "ollama", "model", "played");
    CHECK_STATUS(201);
    return text_at(t, "id");
}

const char *make_external_agent(struct t *t, const char *name, const char *role)
{
    call(t, "agent_create", "{s:s, s:s, s:{s:s}}", "name", name, "role", role, "ai_model_config", "provider",
         "external");
    CHECK_STATUS(201);
    return text_at(t, "id");
}

static json_t *seats_of(const char *const names[], size_t count)
{
    json_t *list = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, strcmp(names[i], "user") == 0
                                        ? json_pack("{s:s}", "role", "user")
                                        : json_pack("{s:s}", "agentName", names[i]));
    return list;
}

const char *make_discussion_with(struct t *t, const char *mode, const char *options,
                                 const char *const names[], size_t count)
{
    JSON_AUTO *params = json_pack("{s:s, s:s, s:o, s:o}", "topic", "Which way?", "mode", mode, "participants",
                                  seats_of(names, count), "options", json_loads(options, 0, NULL));

    call_json(t, "discussion_create", params);
    CHECK_STATUS(201);
    return text_at(t, "discussion.id");
}

const char *make_discussion(struct t *t, const char *mode, int rounds, const char *const names[],
                            size_t count)
{
    JSON_AUTO *params = json_pack("{s:s, s:s, s:i, s:o}", "topic", "Which way?", "mode", mode, "rounds",
                                  rounds, "participants", seats_of(names, count));

    call_json(t, "discussion_create", params);
    CHECK_STATUS(201);
    return text_at(t, "discussion.id");
}

int say(struct t *t, const char *id, const char *message)
{
    return call(t, "discussion_message", "{s:s, s:s, s:s}", "id", id, "message", message, "userId", "maya");
}

int show_discussion(struct t *t, const char *id)
{
    return call(t, "discussion_get", "{s:s}", "id", id);
}

struct tx stage_begin(struct t *t, struct err *err)
{
    *err = (struct err){ 0 };
    assert_true(db_begin(t->db, true, err));
    return tx_of(t->db, &t->arena, clock_now_ms(), err);
}

void stage_commit(struct t *t)
{
    struct err err = { 0 };

    if (!db_commit(t->db, &err))
        fail_msg("%s", err.text);
}

void stage_rollback(struct t *t)
{
    db_rollback(t->db);
}

static void fine(bool done, const struct err *err)
{
    if (!done)
        fail_msg("%s: %s", err_name(err), err->text);
}

size_t stage_claim_later(struct t *t, const char *node, int64_t later_ms, struct held_row **list)
{
    struct err err;
    struct tx tx = stage_begin(t, &err);
    size_t count, own = 0;

    tx.now_ms += later_ms;
    fine(holding_node_renew(&tx, node, tx.now_ms + HOLDING_LEASE_MS), &err);
    fine(drive_claim(&tx, node, 100, list, &count), &err);
    stage_commit(t);
    for (size_t i = 0; i < count; i++)
        if (count_rows(t, "discussion_state WHERE discussion_id = '%s' AND workspace_id = '%s'",
                       (*list)[i].id, t->workspace) == 1)
            (*list)[own++] = (*list)[i];
    return own;
}

struct held_row stage_claim(struct t *t, const char *node)
{
    struct held_row *list;
    size_t count = stage_claim_later(t, node, 0, &list);

    assert_int_equal(count, 1);
    return list[0];
}

struct drive_step stage_advance(struct t *t, const char *node, const struct held_row *claimed)
{
    struct err err;
    struct tx tx = stage_begin(t, &err);
    struct drive_step step;

    fine(drive_advance(&tx, node, claimed->epoch, claimed->id, &step), &err);
    stage_commit(t);
    return step;
}

struct turn_call stage_call(struct t *t, const struct turn_ref *ref)
{
    struct err err;
    struct tx tx = stage_begin(t, &err);
    struct turn_call call;

    fine(drive_begin(&tx, ref, &call), &err);
    stage_commit(t);
    return call;
}

static struct turn_reply reply_for(struct stage *stage, const char *speaker)
{
    struct turn_reply reply = { .text = arena_format(&stage->t->arena, "%s speaks.", speaker),
                                .usage_known = true,
                                .tokens_in = 10,
                                .tokens_out = 5,
                                .model = "played",
                                .provider = "scripted" };

    for (size_t i = 0; i < stage->line_count; i++) {
        struct line *line = &stage->lines[i];

        if (line->used || strcmp(line->speaker, speaker) != 0)
            continue;
        line->used = true;
        reply.text = line->text ? line->text : "";
        reply.failed = line->error != NULL;
        reply.error = line->error;
        break;
    }
    return reply;
}

static void keep_lines(struct stage *stage, const struct drive_step *step)
{
    for (size_t i = 0; i < step->line_count; i++)
        stage->log = arena_format(&stage->t->arena, "%s%s\n", stage->log ? stage->log : "", step->lines[i]);
}

/* Calls in the order in which they were given, one after the other. */
static void perform(struct stage *stage, struct held_row *claimed)
{
    struct drive_step step = stage_advance(stage->t, stage->node, claimed);
    struct err err;

    keep_lines(stage, &step);
    while (!step.over && (stage->most == 0 || stage->calls < stage->most)) {
        if (step.call_count == 0) {
            step = stage_advance(stage->t, stage->node, claimed);
            keep_lines(stage, &step);
            continue;
        }
        struct turn_call made = stage_call(stage->t, &step.calls[0].ref);
        struct turn_reply reply = reply_for(stage, made.speaker);

        if (made.refused)
            reply = (struct turn_reply){
                .failed = true, .permanent = true, .unasked = true, .error = made.refused
            };
        struct tx tx = stage_begin(stage->t, &err);

        stage->asked = made.user;
        stage->calls += !made.refused;
        fine(drive_finish(&tx, &made.ref, &reply, &step), &err);
        stage_commit(stage->t);
        keep_lines(stage, &step);
    }
}

void play(struct stage *stage)
{
    struct held_row *list;
    size_t count;

    if (!stage->node)
        stage->node = "stage";
    while ((count = stage_claim_later(stage->t, stage->node, 0, &list)) > 0)
        for (size_t i = 0; i < count; i++) {
            perform(stage, &list[i]);
            if (stage->most > 0 && stage->calls >= stage->most)
                return;
        }
}

void play_lines(struct t *t, struct line *lines, size_t count)
{
    struct stage stage = { .t = t, .lines = lines, .line_count = count };

    play(&stage);
}

struct turn_call stage_half_said(struct t *t, const char *text)
{
    struct held_row claimed = stage_claim(t, "stage");
    struct drive_step step = stage_advance(t, "stage", &claimed);
    struct turn_call made = stage_call(t, &step.calls[0].ref);
    struct err err;
    struct tx tx = stage_begin(t, &err);

    assert_true(drive_partial(&tx, &made.ref, text));
    stage_commit(t);
    return made;
}
