/*
 * The conversation is the log: what the model is told is put together from entries and nothing else. Results
 * stand behind the reply whose calls they answer, in the order of the calls, whichever came first; notes
 * stand behind the results.
 */
#include "base/limits.h"
#include "base/str.h"
#include "core/runs/moving.h"
#include "llm/model_choice.h"

#include <string.h>

#define KIND_SUMMARY     "summary"
#define WINDOW_SMALL     400  /* tokens that every model can be told */
#define WINDOW_KEPT      4    /* a part of so many of the window stays as it is */
#define WINDOW_REPLY     8    /* a part of so many is left for the reply, where its length is not set */
#define RESULT_CONDENSED 4000 /* bytes of a result that a summary is made from */
#define REPLY_NARROW     8192 /* from here on the tokens that are left bound the reply */

struct talk {
    struct moving *m;
    const struct run_entry *entries;
    size_t entry_count;
    struct llm_message *messages;
    size_t count, room, bytes;
};

static void say(struct talk *talk, const struct llm_message *message)
{
    if (talk->count == talk->room) {
        size_t room = talk->room ? talk->room * 2 : 16;
        struct llm_message *more = arena_array(talk->m->tx->arena, struct llm_message, room);

        if (talk->count > 0)
            memcpy(more, talk->messages, talk->count * sizeof(*more));
        talk->messages = more;
        talk->room = room;
    }
    talk->messages[talk->count++] = *message;
    talk->bytes += message->content ? strlen(message->content) : 0;
}

static const char *copied(struct talk *talk, const json_t *from, const char *name)
{
    const char *text = json_string_value(json_object_get(from, name));

    return arena_text(talk->m->tx->arena, text ? text : "");
}

/* Where the next reply is, or the end. */
static size_t next_reply(const struct talk *talk, size_t at)
{
    while (at < talk->entry_count && talk->entries[at].kind != RUN_REPLY)
        at++;
    return at;
}

static const char *result_of(const struct talk *talk, size_t from, size_t to, const char *call_id)
{
    for (size_t i = from; i < to; i++)
        if (talk->entries[i].kind == RUN_RESULT && str_equal(talk->entries[i].call_id, call_id))
            return talk->entries[i].text;
    return "Nothing came of it.";
}

/* A reply, the results of its calls, and the notes behind it. Returns where it goes on. */
static size_t say_reply(struct talk *talk, size_t at)
{
    const struct run_entry *reply = &talk->entries[at];
    size_t end = next_reply(talk, at + 1);
    struct err ignored = { 0 };
    JSON_AUTO *data = NULL;

    if (reply->data && !json_parse(reply->data, strlen(reply->data), &data, &ignored))
        data = NULL;
    const json_t *calls = json_object_get(data, "calls");
    size_t count = json_array_size(calls);
    struct llm_tool_call *made = arena_array(talk->m->tx->arena, struct llm_tool_call, count + 1);

    for (size_t i = 0; i < count; i++) {
        const json_t *call = json_array_get(calls, i);

        made[i] = (struct llm_tool_call){ .id = copied(talk, call, "id"),
                                          .name = copied(talk, call, "name"),
                                          .arguments = copied(talk, call, "arguments"),
                                          .is_object = true };
        talk->bytes += strlen(made[i].name) + strlen(made[i].arguments);
    }
    if (count > 0 || !str_is_blank(reply->text))
        say(talk, &(struct llm_message){ .role = "assistant",
                                         .content = reply->text ? reply->text : "",
                                         .tool_calls = made,
                                         .tool_call_count = count });
    for (size_t i = 0; i < count; i++)
        say(talk,
            &(struct llm_message){
                .role = "tool",
                .name = made[i].name,
                .tool_call_id = made[i].id,
                .content = result_of(talk, at + 1, end, copied(talk, json_array_get(calls, i), "call")) });
    for (size_t i = at + 1; i < end; i++)
        if (talk->entries[i].kind == RUN_NOTE)
            say(talk, &(struct llm_message){ .role = "user", .content = talk->entries[i].text });
    return end;
}

static void say_entries(struct talk *talk, const struct run_entry *entries, size_t count)
{
    talk->entries = entries;
    talk->entry_count = count;
    for (size_t i = 0; i < count;) {
        const struct run_entry *entry = &entries[i];

        if (entry->kind == RUN_REPLY) {
            i = say_reply(talk, i);
            continue;
        }
        if (entry->kind == RUN_INSTRUCTIONS)
            say(talk, &(struct llm_message){ .role = "system", .content = entry->text });
        else if (entry->kind == RUN_INPUT || entry->kind == RUN_NOTE)
            say(talk, &(struct llm_message){ .role = "user", .content = entry->text });
        i++;
    }
}

/* Entries behind one, with those that this step adds. */
static bool read_behind(struct moving *m, int64_t seq, struct run_entry **entries, size_t *count)
{
    struct run_entry *stored = NULL;
    struct db_rows rows = { 0 };
    size_t at = 0;

    if (m->stored_seq > seq &&
        (!tx_query(m->tx, SQL_RUN_ENTRY_LIST,
                   DB_ARGS(db_text(m->run.job_id), db_int(seq), db_int(LIMIT_RUN_ENTRIES)), &rows) ||
         !run_entry_from_rows(m->tx, &rows, rows.count, &stored)))
        return false;
    *entries = arena_array(m->tx->arena, struct run_entry, rows.count + m->entry_count + 1);
    for (size_t i = 0; i < rows.count; i++)
        (*entries)[at++] = stored[i];
    for (size_t i = 0; i < m->entry_count; i++)
        if (m->entries[i].seq > seq)
            (*entries)[at++] = m->entries[i];
    *count = at;
    return true;
}

static bool say_opening(struct talk *talk)
{
    struct moving *m = talk->m;
    struct run_entry *opening;
    struct db_rows rows;

    if (!tx_query(m->tx, SQL_RUN_ENTRY_OPENING, DB_ARGS(db_text(m->run.job_id)), &rows) ||
        !run_entry_from_rows(m->tx, &rows, rows.count, &opening))
        return false;
    say_entries(talk, opening, rows.count);
    return true;
}

/* The last summary, or NULL. */
static bool find_summary(struct moving *m, const char **text)
{
    struct run_entry *found;
    struct db_rows rows;

    *text = NULL;
    for (size_t i = m->entry_count; i-- > 0;)
        if (m->entries[i].kind == RUN_CONDENSED) {
            *text = m->entries[i].text;
            return true;
        }
    if (m->run.condensed_seq == 0)
        return true;
    if (!tx_query(m->tx, SQL_RUN_ENTRY_CONDENSED,
                  DB_ARGS(db_text(m->run.job_id), db_int(m->run.condensed_seq)), &rows) ||
        !run_entry_from_rows(m->tx, &rows, rows.count, &found))
        return false;
    *text = rows.count > 0 ? found[0].text : NULL;
    return true;
}

/* All of it: what it was told first, the summary of what is condensed, and the rest. */
static bool say_all(struct talk *talk)
{
    struct moving *m = talk->m;
    int64_t from = m->run.condensed_seq > 2 ? m->run.condensed_seq : 2;
    struct run_entry *entries;
    const char *summary;
    size_t count;

    if (!say_opening(talk) || !find_summary(m, &summary) || !read_behind(m, from, &entries, &count))
        return false;
    if (summary)
        say(talk,
            &(struct llm_message){
                .role = "user",
                .content = arena_format(m->tx->arena, "What has happened so far, in short:\n%s", summary) });
    say_entries(talk, entries, count);
    return true;
}

static void bound_reply(const struct moving *m, struct run_step *step)
{
    int64_t left = m->run.budget_tokens - m->run.tokens_in - m->run.tokens_out;

    if (m->run.budget_tokens > 0 && left > 0 && left < REPLY_NARROW)
        step->max_tokens = left;
}

bool talk_ask(struct moving *m, bool afresh, struct run_step *step)
{
    struct talk talk = { .m = m };
    struct run_entry *entries;
    size_t count;

    step->ask = true;
    step->afresh = afresh;
    step->turn = m->run.turns + 1;
    bound_reply(m, step);
    if (afresh) {
        step->model_config = m->run.model_config;
        if (!offer_all(m->tx, &m->run, m->tools, &step->tools, &step->tool_count) || !say_all(&talk))
            return false;
        for (size_t i = 0; i < step->tool_count; i++)
            talk.bytes += strlen(step->tools[i].schema);
        if (m->rebuild || m->run.context_tokens == 0)
            m->run.context_tokens = loop_tokens(talk.bytes);
    } else {
        if (!read_behind(m, m->run.told_seq, &entries, &count))
            return false;
        say_entries(&talk, entries, count);
    }
    m->run.told_seq = m->run.last_seq;
    step->messages = talk.messages;
    step->message_count = talk.count;
    return true;
}

/* Condensing */

static int64_t window_of(struct moving *m, int64_t *reply)
{
    struct llm_model model;
    struct err ignored = { 0 };

    if (!model_of_config(m->tx->arena, m->run.model_config, &model, &ignored) || model.window <= 0)
        return 0;
    *reply = model.max_tokens > 0 && model.max_tokens < model.window / 2 ? model.max_tokens
                                                                         : model.window / WINDOW_REPLY;
    return model.window;
}

/* Up to which entry the older part goes; 0: nothing can be condensed. */
static bool find_cut(struct moving *m, int64_t keep, int64_t *to)
{
    struct run_entry *entries;
    size_t count, said_count = 0;

    if (!read_behind(m, m->run.condensed_seq > 2 ? m->run.condensed_seq : 2, &entries, &count))
        return false;
    struct loop_said *said = arena_array(m->tx->arena, struct loop_said, count + 1);

    for (size_t i = 0; i < count; i++) {
        enum run_entry_kind kind = entries[i].kind;

        if (kind == RUN_REPLY || kind == RUN_RESULT || kind == RUN_NOTE)
            said[said_count++] = (struct loop_said){
                entries[i].seq,
                loop_tokens((entries[i].text ? strlen(entries[i].text) : 0) +
                            (entries[i].data && kind == RUN_REPLY ? strlen(entries[i].data) : 0)),
                kind
            };
    }
    *to = loop_condense_to(said, said_count, keep);
    return true;
}

bool talk_is_too_long(struct moving *m, bool *too_long)
{
    int64_t reply = 0, window, to;

    *too_long = false;
    if (m->run.context_tokens < WINDOW_SMALL || (window = window_of(m, &reply)) == 0 ||
        m->run.context_tokens + reply <= window)
        return true;
    if (m->run.condensing_seq == 0) {
        if (!find_cut(m, window / WINDOW_KEPT, &to))
            return false;
        m->run.condensing_seq = to;
    }
    *too_long = m->run.condensing_seq > 0;
    return true;
}

static void render(struct buf *text, const struct run_entry *entry)
{
    const char *words = entry->text ? entry->text : "";
    size_t len = str_fitting(words, RESULT_CONDENSED);

    if (entry->kind == RUN_REPLY)
        buf_format(text, "The agent: %s\n%s\n", words, entry->data ? entry->data : "");
    else if (entry->kind == RUN_RESULT)
        buf_format(text, "A result: %.*s\n", (int)len, words);
    else if (entry->kind == RUN_NOTE)
        buf_format(text, "A note: %s\n", words);
}

bool talk_condense(struct moving *m, struct run_step *step)
{
    struct talk talk = { .m = m };
    struct run_entry *entries;
    const char *summary;
    BUF_AUTO text = { 0 };
    size_t count;

    if (!find_summary(m, &summary) ||
        !read_behind(m, m->run.condensed_seq > 2 ? m->run.condensed_seq : 2, &entries, &count))
        return false;
    buf_init(&text, 0);
    if (summary)
        buf_format(&text, "What had happened before that, in short:\n%s\n\n", summary);
    for (size_t i = 0; i < count && entries[i].seq <= m->run.condensing_seq; i++)
        render(&text, &entries[i]);
    say(&talk,
        &(struct llm_message){
            .role = "system",
            .content = "You condense what an agent has done so far, so that it can go on with your summary "
                       "alone. Keep what was decided, found, answered and changed, with names, paths and "
                       "numbers, and what is still to be done. Answer with the summary and nothing else." });
    say(&talk,
        &(struct llm_message){ .role = "user",
                               .content = arena_copy(m->tx->arena, text.bytes ? text.bytes : "", text.len) });
    step->ask = true;
    step->afresh = true;
    step->kind = KIND_SUMMARY;
    step->turn = m->run.turns + 1;
    step->model_config = m->run.model_config;
    step->messages = talk.messages;
    step->message_count = talk.count;
    return true;
}

bool talk_condensed(struct moving *m, const char *text, struct run_entry *reply)
{
    int64_t from = m->run.condensed_seq > 2 ? m->run.condensed_seq + 1 : 3;

    (void)text;
    reply->data = arena_format(m->tx->arena, "{\"from\":%lld,\"to\":%lld}", (long long)from,
                               (long long)m->run.condensing_seq);
    m->run.condensed_seq = m->run.condensing_seq;
    m->run.condensing_seq = 0;
    m->run.context_tokens = 0;
    m->rebuild = true;
    return true;
}
