/*
 * Everything is gathered first and then written twice, as parts and as one text, from the same struct. The
 * chat is read as a caller that is bound to this project: a prompt must not carry another project's words,
 * however much its reader may see.
 */
#include "core/work/brief.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/str.h"
#include "core/chat/chat.h"
#include "core/work/question_set.h"

#include <string.h>

struct brief_answer {
    const char *set_id, *question_id;
    const char *question;
    const char *answer; /* NULL: none */
    const char *by;
    enum outcome_source source;
    bool has_approved, approved;
    int64_t at_ms;
};

struct gathered {
    struct brief_answer *answers; /* oldest first */
    size_t answer_count;
    struct chat *messages; /* newest first */
    size_t message_count;
};

static const char *member(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static const json_t *response_to(const json_t *responses, const char *id)
{
    for (size_t i = 0; i < json_array_size(responses); i++)
        if (str_equal(member(json_array_get(responses, i), "questionId"), id))
            return json_array_get(responses, i);
    return NULL;
}

/* What was answered before the set was settled says itself who gave it, and when. */
static void credit_giver(struct arena *arena, const json_t *response, struct brief_answer *answer)
{
    const char *by = member(response, "by"), *at = member(response, "at");
    int64_t at_ms;

    if (!by || !at || !clock_parse(at, &at_ms))
        return;
    answer->by = arena_text(arena, by);
    answer->at_ms = at_ms;
}

static bool add_set(struct arena *arena, const struct question_set *set, struct gathered *gathered,
                    struct err *err)
{
    JSON_AUTO *questions = NULL;
    JSON_AUTO *responses = NULL;

    if (!json_parse(set->questions, strlen(set->questions), &questions, err) ||
        !json_parse(set->responses, strlen(set->responses), &responses, err))
        return false;
    for (size_t i = 0; i < json_array_size(questions) && i < LIMIT_QUESTIONS; i++) {
        const json_t *question = json_array_get(questions, i);
        const json_t *response = response_to(responses, member(question, "id"));
        struct brief_answer *answer = &gathered->answers[gathered->answer_count++];

        *answer = (struct brief_answer){
            .set_id = set->id,
            .question_id = arena_text(arena, member(question, "id")),
            .question = arena_text(arena, member(question, "text")),
            .answer = arena_text(arena, member(response, "answer")),
            .by = set->outcome_by,
            .source = set->outcome_source,
            .has_approved = set->has_approved,
            .approved = set->approved,
            .at_ms = set->resolved_ms,
        };
        credit_giver(arena, response, answer);
    }
    return true;
}

static bool gather_answers(const struct tx *tx, const struct project *project,
                           const struct brief_subject *subject, struct gathered *gathered)
{
    struct question_set *sets;
    size_t count;

    if (!question_set_of_source(tx, project,
                                &(struct question_set_filter){ .source = subject->source,
                                                               .source_id = subject->source_id,
                                                               .status = SET_RESOLVED,
                                                               .limit = LIMIT_CONTEXT_SETS },
                                &sets, &count))
        return false;
    gathered->answers = arena_array(tx->arena, struct brief_answer, count * LIMIT_QUESTIONS);
    for (size_t i = count; i > 0; i--)
        if (!add_set(tx->arena, &sets[i - 1], gathered, tx->err))
            return false;
    return true;
}

static bool gather_chat(const struct tx *tx, const struct project *project,
                        const struct brief_subject *subject, struct gathered *gathered)
{
    /* For every caller: a prompt for work in this project holds nothing of another one. */
    const struct caller within = { .workspace_id = project->workspace_id, .project_id = project->id };
    struct tx narrowed = *tx;
    struct chat_page page;

    if (subject->source != SOURCE_EXECUTE)
        return true;
    narrowed.caller = &within;
    if (!chat_list(&narrowed,
                   &(struct chat_filter){ .task_ref = subject->source_id, .limit = LIMIT_CONTEXT_CHAT },
                   &page))
        return false;
    gathered->messages = page.messages;
    gathered->message_count = page.count;
    return true;
}

/* Writing it as one text */

const char *const said_as[] = { "text", "answer", "name", NULL };
WORDS_FIT(said_as, SAID_END);

/* Of an answer its giver three times and its words, of a message its author and its words. */
#define SAID_OF_ANSWER  5
#define SAID_OF_MESSAGE 2

struct brief_text {
    struct buf *text;
    struct brief_said *said;
    size_t said_count;
};

/* Rows that other programs write may lack a word. */
static void say(struct brief_text *prompt, enum said_as as, const char *of, const char *by, const char *words)
{
    if (!words)
        return;
    prompt->said[prompt->said_count++] =
        (struct brief_said){ .as = as, .of = of, .by = by, .at = prompt->text->len, .bytes = strlen(words) };
    buf_text(prompt->text, words);
}

/* The agent must not take a no, or nothing at all, for leave to go on. */
static void say_verdict(struct brief_text *prompt, const struct brief_answer *answer, const char *verdict)
{
    say(prompt, SAID_NAME, answer->set_id, answer->by, answer->by);
    buf_text(prompt->text, verdict);
}

static void say_answer(struct brief_text *prompt, const struct brief_answer *answer)
{
    buf_text(prompt->text, "\nQuestion: ");
    say(prompt, SAID_TEXT, answer->set_id, NULL, answer->question);
    buf_text(prompt->text, "\n");
    if (answer->answer) {
        buf_text(prompt->text, "Answer (");
        say(prompt, SAID_NAME, answer->set_id, answer->by, answer->by);
        buf_text(prompt->text, "): ");
        say(prompt, SAID_ANSWER, answer->set_id, answer->by, answer->answer);
        buf_text(prompt->text, "\n");
    }
    if (answer->answer && answer->source == OUTCOME_CANCELLED)
        return;
    if (answer->source == OUTCOME_CANCELLED)
        say_verdict(prompt, answer, " dismissed this without an answer. It counts as not approved.\n");
    else if (answer->has_approved)
        say_verdict(prompt, answer, answer->approved ? " approved this.\n" : " did not approve this.\n");
    else if (!answer->answer)
        say_verdict(prompt, answer, " gave no answer to this.\n");
}

static void say_message(struct brief_text *prompt, const struct chat *message)
{
    buf_text(prompt->text, "[");
    say(prompt, SAID_NAME, message->id, message->agent_name, message->agent_name);
    buf_text(prompt->text, "]: ");
    say(prompt, SAID_TEXT, message->id, NULL, message->message);
    buf_text(prompt->text, "\n");
}

static struct brief prompt_of(struct arena *arena, const struct project *project,
                              const struct brief_subject *subject, const struct gathered *gathered)
{
    size_t most = 1 + gathered->answer_count * SAID_OF_ANSWER + gathered->message_count * SAID_OF_MESSAGE;
    BUF_AUTO text = { 0 };
    struct brief_text prompt = { .text = &text, .said = arena_array(arena, struct brief_said, most) };

    buf_init(&text, 0);
    buf_format(&text, "# %s\n", subject->title);
    if (*subject->text) {
        buf_text(&text, "\n");
        say(&prompt, SAID_TEXT, subject->source_id, NULL, subject->text);
        buf_text(&text, "\n");
    }
    if (gathered->answer_count > 0)
        buf_text(&text, "\n## Answers to your questions\n");
    for (size_t i = 0; i < gathered->answer_count; i++)
        say_answer(&prompt, &gathered->answers[i]);
    if (gathered->message_count > 0)
        buf_text(&text, "\n## Chat about this task\n\n");
    for (size_t i = gathered->message_count; i > 0; i--)
        say_message(&prompt, &gathered->messages[i - 1]);
    buf_format(&text, "\n## How much you may decide by yourself\n\n%s",
               autonomy_lines(arena, &project->autonomy));
    return (struct brief){ arena_copy(arena, text.bytes, text.len), prompt.said, prompt.said_count };
}

static void write_answers(const struct gathered *gathered, struct json_out *out)
{
    json_list(out, "answers");
    for (size_t i = 0; i < gathered->answer_count; i++) {
        const struct brief_answer *answer = &gathered->answers[i];

        json_map(out, NULL);
        json_text(out, "notificationId", answer->set_id);
        json_text(out, "questionId", answer->question_id);
        json_text(out, "question", answer->question);
        json_text(out, "answer", answer->answer);
        if (answer->has_approved)
            json_bool(out, "approved", answer->approved);
        else
            json_none(out, "approved");
        json_text(out, "source", outcome_source_word(answer->source));
        json_text(out, "by", answer->by);
        json_time(out, "at", answer->at_ms);
        json_map_end(out);
    }
    json_list_end(out);
}

struct brief_subject brief_of_task(const struct task *task)
{
    return (struct brief_subject){
        .source = SOURCE_EXECUTE, .source_id = task->id, .title = task->title, .text = task->description
    };
}

static bool gather(const struct tx *tx, const struct project *project, const struct brief_subject *subject,
                   struct gathered *gathered)
{
    return gather_answers(tx, project, subject, gathered) && gather_chat(tx, project, subject, gathered);
}

bool brief_prompt(const struct tx *tx, const struct project *project, const struct brief_subject *subject,
                  struct brief *brief)
{
    struct gathered gathered = { 0 };

    if (!gather(tx, project, subject, &gathered))
        return false;
    *brief = prompt_of(tx->arena, project, subject, &gathered);
    return true;
}

void brief_write_config(struct arena *arena, const struct project *project, const char *task_id,
                        struct json_out *out)
{
    json_map(out, NULL);
    json_text(out, "taskId", task_id);
    json_text(out, "projectId", project->id);
    autonomy_write(&project->autonomy, "hilConfig", out);
    json_text(out, "autonomyLevel", autonomy_word(&project->autonomy));
    json_text(out, "autonomyDescription", autonomy_description(arena, &project->autonomy));
    json_map_end(out);
}

bool brief_write(const struct tx *tx, const struct project *project, const struct brief_subject *subject,
                 struct json_out *out)
{
    struct gathered gathered = { 0 };

    if (!gather(tx, project, subject, &gathered))
        return false;
    json_map(out, NULL);
    json_text(out, "projectId", project->id);
    json_text(out, "source", work_source_word(subject->source));
    json_text(out, "sourceId", subject->source_id);
    json_text(out, "title", subject->title);
    json_text(out, "description", subject->text);
    write_answers(&gathered, out);
    json_list(out, "chat");
    for (size_t i = gathered.message_count; i > 0; i--)
        chat_write(&gathered.messages[i - 1], NULL, out);
    json_list_end(out);
    autonomy_write(&project->autonomy, "hilConfig", out);
    json_text(out, "autonomyLevel", autonomy_word(&project->autonomy));
    json_text(out, "autonomy", autonomy_lines(tx->arena, &project->autonomy));
    json_text(out, "prompt", prompt_of(tx->arena, project, subject, &gathered).text);
    json_map_end(out);
    return true;
}
