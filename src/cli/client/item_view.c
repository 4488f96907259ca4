/* Each kind of thing that waits is read by its own operation and written for people by its own function. */
#include "cli/client/item_view.h"

#include "base/program.h"
#include "base/str.h"
#include "cli/client/question_ref.h"
#include "cli/client/question_view.h"

static void write_heading(struct term *term, const char *type, const json_t *thing, const char *by)
{
    term_paint(term, TERM_BOLD, type);
    if (by && *by)
        buf_format(term->out, "  asked by %s", term_line(term->arena, by));
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
    const json_t *question;
    size_t index;

    (void)now_ms;
    write_heading(term, "open_questions", set, member_text(term->arena, set, "agent"));
    json_array_foreach(json_object_get(set, "questions"), index, question)
    {
        const char *id = member_text(term->arena, question, "id");
        const char *answer = answer_to(term->arena, set, id);

        term_block(term, "  ",
                   arena_format(term->arena, "%s  %s", id, member_text(term->arena, question, "text")));
        if (answer)
            term_block(term, "    = ", answer);
    }
    buf_format(term->out, "about: %s %s\nanswer with: %s resolve %s QUESTION=ANSWER\n",
               term_line(term->arena, member_text(term->arena, set, "source")),
               term_line(term->arena, member_text(term->arena, set, "sourceId")), program_name(),
               term_line(term->arena, member_text(term->arena, set, "id")));
}

static void write_prompt(struct term *term, const json_t *reply, int64_t now_ms)
{
    const json_t *prompt = json_object_get(reply, "prompt"), *entry;
    size_t index;

    (void)now_ms;
    write_heading(term, "prompt", prompt, member_text(term->arena, prompt, "requester_agent"));
    term_block(term, "  ", member_text(term->arena, prompt, "prompt_message"));
    json_array_foreach(json_object_get(reply, "collectedContext"), index, entry)
        term_block(term, "    ",
                   arena_format(term->arena, "%s: %s", member_text(term->arena, entry, "agent"),
                                member_text(term->arena, entry, "message")));
    buf_format(term->out, "answer with: %s prompt answer %s TEXT --agent NAME\n", program_name(),
               term_line(term->arena, member_text(term->arena, prompt, "id")));
}

static void write_turn(struct term *term, const json_t *reply, int64_t now_ms)
{
    const json_t *discussion = json_object_get(reply, "discussion");
    const char *id = term_line(term->arena, member_text(term->arena, discussion, "id"));

    (void)now_ms;
    write_heading(term, "turn", discussion, NULL);
    term_block(term, "  ", member_text(term->arena, discussion, "topic"));
    buf_format(term->out,
               "read it with: %s call discussion_get id=%s\n"
               "take it with: %s call turn_take id=%s content=TEXT\n"
               "or on the page /discussions/%s\n",
               program_name(), id, program_name(), id, id);
}

static void write_question(struct term *term, const json_t *reply, int64_t now_ms)
{
    const json_t *question = json_object_get(reply, "question");

    view_write(term, question, now_ms);
    if (view_is_open(question))
        buf_format(term->out, "answer with: %s answer %s ...\n", program_name(),
                   question_ref_short(term->arena, member_text(term->arena, question, "id")));
    else
        buf_format(term->out, "%s: %s\n",
                   term_line(term->arena, member_text(term->arena, question, "status")),
                   term_line(term->arena, view_answer(term->arena, json_object_get(question, "response"))));
}

static const struct item_kind kinds[] = {
    { "open_questions", "open_question_get", write_set },
    { "prompt", "prompt_get", write_prompt },
    { "turn", "discussion_get", write_turn },
    { NULL, "question_get", write_question },
};

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
    return &kinds[1];
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
