/*
 * Moving a discussion on in the name of a node, one transaction at a time. The state's row is locked first,
 * and a node that does not drive it any more is turned away before it can change anything.
 */
#include "core/council/drive_internal.h"

#include "base/str.h"
#include "core/council/budget_ask.h"
#include "core/council/machine.h"
#include "core/council/request.h"
#include "core/council/rules/retry.h"
#include "core/council/tell.h"
#include "core/council/voice.h"

#include <string.h>

/* A call that was out when its node died may have been heard, and paid for. */
static bool requeue(const struct tx *tx, const char *id)
{
    size_t lost;

    return tx_exec(tx, SQL_TURN_REQUEUE, DB_ARGS(db_text(id)), &lost) &&
           (lost == 0 ||
            tx_exec(tx, SQL_TURN_REQUEUE_COUNT, DB_ARGS(db_text(id), db_int((int64_t)lost)), NULL));
}

bool drive_claim(const struct tx *tx, const char *node, size_t limit, struct held_row **list, size_t *count)
{
    if (!holding_claim(tx, HOLDING_DISCUSSION, node, limit, list, count))
        return false;
    for (size_t i = 0; i < *count; i++)
        if (!requeue(tx, (*list)[i].id))
            return false;
    return true;
}

static bool enter(const struct tx *tx, const char *node, int64_t epoch, const char *id, struct discussion *d)
{
    return (discussion_lock_any(tx, id, d) || holding_gone(tx)) &&
           holding_fence(tx, HOLDING_DISCUSSION, &(struct holding_as){ d->driver, d->driver_epoch },
                         &(struct holding_as){ node, epoch });
}

bool drive_enter(const struct tx *tx, const struct drive_failure *as, struct discussion *d)
{
    return enter(tx, as->node, as->epoch, as->discussion_id, d);
}

static bool enter_turn(const struct tx *tx, const struct turn_ref *ref, struct discussion *d,
                       struct open_turn *turn)
{
    return enter(tx, ref->node, ref->epoch, ref->discussion_id, d) &&
           (open_turn_get(tx, ref->turn_id, turn) || holding_gone(tx));
}

bool drive_advance(const struct tx *tx, const char *node, int64_t epoch, const char *discussion_id,
                   struct drive_step *step)
{
    struct discussion d;
    struct machine m;

    return enter(tx, node, epoch, discussion_id, &d) && machine_begin(tx, &d, &m) && machine_run(&m, step);
}

/* Ballots, judges and summaries are a phase of their own from being asked to being answered. */
static enum council_phase while_out(const struct discussion *d, const struct open_turn *turn,
                                    enum council_phase phase)
{
    return turn->kind == TURN_TURN ? phase : d->phase;
}

/* What this call may take of the budget. One that is over, for what was lost or has come in meanwhile,
 * refuses it. */
static bool limit_call(struct machine *m, const struct open_turn *turn, struct turn_call *call)
{
    const struct allowance *allowed = &m->options.budget;
    struct budget_look look;
    int64_t reserved;

    call->once = budget_is_limited(allowed);
    if (!call->once)
        return true;
    if (!budget_look(m, turn, &look))
        return false;
    if (budget_judge(allowed, &look, &reserved) == BUDGET_SPENT)
        call->refused = "The budget is spent.";
    call->max_tokens =
        budget_share(allowed, &look, strlen(call->user) + (call->system ? strlen(call->system) : 0));
    return true;
}

bool drive_begin(const struct tx *tx, const struct turn_ref *ref, struct turn_call *call)
{
    struct open_turn turn;
    struct discussion d;
    struct machine m;

    if (!enter_turn(tx, ref, &d, &turn) || !machine_begin(tx, &d, &m))
        return false;
    if (turn.state == TURN_OUTSIDE)
        return err_set(tx->err, ERR_CONFLICT, "This turn is not for a model.");
    turn.state = TURN_CALLING;
    turn.partial = NULL;
    turn.started_ms = tx->now_ms;
    d.phase = while_out(&d, &turn, PHASE_CALLING);
    *call = (struct turn_call){ .ref = *ref,
                                .workspace_id = d.workspace_id,
                                .project_id = d.project_id,
                                .kind = turn.kind,
                                .round = turn.round,
                                .turn_index = turn.turn_index,
                                .attempt = turn.attempt,
                                .speaker = turn.speaker,
                                .agent_id = turn.agent_id };
    call->model_config = machine_model(&m, &turn);
    return voice_refusal(tx, call->model_config, &call->refused) && request_build(&m, &turn, call) &&
           limit_call(&m, &turn, call) && open_turn_save(tx, &turn) && discussion_save(tx, &d) &&
           tell_started(tx, &d, &turn);
}

bool drive_partial(const struct tx *tx, const struct turn_ref *ref, const char *text)
{
    struct open_turn turn;
    struct discussion d;

    if (!enter_turn(tx, ref, &d, &turn))
        return false;
    if (turn.state != TURN_CALLING) {
        err_set(tx->err, ERR_NOT_FOUND, "No call is out for this turn.");
        return holding_gone(tx);
    }
    turn.partial = text;
    d.phase = while_out(&d, &turn, PHASE_SPEAKING);
    return open_turn_save(tx, &turn) && discussion_save(tx, &d);
}

static void count_usage(struct discussion *d, struct open_turn *turn, const struct turn_reply *reply)
{
    int64_t calls = reply->attempts > 1 ? reply->attempts : 1;
    struct spent call = { .calls = calls, .missing = calls - reply->usage_known };

    if (reply->unasked)
        return;
    if (reply->usage_known) {
        call.tokens_in = reply->tokens_in;
        call.tokens_out = reply->tokens_out;
    }
    spent_add(&d->spent, &call);
    spent_add(&turn->spent, &call);
}

/* What a replay needs to make the same of a reply again, where that is not what was kept of it. */
static void write_source(const struct tx *tx, const struct turn_reply *reply, const struct reply_rules *rules,
                         const struct pass *pass, const char *kept, struct json_out *out)
{
    const char *text = reply->text ? reply->text : "";

    if (strcmp(str_trim(tx->arena, text), reply->failed ? "" : kept) != 0 && str_is_utf8(text, strlen(text)))
        json_text(out, "raw", text);
    if (rules->again)
        json_bool(out, "askedAgain", true);
    if (rules->stopped && pass->kind == PASS_EMPTY)
        json_bool(out, "stopped", true);
    if (rules->stop_count == 0)
        return;
    json_list(out, "stops");
    for (size_t i = 0; i < rules->stop_count; i++)
        json_text(out, NULL, rules->stops[i]);
    json_list_end(out);
}

/* All that is worth knowing of a reply beside its text. */
static const char *metadata_of(const struct tx *tx, const struct open_turn *turn,
                               const struct turn_reply *reply, const struct reply_rules *rules,
                               const struct pass *pass, const char *kept)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    json_map(&out, NULL);
    if (pass->kind != PASS_NOT)
        pass_members(pass, &out);
    if (pass->kind == PASS_FAILED)
        json_bool(&out, "failed", true);
    json_map(&out, "usage");
    spent_members(&turn->spent, &out);
    json_map_end(&out);
    json_text(&out, "model", reply->model);
    json_text(&out, "provider", reply->provider);
    if (reply->rehearsed)
        json_bool(&out, "rehearsed", true);
    json_text(&out, "finish", reply->finish);
    json_int(&out, "attempts", turn->attempt);
    json_int(&out, "tookMs", reply->took_ms);
    write_source(tx, reply, rules, pass, kept, &out);
    json_map_end(&out);
    return arena_copy(tx->arena, text.bytes, text.len);
}

/* The same turn once more. */
static bool try_again(struct machine *m, struct open_turn *turn, bool without_stops, int64_t delay_ms,
                      struct drive_step *step)
{
    turn->state = TURN_QUEUED;
    turn->attempt++;
    turn->partial = NULL;
    turn->without_stops = turn->without_stops || without_stops;
    if (!open_turn_save(m->tx, turn) || !machine_run(m, step))
        return false;
    for (size_t i = 0; i < step->call_count; i++)
        if (str_equal(step->calls[i].ref.turn_id, turn->id))
            step->calls[i].delay_ms = delay_ms;
    return true;
}

static struct pass pass_for(const struct tx *tx, const struct turn_reply *reply, const struct reply *cut)
{
    return reply->failed ? (struct pass){ PASS_FAILED, reply->error ? reply->error : "The call failed." }
                         : pass_of_reply(tx->arena, cut);
}

/* What a call that failed had brought is no contribution: its beginning is enough to see what went wrong. */
static struct turn_reply worth_keeping(const struct tx *tx, const struct turn_reply *reply)
{
    struct turn_reply kept = *reply;

    if (kept.failed && kept.text)
        kept.text = arena_copy(tx->arena, kept.text, str_fitting(kept.text, LIMIT_FAILED_TEXT));
    return kept;
}

bool drive_finish(const struct tx *tx, const struct turn_ref *ref, const struct turn_reply *heard,
                  struct drive_step *step)
{
    const struct turn_reply kept = worth_keeping(tx, heard), *reply = &kept;
    struct open_turn turn;
    struct discussion d;
    struct machine m;
    enum budget_left left = BUDGET_LEFT;
    int64_t delay_ms;
    bool again;

    if (!enter_turn(tx, ref, &d, &turn) || !machine_begin(tx, &d, &m))
        return false;
    struct reply_rules rules = request_rules(&m, &turn);

    rules.stopped = reply->stopped;
    struct reply cut =
        reply_cut(tx->arena, &rules, reply->text ? reply->text : "", reply->text ? strlen(reply->text) : 0);
    struct pass pass = pass_for(tx, reply, &cut);

    count_usage(&d, &turn, reply);
    struct retry_facts facts = { .attempt = turn.attempt,
                                 .without_stops = turn.without_stops,
                                 .failed = reply->failed,
                                 .permanent = reply->permanent,
                                 .again_ms = reply->again_ms,
                                 .pass = pass.kind,
                                 .lack = cut.lack };

    again = retry_is_worth(&facts, &delay_ms);
    if (again && !budget_ask(&m, &turn, &left))
        return false;
    if (again && left != BUDGET_SPENT)
        return try_again(&m, &turn, !reply->failed, delay_ms, step);
    struct logged logged = open_turn_logged(&turn);
    struct ruling_place place = { { turn.round, turn.turn_index }, turn.speaker, turn.role };
    struct ruling ruling = ruling_of_reply(tx->arena, &place, &cut, &pass);

    logged.manner = pass.kind == PASS_NOT ? ENTRY_SAID : ENTRY_PASSED;
    logged.content = pass.kind == PASS_NOT ? cut.text : pass.reason;
    logged.metadata = metadata_of(tx, &turn, reply, &rules, &pass, logged.content);
    return machine_log(&m, &turn, &logged) && machine_rule(&m, ruling) && machine_run(&m, step);
}
