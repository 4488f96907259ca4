/*
 * An answer is never sent by one key: the thing is shown whole with the answer beneath, and waits for Enter.
 * What has been settled by somebody else meanwhile leaves the screen, and says so.
 */
#include "cli/screen/model.h"

#include "base/clock.h"
#include "base/str.h"
#include "cli/client/question_view.h"

#include <stdio.h>

int64_t model_now_ms(const struct model *model)
{
    return clock_ticks_ms() + model->ahead_ms;
}

void model_say(struct model *model, const char *text)
{
    snprintf(model->status, sizeof(model->status), "%.*s", (int)str_fitting(text, sizeof(model->status) - 1),
             text);
}

static void say_err(struct model *model, const struct err *err)
{
    ARENA_AUTO arena = { 0 };

    model_say(model, arena_format(&arena, "%s %s", err->text, err->hint));
}

static bool shows_one(const struct model *model)
{
    return model->mode == SCREEN_SHOW || model->mode == SCREEN_CONFIRM || model->mode == SCREEN_ANSWER;
}

static void leave_one(struct model *model)
{
    model->mode = SCREEN_LIST;
    model->words = NULL;
}

bool model_read(struct model *model, struct err *err)
{
    struct arena *arena = &model->lists[model->which ^ 1];
    struct pending_items pending;

    arena_reset(arena);
    struct cli reading = *model->cli;

    reading.arena = arena;
    model->stale = false;
    model->read_ms = clock_ticks_ms();
    if (!pending_items_read(&reading, &model->filter, &pending, err))
        return false;
    list_fill(&model->list, arena, pending.items);
    model->which ^= 1;
    model->more = pending.more;
    model->need_you = pending.need_you;
    model->ahead_ms = pending.now_ms - clock_ticks_ms();
    if (shows_one(model) && !list_holds(&model->list, model->subject.of.id)) {
        leave_one(model);
        model_say(model, "It has been settled meanwhile.");
    }
    return true;
}

/* Everything about the one thing lives in an arena of its own, the item of the list included, which may be
 * read anew. */
static bool open_chosen(struct model *model)
{
    const json_t *chosen = list_chosen(&model->list);
    struct cli reading = *model->cli;
    BUF_AUTO text = { 0 };
    struct err err = { 0 };
    struct term term;

    if (!chosen)
        return false;
    json_t *item = json_incref((json_t *)(uintptr_t)chosen);

    json_decref((json_t *)(uintptr_t)model->subject.of.item);
    json_decref(model->item.found);
    model->item.found = NULL;
    arena_reset(&model->whole);
    reading.arena = &model->whole;
    model->subject =
        (struct subject){ .of = { .id = json_string_value(json_object_get(item, "id")), .item = item },
                          .kind = item_kind_of(item) };
    if (!item_read(&reading, &model->subject.of, model->subject.kind, &model->item, &err)) {
        say_err(model, &err);
        model->stale = true;
        return false;
    }
    model->subject.found = model->item.found;
    buf_init(&text, 0);
    term_init(&term, &model->whole, &text, false);
    item_write(&term, &model->subject.of, model->subject.kind, model->item.found, model_now_ms(model));
    model->text = arena_copy(&model->whole, text.bytes ? text.bytes : "", text.len);
    model->scrolled = 0;
    model->seen = false;
    model->status[0] = '\0';
    return true;
}

static void show(struct model *model)
{
    if (open_chosen(model))
        model->mode = SCREEN_SHOW;
}

static void answer(struct model *model, struct deed deed)
{
    struct err err = { 0 };

    if (!shows_one(model) && !open_chosen(model))
        return;
    model->mode = SCREEN_SHOW;
    switch (reply_to(&model->whole, &model->subject, deed, &model->words, &err)) {
    case REPLY_READY: model->mode = SCREEN_CONFIRM; break;
    case REPLY_TYPE:
        model->mode = SCREEN_ANSWER;
        line_set(&model->line, "");
        break;
    case REPLY_NOT: say_err(model, &err); break;
    }
}

static void send_answer(struct model *model)
{
    struct cli sending = *model->cli;
    struct client_reply reply;
    const char *said = "", *words = model->mode == SCREEN_ANSWER ? model->line.text : model->words;
    struct err err = { 0 };

    sending.arena = &model->whole;
    model->stale = true;
    if (!item_reply_check(&model->whole, &model->subject, words, &err) ||
        !item_reply_send(&sending, &model->subject, words, &reply, &said, &err)) {
        say_err(model, &err);
        if (model->mode == SCREEN_CONFIRM)
            model->mode = SCREEN_SHOW;
        return;
    }
    leave_one(model);
    model_say(model, said);
}

bool model_waits(const struct model *model)
{
    bool yes;

    return model->mode == SCREEN_CONFIRM && item_is_yes_or_no(&model->subject) && !model->seen &&
           view_yes_no(model->words, &yes) && yes;
}

static void send(struct model *model)
{
    if (model->mode == SCREEN_FILTER)
        model->mode = SCREEN_LIST;
    else if (!model_waits(model)) /* else the screen says so */
        send_answer(model);
}

static void back(struct model *model)
{
    switch (model->mode) {
    case SCREEN_CONFIRM:
    case SCREEN_ANSWER: model->mode = SCREEN_SHOW; break;
    case SCREEN_SHOW: leave_one(model); break;
    case SCREEN_LIST:
    case SCREEN_FILTER:
        model->mode = SCREEN_LIST;
        list_filter(&model->list, &model->lists[model->which], "");
        break;
    }
    model->status[0] = '\0';
}

static void edit(struct model *model, struct deed deed)
{
    if (deed.act == ACT_TYPE)
        line_add(&model->line, deed.code);
    else if (deed.act == ACT_RUB_OUT)
        line_rub_out(&model->line);
    else
        line_set(&model->line, "");
    if (model->mode == SCREEN_FILTER)
        list_filter(&model->list, &model->lists[model->which], model->line.text);
}

static void begin_filter(struct model *model)
{
    model->mode = SCREEN_FILTER;
    line_set(&model->line, model->list.filter);
}

/* In the list another row is chosen; where one thing is shown, it is scrolled (draw.c stops it at its end).
 */
static void move(struct model *model, long by)
{
    if (!shows_one(model))
        list_move(&model->list, by);
    else if (by < 0 && (size_t)-by > model->scrolled)
        model->scrolled = 0;
    else
        model->scrolled = (size_t)((long)model->scrolled + by);
}

void model_press(struct model *model, struct press press, size_t page)
{
    struct deed deed = keys_mean(model->mode, press);
    const long all = 1000000;

    switch (deed.act) {
    case ACT_QUIT: model->quit = true; break;
    case ACT_UP: move(model, -1); break;
    case ACT_DOWN: move(model, 1); break;
    case ACT_PAGE_UP: move(model, -(long)page); break;
    case ACT_PAGE_DOWN: move(model, (long)page); break;
    case ACT_FIRST: move(model, -all); break;
    case ACT_LAST: move(model, all); break;
    case ACT_SHOW: show(model); break;
    case ACT_BACK: back(model); break;
    case ACT_YES:
    case ACT_NO:
    case ACT_CHOOSE: answer(model, deed); break;
    case ACT_FILTER: begin_filter(model); break;
    case ACT_SEND: send(model); break;
    case ACT_TYPE:
    case ACT_RUB_OUT:
    case ACT_CLEAR: edit(model, deed); break;
    case ACT_REDRAW:
    case ACT_NONE: break;
    }
}

void model_done(struct model *model)
{
    list_done(&model->list);
    json_decref((json_t *)(uintptr_t)model->subject.of.item);
    json_decref(model->item.found);
    arena_done(&model->lists[0]);
    arena_done(&model->lists[1]);
    arena_done(&model->whole);
}
