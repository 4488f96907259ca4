/*
 * From top to bottom: a title, a heading, the list or the one thing, a line about what happened, and the
 * keys. Columns that there is no room for are left out, the last-named first.
 */
#include "cli/screen/draw.h"

#include "base/str.h"
#include "cli/client/question_view.h"
#include "cli/screen/columns.h"
#include "cli/screen/window.h"

#include <string.h>

#define FRAME_ROWS 4 /* title, heading, status, keys */
#define URGENT_S   60

static const struct column {
    const char *head, *member;
    size_t width, from; /* shown on terminals that are so wide */
} columns[] = {
    { "LEFT", NULL, 9, 0 },           { "TYPE", "type", 14, 40 }, { "FROM", "agent", 14, 70 },
    { "PROJECT", "project", 16, 96 }, { "FOR", "you", 14, 116 },
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

size_t draw_page(void)
{
    return window_rows() > FRAME_ROWS ? window_rows() - FRAME_ROWS : 1;
}

static const char *cell(struct arena *arena, const struct column *column, const json_t *item, int64_t now_ms)
{
    const char *text = column->member ? json_string_value(json_object_get(item, column->member)) : NULL;

    if (!item)
        text = column->head;
    else if (!column->member)
        text = view_left(arena, item, now_ms);
    else if (str_equal(column->member, "you"))
        text = view_for(arena, item);
    return columns_fit(arena, term_shown(arena, text, VISIBLE_PROSE), column->width);
}

static const char *words_of(struct arena *arena, const json_t *item)
{
    const char *text = view_text(arena, item);
    long long questions = json_integer_value(json_object_get(item, "questions"));

    return questions > 1 ? arena_format(arena, "%s (and %lld more)", text, questions - 1) : text;
}

/* Of an item, or, without one, the heading. */
static const char *row_text(struct arena *arena, const json_t *item, int64_t now_ms)
{
    const char *text = "";

    for (size_t i = 0; i < COLUMNS; i++)
        if (columns[i].from <= window_columns())
            text = arena_format(arena, "%s%s ", text, cell(arena, &columns[i], item, now_ms));
    return arena_format(arena, "%s%s", text, item ? words_of(arena, item) : "WHAT");
}

static bool is_urgent(struct arena *arena, const json_t *item, int64_t now_ms)
{
    const char *left = view_left(arena, item, now_ms);

    return str_starts(left, "0:");
}

static void draw_list(struct model *model, struct arena *arena)
{
    int64_t now_ms = model_now_ms(model);
    size_t page = draw_page();

    list_scroll(&model->list, page);
    window_row(1, STYLE_DIM, row_text(arena, NULL, now_ms));
    for (size_t i = 0; i < page && model->list.top + i < model->list.count; i++) {
        const json_t *item = list_item(&model->list, model->list.top + i);
        bool chosen = model->list.top + i == model->list.at;

        window_row(2 + i,
                   chosen                           ? STYLE_CHOSEN
                   : is_urgent(arena, item, now_ms) ? STYLE_URGENT
                                                    : STYLE_PLAIN,
                   row_text(arena, item, now_ms));
    }
    if (model->list.count == 0)
        window_row(2, STYLE_PLAIN,
                   json_array_size(model->list.items) > 0 ? "Nothing here matches the filter."
                                                          : "Nothing waits for an answer.");
}

static void draw_one(struct model *model, struct arena *arena)
{
    size_t count, page = draw_page() + 1;
    const char *const *lines = columns_wrap(arena, model->text ? model->text : "", window_columns(), &count);

    if (model->scrolled + page > count)
        model->scrolled = count > page ? count - page : 0;
    model->seen |= model->scrolled + page >= count;
    for (size_t i = 0; i < page && model->scrolled + i < count; i++)
        window_row(1 + i, STYLE_PLAIN, lines[model->scrolled + i]);
}

static const char *title(struct model *model, struct arena *arena)
{
    size_t all = json_array_size(model->list.items);
    const char *filter =
        model->list.filter[0] ? arena_format(arena, "  /%s: %zu", model->list.filter, model->list.count) : "";

    return arena_format(arena, "witan inbox  %zu%s %s, %lld %s you%s%s", all, model->more ? "+" : "",
                        all == 1 ? "waits" : "wait", (long long)model->need_you,
                        model->need_you == 1 ? "needs" : "need", filter,
                        model->away ? "  (the server is away; trying again)" : "");
}

/* The end of what is typed is what matters. */
static const char *ending(const char *text, size_t width)
{
    while (columns_of(text) > width) {
        uint32_t code;
        size_t bytes = str_decode(text, strlen(text), &code);

        text += bytes ? bytes : 1;
    }
    return text;
}

static void draw_input(struct model *model, struct arena *arena, size_t row)
{
    const char *prompt = model->mode == SCREEN_FILTER ? "/" : "Answer: ";
    size_t used = strlen(prompt), room = window_columns() > used + 1 ? window_columns() - used - 1 : 1;
    const char *end = ending(model->line.text, room);

    window_row(row, STYLE_BOLD, arena_format(arena, "%s%s", prompt, end));
    window_cursor(row, used + columns_of(end), true);
}

static void draw_status(struct model *model, struct arena *arena, size_t row)
{
    if (model->mode == SCREEN_CONFIRM)
        window_row(row, STYLE_BOLD,
                   arena_format(arena,
                                model_waits(model) ? "Answer \"%s\"? " MODEL_UNSEEN
                                                   : "Answer \"%s\"? Enter sends it.",
                                term_line(arena, model->words)));
    else
        window_row(row, STYLE_BOLD, term_line(arena, model->status));
    window_cursor(row, 0, false);
}

void draw(struct model *model)
{
    ARENA_AUTO arena = { 0 };
    size_t rows = window_rows();

    window_clear();
    window_row(0, STYLE_BOLD, title(model, &arena));
    if (model->mode == SCREEN_LIST || model->mode == SCREEN_FILTER)
        draw_list(model, &arena);
    else
        draw_one(model, &arena);
    window_row(rows - 1, STYLE_DIM, keys_help(model->mode));
    if (model->mode == SCREEN_FILTER || model->mode == SCREEN_ANSWER) {
        if (model->status[0] && rows > 3)
            window_row(rows - 3, STYLE_BOLD, term_line(&arena, model->status));
        draw_input(model, &arena, rows > 1 ? rows - 2 : 0);
    } else {
        draw_status(model, &arena, rows > 1 ? rows - 2 : 0);
    }
    window_show();
}
