/* Each kind of thing that waits is read by its own operation and written for people by its own function. */
#include "cli/client/item_view.h"

#include "base/program.h"
#include "base/str.h"
#include "cli/client/question_ref.h"
#include "cli/client/question_view.h"

enum { KIND_SET, KIND_PROMPT, KIND_TURN, KIND_QUESTION, KINDS };
static const struct item_kind kinds[KINDS];

static void write_heading(struct term *term, const char *type, const json_t *thing, const char *by)
{
    term_paint(term, TERM_BOLD, type);
    if (by && *by)
        buf_format(term->out, "  asked by %s", term_shown(term->arena, by, VISIBLE_PROSE));
    buf_format(term->out, "  %s\n", term_line(term->arena, member_text(term->arena, thing, "id")));
}

static const char *answer_to(struct arena *arena, const json_t *set, const char *question)
{
    const json_t *response;
    size_t index;

    json_array_foreach(json_object_get(set, "responses"), index, response)
    {
        if (str_equal(member_text(arena, response, "questionId"), question))
            return member_text(arena, response, "answer");
    }
    return NULL;
}

static void write_set(struct term *term, const json_t *set, int64_t now_ms)
{
    const char *title = member_text(term->arena, json_object_get(set, "task"), "title");
    const json_t *question;
    size_t index;

    (void)now_ms;
    write_heading(term, "open_questions", set, member_text(term->arena, set, "agent"));
    json_array_foreach(json_object_get(set, "questions"), index, question)
    {
        const char *id = member_text(term->arena, question, "id");
        const char *answer = answer_to(term->arena, set, id);

        term_shown_block(term, "  ",
                         arena_format(term->arena, "%s  %s", id, member_text(term->arena, question, "text")),
                         VISIBLE_PROSE);
        if (answer)
            term_block(term, "    = ", answer);
    }
    buf_format(term->out, "about: %s %s", term_line(term->arena, member_text(term->arena, set, "source")),
               term_line(term->arena, member_text(term->arena, set, "sourceId")));
    if (title)
        buf_format(term->out, "  %s", view_task(term->arena, title));
    buf_char(term->out, '\n');
    if (!item_is_open(&kinds[KIND_SET], set))
        buf_format(term->out, "settled by %s\n",
                   term_line(term->arena, member_text(term->arena, json_object_get(set, "outcome"), "by")));
    else
        buf_format(term->out, "dismiss with: %s resolve %s --dismiss\n", program_name(),
                   question_ref_short(term->arena, member_text(term->arena, set, "id")));
}

/* Those that have no answer yet. */
static const char *how_set(struct arena *arena, const char *id, const json_t *set)
{
    const char *text = arena_format(arena, "%s answer %s", program_name(), id);
    const json_t *question;
    size_t index;

    json_array_foreach(json_object_get(set, "questions"), index, question)
    {
        const char *key = member_text(arena, question, "id");

        if (key && !answer_to(arena, set, key))
            text = arena_format(arena, "%s %s=\"...\"", text, term_line(arena, key));
    }
    return text;
}

static void write_prompt(struct term *term, const json_t *reply, int64_t now_ms)
{
    const json_t *prompt = json_object_get(reply, "prompt"), *entry;
    size_t index;

    (void)now_ms;
    write_heading(term, "prompt", prompt, member_text(term->arena, prompt, "requester_agent"));
    term_shown_block(term, "  ", member_text(term->arena, prompt, "prompt_message"), VISIBLE_PROSE);
    json_array_foreach(json_object_get(reply, "collectedContext"), index, entry)
        term_block(term, "    ",
                   arena_format(term->arena, "%s: %s", member_text(term->arena, entry, "agent"),
                                member_text(term->arena, entry, "message")));
    if (!item_is_open(&kinds[KIND_PROMPT], reply))
        buf_format(term->out, "%s\n", term_line(term->arena, member_text(term->arena, prompt, "status")));
}

static void write_turn(struct term *term, const json_t *reply, int64_t now_ms)
{
    const json_t *discussion = json_object_get(reply, "discussion");
    const char *id = term_line(term->arena, member_text(term->arena, discussion, "id"));

    (void)now_ms;
    write_heading(term, "turn", discussion, NULL);
    term_shown_block(term, "  ", member_text(term->arena, discussion, "topic"), VISIBLE_PROSE);
    buf_format(term->out, "read it with: %s discuss show %s\nor on the page /discussions/%s\n",
               program_name(), id, id);
}

static const char *how_turn(struct arena *arena, const char *id, const json_t *found)
{
    (void)found;
    return arena_format(arena, "%s answer %s \"...\", or: %s answer %s pass", program_name(), id,
                        program_name(), id);
}

static const char *how_words(struct arena *arena, const char *id, const json_t *found)
{
    (void)found;
    return arena_format(arena, "%s answer %s \"...\"", program_name(), id);
}

static void write_question(struct term *term, const json_t *reply, int64_t now_ms)
{
    const json_t *question = json_object_get(reply, "question");
    const char *title = member_text(term->arena, reply, "taskTitle");

    view_write(term, question, now_ms);
    if (title)
        buf_format(term->out, "about: execute %s  %s\n",
                   term_line(term->arena, member_text(term->arena, reply, "taskId")),
                   view_task(term->arena, title));
    if (!view_is_open(question))
        buf_format(term->out, "%s: %s\n",
                   term_line(term->arena, member_text(term->arena, question, "status")),
                   term_line(term->arena, view_answer(term->arena, json_object_get(question, "response"))));
}

static const char *how_question(struct arena *arena, const char *id, const json_t *reply)
{
    return view_how(arena, id, json_object_get(reply, "question"));
}

static const struct item_kind kinds[KINDS] = {
    [KIND_SET] = { "open_questions", "a set of open questions", "open_question_get", write_set, how_set },
    [KIND_PROMPT] = { "prompt", "a prompt of another agent", "prompt_get", write_prompt, how_words },
    [KIND_TURN] = { "turn", "a turn in a discussion", "discussion_get", write_turn, how_turn },
    [KIND_QUESTION] = { NULL, "a question", "question_get", write_question, how_question },
};

const char *const item_other_types[] = { "open_questions", "prompt", "turn", NULL };

const struct item_kind *item_kind_of(const json_t *item)
{
    const char *type = json_string_value(json_object_get(item, "type"));
    const struct item_kind *kind = kinds;

    while (kind->type && !str_equal(kind->type, type))
        kind++;
    return kind;
}

const struct item_kind *item_kind_prompt(void)
{
    return &kinds[KIND_PROMPT];
}

bool item_is_open(const struct item_kind *kind, const json_t *found)
{
    if (kind == &kinds[KIND_QUESTION])
        return view_is_open(json_object_get(found, "question"));
    if (kind == &kinds[KIND_SET])
        return str_equal(json_string_value(json_object_get(found, "status")), "open");
    /* Whose turn it is nobody knows by the discussion; one that was found in the inbox waits. */
    return kind != &kinds[KIND_PROMPT] || !json_is_true(json_object_get(found, "terminal"));
}

const char *item_how(struct arena *arena, const struct item_subject *subject, const struct item_kind *kind,
                     const json_t *found)
{
    return kind->how(arena, question_ref_short(arena, subject->id), found);
}

void item_write(struct term *term, const struct item_subject *subject, const struct item_kind *kind,
                const json_t *found, int64_t now_ms)
{
    bool mine = !view_bar(json_object_get(found, "question")) && !view_bar(subject->item);

    kind->write(term, found, now_ms);
    if (item_is_open(kind, found) && mine)
        buf_format(term->out, "answer with: %s\n", item_how(term->arena, subject, kind, found));
}

bool item_read(struct cli *cli, const struct item_subject *subject, const struct item_kind *kind,
               struct item_whole *whole, struct err *err)
{
    JSON_AUTO *params = json_pack("{s:s}", "id", subject->id);

    if (kind->write == write_set) {
        json_object_set(params, "nid", json_object_get(params, "id"));
        json_object_set(params, "id", json_object_get(subject->item, "projectId"));
    }
    if (kind->write == write_turn)
        json_object_set(params, "id", json_object_get(subject->item, "discussionId"));
    return invoke_json(cli, op_find(kind->op), params, 0, &whole->reply, &whole->found, err);
}
