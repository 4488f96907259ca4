/*
 * Asking the model of a run: the pause before, the line, the call. There is one such call for a run at a
 * time. Callbacks run on the loop of calls, where the result is copied and sent to the runner as mail.
 */
#include "base/log.h"
#include "base/str.h"
#include "engine/runner_internal.h"

#include <stdio.h>

/* Of runs whose model nobody can be asked for: they fail at once, in their order. */
static const struct lane_key no_model_lane = { .name = "-", .server = "-", .most = 64 };

static struct held_run *held_of_mail(struct mail *mail)
{
    return (struct held_run *)(void *)((char *)mail - offsetof(struct held_run, mail));
}

static void stand_in_line(struct held_run *held)
{
    struct runner *runner = held->runner;
    struct lane_key lane = no_model_lane;

    arena_reset(&held->answer_arena);
    held->answer = (struct llm_result){ 0 };
    held->answer_given_up = false;
    held->no_model = (struct err){ 0 };
    if (model_of_config(&held->answer_arena, held->talk.model_config, &held->model, &held->no_model))
        lane = lane_of_model(&held->answer_arena, &held->model);
    lane.group = held->job_id;
    held->stage = ASK_LINE;
    lanes_join(runner->lanes, &runner->client, &held->place, &lane);
}

static void pause_is_over(void *user)
{
    stand_in_line(user);
}

static void enter(struct held_run *held, int64_t delay_ms)
{
    if (delay_ms <= 0) {
        stand_in_line(held);
        return;
    }
    held->stage = ASK_LATER;
    holder_after(&held->runner->holder, &held->pause, delay_ms, pause_is_over, held);
}

static bool is_in_hand(const struct held_run *held, const struct run_step *step)
{
    return held->stage != ASK_NOT && held->turn == step->turn &&
           str_equal(held->kind, step->kind ? step->kind : "");
}

void ask_wanted(struct held_run *held, const struct run_step *step)
{
    if (is_in_hand(held, step))
        return;
    ask_drop(held);
    /* It was claimed when only tools were to be run, as after an approval: what was said before is not here,
     * and a look brings all of it. */
    if (!step->afresh && held->talk.count == 0) {
        held->look = true;
        return;
    }
    talk_take(held, step);
    held->turn = step->turn;
    held->max_tokens = step->max_tokens;
    snprintf(held->kind, sizeof(held->kind), "%s", step->kind ? step->kind : "");
    if (held->stage == ASK_OUT)
        held->anew = true; /* never two calls for one run: the other comes back first */
    else
        enter(held, step->delay_ms);
}

void ask_drop(struct held_run *held)
{
    struct runner *runner = held->runner;

    switch (held->stage) {
    case ASK_NOT: break;
    case ASK_LATER: timers_stop(&runner->holder.timers, &held->pause); break;
    case ASK_LINE: lanes_leave(runner->lanes, &held->place); break;
    case ASK_OUT:
        held->anew = false;
        llm_cancel(runner->llm, held->call);
        return;
    case ASK_BACK: break;
    }
    held->stage = ASK_NOT;
}

/* The call. */

static void call_ended(struct mail *mail)
{
    struct held_run *held = held_of_mail(mail);
    bool wanted = !held->doomed && held->answer.kind != LLM_CANCELLED;

    lanes_leave(held->runner->lanes, &held->place);
    held->stage = wanted && !held->anew ? ASK_BACK : ASK_NOT;
    if (held->anew && !held->doomed) {
        held->anew = false;
        stand_in_line(held);
        return;
    }
    /* Closed by somebody else, as when the server stops: what the store says decides. */
    held->look |= !held->doomed && !wanted;
    held_move(held);
}

static void call_restart(void *user)
{
    (void)user; /* no piece of it has been passed on */
}

static void keep_calls(struct arena *arena, const struct llm_result *from, struct llm_result *to)
{
    struct llm_tool_call *calls = arena_array(arena, struct llm_tool_call, from->tool_call_count);

    for (size_t i = 0; i < from->tool_call_count; i++) {
        calls[i] = from->tool_calls[i];
        calls[i].id = arena_text(arena, calls[i].id);
        calls[i].name = arena_text(arena, calls[i].name);
        calls[i].arguments = arena_text(arena, calls[i].arguments);
    }
    to->tool_calls = calls;
}

static void keep_result(struct held_run *held, const struct llm_result *result)
{
    struct arena *arena = &held->answer_arena;

    held->answer = *result;
    held->answer.words = arena_text(arena, result->words ? result->words : "");
    held->answer.text_len = result->text ? result->text_len : 0;
    held->answer.text = arena_copy(arena, result->text ? result->text : "", held->answer.text_len);
    keep_calls(arena, result, &held->answer);
}

static void call_done(void *user, const struct llm_result *result)
{
    struct held_run *held = user;

    keep_result(held, result);
    if (result->kind != LLM_FINE && result->kind != LLM_CANCELLED) {
        atomic_fetch_add(&held->runner->failures[result->kind], 1);
        /* Where a model's server is stands in the log alone; readers are told the model's name. */
        log_line(LOG_WARN, "a model did not answer", "job", held->job_id, "model",
                 *held->model.name ? held->model.name : held->model.model, "url", model_url(&held->model),
                 "why", result->words, NULL);
    }
    holder_post(&held->runner->holder, &held->mail, call_ended);
}

/* There is nobody to ask. */
static void call_failed(struct held_run *held, const struct err *err)
{
    held->answer = (struct llm_result){
        .kind = LLM_FAILED,
        .words = arena_text(&held->answer_arena, err->text),
        .text = "",
        .usage = { LLM_NOT_REPORTED, LLM_NOT_REPORTED },
        .again_ms = -1,
        .first_ms = -1,
    };
    atomic_fetch_add(&held->runner->failures[LLM_FAILED], 1);
    lanes_leave(held->runner->lanes, &held->place);
    held->stage = ASK_BACK;
    held_move(held);
}

void ask_start(struct held_run *held)
{
    const struct run_talk *talk = &held->talk;
    struct llm_callbacks callbacks = { .restart = call_restart, .done = call_done, .user = held };
    struct llm_model model = held->model;
    struct llm_request request = {
        .model = &model,
        .messages = talk->messages,
        .message_count = talk->count,
        .has_place = true,
        .tools = talk->tools,
        .tool_count = *held->kind ? 0 : talk->tool_count,
        .speaker = talk->speaker,
        .turn = (int)held->turn,
        .kind = *held->kind ? held->kind : NULL,
    };
    struct err err = { 0 };

    if (held->no_model.code != ERR_NONE) {
        call_failed(held, &held->no_model);
        return;
    }
    if (held->max_tokens > 0 && (model.max_tokens < 0 || model.max_tokens > held->max_tokens))
        model.max_tokens = held->max_tokens;
    held->stage = ASK_OUT;
    if (!llm_start(held->runner->llm, &request, &callbacks, &held->call, &err))
        call_failed(held, &err);
}

/* The same reply would be refused again: the reason takes its place. What was used stays counted. */
void ask_give_up(struct held_run *held, const struct err *why)
{
    log_line(LOG_WARN, "a model's reply could not be stored", "job", held->job_id, "why", why->text, NULL);
    held->answer_given_up = true;
    held->answer.kind = LLM_FAILED;
    held->answer.words =
        arena_format(&held->answer_arena, "Its reply could not be stored. %s", err_for_callers(why));
    held->answer.text = "";
    held->answer.text_len = held->answer.tool_call_count = 0;
    held->answer.again_ms = -1;
}
