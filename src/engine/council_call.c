/*
 * Asking the model. Its callbacks run on the loop of calls: text is passed on right there, and the result is
 * copied and sent to the driver as mail. Where a reply ends is known to the rules alone (reply_cut.h), since
 * it takes the names of all who speak; the loop is told once no more is wanted.
 */
#include "base/log.h"
#include "engine/council_internal.h"

static bool call_delta(void *user, const char *text, size_t len)
{
    return text_add(user, text, len);
}

static void call_restart(void *user)
{
    text_restart(user);
}

static struct turn *turn_of_mail(struct mail *mail)
{
    return (struct turn *)(void *)((char *)mail - offsetof(struct turn, mail));
}

static void call_ended(struct mail *mail)
{
    struct turn *turn = turn_of_mail(mail);

    text_end(turn);
    if (turn->doomed || turn->council->holder.stopping) {
        turn_drop(turn);
        return;
    }
    step_finish(turn);
}

/* The provider has been asked as often as it may be, unless a budget has to allow each attempt. */
static bool is_final(const struct turn *turn, const struct llm_result *result)
{
    return result->kind != LLM_FINE && (result->again_ms < 0 || turn->wanted.attempt > turn->model.retries);
}

static void keep_result(struct turn *turn, const struct llm_result *result)
{
    struct arena *arena = &turn->answer.arena;

    turn->answer.reply = (struct turn_reply){
        .text = arena_copy(arena, result->text ? result->text : "", result->text ? result->text_len : 0),
        .failed = result->kind != LLM_FINE,
        .permanent = is_final(turn, result),
        .error = result->kind != LLM_FINE ? arena_text(arena, result->words) : NULL,
        .usage_known = result->usage.input != LLM_NOT_REPORTED && result->usage.output != LLM_NOT_REPORTED,
        .tokens_in = result->usage.input,
        .tokens_out = result->usage.output,
        .stopped = result->stopped,
        .attempts = result->attempts,
        .again_ms = result->again_ms,
        .finish = llm_finish_name(result->finish),
        .model = turn->model.model,
        .provider = model_provider_name(turn->model.provider),
        .rehearsed = result->scripted,
        .took_ms = result->whole_ms,
    };
}

static void call_done(void *user, const struct llm_result *result)
{
    struct turn *turn = user;

    if (result->kind == LLM_FINE)
        text_close(turn, result->stopped);
    keep_result(turn, result);
    if (result->kind != LLM_FINE && result->kind != LLM_CANCELLED) {
        atomic_fetch_add(&turn->council->failures[result->kind], 1);
        /* Where a model's server is stands in the log alone; readers are told the model's name. */
        log_line(LOG_WARN, "a model did not answer", "discussion", turn->wanted.ref.discussion_id, "model",
                 *turn->model.name ? turn->model.name : turn->model.model, "url", model_url(&turn->model),
                 "why", result->words, NULL);
    }
    holder_post(&turn->council->holder, &turn->mail, call_ended);
}

/* There is nobody to ask: the turn is passed with the reason. */
static void call_failed(struct turn *turn, const struct err *err)
{
    turn->answer.reply = (struct turn_reply){
        .text = "",
        .failed = true,
        .permanent = true,
        .unasked = true,
        .error = arena_text(&turn->answer.arena, err->text),
    };
    atomic_fetch_add(&turn->council->failures[LLM_FAILED], 1);
    step_finish(turn);
}

void call_start(struct turn *turn, const struct turn_call *call)
{
    struct llm_message messages[2];
    struct llm_callbacks callbacks = {
        .delta = call_delta, .restart = call_restart, .done = call_done, .user = turn
    };
    size_t count = 0;
    struct err err = { 0 };

    if (call->system)
        messages[count++] = (struct llm_message){ .role = "system", .content = call->system };
    messages[count++] = (struct llm_message){ .role = "user", .content = call->user };
    struct llm_model model = turn->model;
    struct llm_request request = {
        .model = &model,
        .messages = messages,
        .message_count = count,
        .stops = call->stops,
        .stop_count = call->stop_count,
        .keep_stops = !call->send_stops,
        .own_cutting = true,
        .has_place = true,
        .once = call->once,
        .speaker = call->speaker,
        .turn = call->round,
        .kind = call->kind == TURN_TURN ? NULL : turn_kind_word(call->kind),
    };

    if (call->max_tokens > 0 && (model.max_tokens < 0 || model.max_tokens > call->max_tokens))
        model.max_tokens = call->max_tokens;
    if (call->refused) {
        err_set(&err, ERR_CONFLICT, "%s", call->refused);
        call_failed(turn, &err);
        return;
    }
    if (turn->no_model.code != ERR_NONE) {
        call_failed(turn, &turn->no_model);
        return;
    }
    turn->stage = STAGE_CALLS;
    text_begin(turn, call->rules);
    if (llm_start(turn->council->llm, &request, &callbacks, &turn->call, &err))
        return;
    text_end(turn);
    call_failed(turn, &err);
}
