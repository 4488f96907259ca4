/*
 * The conversation is the log: what the model is told is put together from entries and nothing else. Results
 * stand behind the reply whose calls they answer, in the order of the calls, whichever came first; notes
 * stand behind the results.
 *
 * All of it has to fit the model's window. The results of one reply get a part of that together, and so do
 * the notes behind them: what is longer is told without its middle, so that there is always something that
 * can be condensed to what fits. The log keeps the whole. What cannot be shortened is held against the window
 * as it is (room.h).
 */
#include "base/limits.h"
#include "base/str.h"
#include "core/runs/moving.h"
#include "core/runs/room.h"

#include <string.h>

#define KIND_SUMMARY     "summary"
#define WINDOW_KEPT      4    /* a part of so many of the window stays as it is */
#define WINDOW_RESULTS   4    /* the results of one reply get a part of so many */
#define RESULTS_SMALL    128  /* tokens of results that every model can be told */
#define RESULT_CONDENSED 4000 /* bytes of a result that a summary is made from */
#define REPLY_NARROW     8192 /* from here on the tokens that are left bound the reply */

struct talk {
    struct moving *m;
    const struct run_entry *entries;
    size_t entry_count;
    struct llm_message *messages;
    size_t count, room, bytes;
    size_t opening; /* of these, the instructions and the input */
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

/* Bytes that the results of one reply get together. */
static size_t room_of_results(struct moving *m)
{
    struct room room;

    room_of(m->tx->arena, m->run.model_config, &room);
    return loop_bytes(room.window / WINDOW_RESULTS);
}

static size_t share_of(struct moving *m, const size_t lens[], size_t count)
{
    size_t all = 0;

    for (size_t i = 0; i < count; i++)
        all += lens[i];
    return loop_tokens(all) <= RESULTS_SMALL ? SIZE_MAX : loop_share(lens, count, room_of_results(m));
}

/* Its beginning and its end, with a sentence about what is missing between them. */
static const char *without_middle(struct moving *m, const char *text, size_t most)
{
    size_t len = strlen(text), head, tail;

    if (len <= most)
        return text;
    head = str_fitting(text, most - most / 3);
    tail = len - most / 3;
    while (tail < len && ((unsigned char)text[tail] & 0xC0) == 0x80)
        tail++;
    return arena_format(m->tx->arena, "%.*s\n[%zu of %zu bytes are left out here.]\n%s", (int)head, text,
                        tail - head, len, text + tail);
}

/* What is told of a call that is done, with the arguments that others have put in place of its own. */
static int64_t result_tokens(const struct run_call *done)
{
    return loop_tokens((done->output ? strlen(done->output) : 0) +
                       (done->approved_arguments ? strlen(done->approved_arguments) : 0));
}

int64_t talk_note_tokens(struct moving *m, const char *text)
{
    int64_t own = loop_tokens(strlen(text)), most = loop_tokens(room_of_results(m));

    return own <= RESULTS_SMALL || own < most ? own : most;
}

int64_t talk_result_tokens(struct moving *m, const struct run_call *done)
{
    int64_t own = result_tokens(done), before = 0, most;

    for (size_t i = 0; i < m->call_count; i++)
        if (m->calls[i] != done && m->calls[i]->state == CALL_DONE)
            before += result_tokens(m->calls[i]);
    if (before + own <= RESULTS_SMALL)
        return own;
    most = loop_tokens(room_of_results(m));
    if (before >= most)
        return 0;
    return own < most - before ? own : most - before;
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

static void say_results(struct talk *talk, const json_t *calls, const struct llm_tool_call *made, size_t from,
                        size_t to)
{
    struct arena *arena = talk->m->tx->arena;
    size_t count = json_array_size(calls), *lens = arena_array(arena, size_t, count + 1);
    const char **texts = arena_array(arena, const char *, count + 1);

    for (size_t i = 0; i < count; i++) {
        texts[i] = result_of(talk, from, to, copied(talk, json_array_get(calls, i), "call"));
        lens[i] = strlen(texts[i]);
    }
    size_t share = share_of(talk->m, lens, count);

    for (size_t i = 0; i < count; i++)
        say(talk, &(struct llm_message){ .role = "tool",
                                         .name = made[i].name,
                                         .tool_call_id = made[i].id,
                                         .content = without_middle(talk->m, texts[i], share) });
}

/* Notes have answers of people in them, which may be as long as a result. */
static void say_notes(struct talk *talk, size_t from, size_t to)
{
    size_t *lens = arena_array(talk->m->tx->arena, size_t, to - from + 1), count = 0;

    for (size_t i = from; i < to; i++)
        if (talk->entries[i].kind == RUN_NOTE)
            lens[count++] = strlen(talk->entries[i].text);
    size_t share = share_of(talk->m, lens, count);

    for (size_t i = from; i < to; i++)
        if (talk->entries[i].kind == RUN_NOTE)
            say(talk, &(struct llm_message){
                          .role = "user", .content = without_middle(talk->m, talk->entries[i].text, share) });
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
                                          .arguments = copied(talk, call, "arguments") };
        talk->bytes += strlen(made[i].name) + strlen(made[i].arguments);
    }
    if (count > 0 || !str_is_blank(reply->text))
        say(talk, &(struct llm_message){ .role = "assistant",
                                         .content = reply->text ? reply->text : "",
                                         .tool_calls = made,
                                         .tool_call_count = count });
    say_results(talk, calls, made, at + 1, end);
    say_notes(talk, at + 1, end);
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
        else if (entry->kind == RUN_INPUT)
            say(talk, &(struct llm_message){ .role = "user", .content = entry->text });
        else if (entry->kind == RUN_NOTE)
            say_notes(talk, i, i + 1);
        i++;
    }
}

/* Entries behind one, with those that this step adds. */
static bool read_behind(struct moving *m, int64_t seq, struct run_entry **entries, size_t *count)
{
    int64_t stored = m->stored_seq > seq ? m->stored_seq - seq : 0;
    size_t at = 0;

    *entries = arena_array(m->tx->arena, struct run_entry, (size_t)stored + m->entry_count + 1);
    for (int64_t after = seq; after < m->stored_seq;) {
        struct run_entry *page;
        struct db_rows rows;

        if (!tx_query(m->tx, SQL_RUN_ENTRY_LIST,
                      DB_ARGS(db_text(m->run.job_id), db_int(after), db_int(RUN_ENTRIES_READ)), &rows) ||
            !run_entry_from_rows(m->tx, &rows, rows.count, &page))
            return false;
        if (rows.count == 0)
            break;
        for (size_t i = 0; i < rows.count && page[i].seq <= m->stored_seq; i++)
            (*entries)[at++] = page[i];
        after = page[rows.count - 1].seq;
    }
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
    talk->opening = talk->bytes;
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
    int64_t from = loop_condense_from(m->run.condensed_seq);
    struct run_entry *entries;
    const char *summary;
    size_t count;

    if (!say_opening(talk) || !find_summary(m, &summary) || !read_behind(m, from - 1, &entries, &count))
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
    size_t count, tools;
    struct room room;

    room_of(m->tx->arena, m->run.model_config, &room);
    step->ask = true;
    step->afresh = afresh;
    step->turn = m->run.turns + 1;
    bound_reply(m, step);
    if (afresh) {
        step->model_config = m->run.model_config;
        if (!offer_all(m->tx, &m->run, moving_tools(m), &step->tools, &step->tool_count) || !say_all(&talk))
            return false;
        tools = room_tools(step->tools, step->tool_count);
        m->unfit = room_refusal(m->tx->arena, &room, m->run.agent, talk.opening, tools);
        if (m->rebuild || m->run.context_tokens == 0)
            m->run.context_tokens = loop_tokens(talk.bytes + tools);
    } else {
        if (!read_behind(m, m->run.told_seq, &entries, &count))
            return false;
        say_entries(&talk, entries, count);
    }
    m->ahead = room.scripted ? 0 : loop_tokens_likely(m->run.context_tokens);
    step->messages = talk.messages;
    step->message_count = talk.count;
    return true;
}

/* Condensing */

/* Up to which entry the older part goes; 0: nothing can be condensed. */
static bool find_cut(struct moving *m, int64_t keep, int64_t *to)
{
    struct run_entry *entries;
    size_t count, said_count = 0;

    if (!read_behind(m, loop_condense_from(m->run.condensed_seq) - 1, &entries, &count))
        return false;
    struct loop_said *said = arena_array(m->tx->arena, struct loop_said, count + 1);

    for (size_t i = 0; i < count; i++)
        said_count += loop_said_by(entries[i].seq, entries[i].kind, entries[i].text, entries[i].data,
                                   &said[said_count]);
    *to = loop_condense_to(said, said_count, keep);
    return true;
}

/* With how much was to stay, which depends on the settings of that moment: a replay makes the cut again. */
static void note_cut(struct moving *m, int64_t keep, int64_t to)
{
    struct arena *arena = m->tx->arena;

    moving_add(m, RUN_DECISION, loop_condense_words(arena, loop_condense_from(m->run.condensed_seq), to),
               arena_format(arena, "{\"rule\":\"cut\",\"keep\":%lld}", (long long)keep));
}

bool talk_is_too_long(struct moving *m, bool *too_long)
{
    struct room room;
    int64_t to;

    *too_long = false;
    if (m->run.context_tokens < WINDOW_SMALL)
        return true;
    room_of(m->tx->arena, m->run.model_config, &room);
    if (m->run.context_tokens + room.reply <= room.window)
        return true;
    if (m->run.condensing_seq == 0) {
        if (!find_cut(m, room.window / WINDOW_KEPT, &to))
            return false;
        if (to > 0)
            note_cut(m, room.window / WINDOW_KEPT, to);
        m->run.condensing_seq = to;
    }
    *too_long = m->run.condensing_seq > 0;
    return true;
}

static void render(struct moving *m, struct buf *text, const struct run_entry *entry, size_t share)
{
    const char *words = entry->text ? entry->text : "";

    if (entry->kind == RUN_REPLY)
        buf_format(text, "The agent: %s\n%s\n", words, entry->data ? entry->data : "");
    else if (entry->kind == RUN_RESULT)
        buf_format(text, "A result: %s\n", without_middle(m, words, share));
    else if (entry->kind == RUN_NOTE)
        buf_format(text, "A note: %s\n", words);
}

/* How much of each result a summary is made from: what the agent said itself comes first. */
static size_t share_condensed(struct moving *m, const struct run_entry *entries, size_t count, size_t most)
{
    size_t *lens = arena_array(m->tx->arena, size_t, count + 1), results = 0, share;

    for (size_t i = 0; i < count; i++) {
        size_t len = entries[i].text ? strlen(entries[i].text) : 0;

        if (entries[i].kind == RUN_RESULT) {
            lens[results++] = len < RESULT_CONDENSED ? len : RESULT_CONDENSED;
            continue;
        }
        if (entries[i].kind == RUN_REPLY)
            len += entries[i].data ? strlen(entries[i].data) : 0;
        else if (entries[i].kind != RUN_NOTE)
            len = 0;
        most -= len < most ? len : most;
    }
    share = loop_share(lens, results, most);
    return share < RESULT_CONDENSED ? share : RESULT_CONDENSED;
}

/* What was said up to the entry that is condensed to, as one text that fits the model's window. */
static bool older_part(struct moving *m, const char **older)
{
    struct run_entry *entries;
    const char *summary;
    BUF_AUTO text = { 0 };
    struct room room;
    size_t count, upto = 0, share;

    room_of(m->tx->arena, m->run.model_config, &room);
    size_t most = loop_bytes(room.window - room.reply - WINDOW_SMALL / 4);

    if (!find_summary(m, &summary) ||
        !read_behind(m, loop_condense_from(m->run.condensed_seq) - 1, &entries, &count))
        return false;
    while (upto < count && entries[upto].seq <= m->run.condensing_seq)
        upto++;
    buf_init(&text, 0);
    if (summary)
        buf_format(&text, "What had happened before that, in short:\n%s\n\n", summary);
    share = share_condensed(m, entries, upto, text.len < most ? most - text.len : 0);
    for (size_t i = 0; i < upto; i++)
        render(m, &text, &entries[i], share);
    *older = without_middle(m, arena_copy(m->tx->arena, text.bytes ? text.bytes : "", text.len), most);
    return true;
}

bool talk_condense(struct moving *m, struct run_step *step)
{
    struct talk talk = { .m = m };
    const char *older;
    struct room room;

    room_of(m->tx->arena, m->run.model_config, &room);
    if (!older_part(m, &older))
        return false;
    say(&talk,
        &(struct llm_message){
            .role = "system",
            .content = "You condense what an agent has done so far, so that it can go on with your summary "
                       "alone. Keep what was decided, found, answered and changed, with names, paths and "
                       "numbers, and what is still to be done. Answer with the summary and nothing else." });
    say(&talk, &(struct llm_message){ .role = "user", .content = older });
    step->ask = true;
    step->afresh = true;
    step->kind = KIND_SUMMARY;
    step->turn = m->run.turns + 1;
    step->model_config = m->run.model_config;
    step->messages = talk.messages;
    step->message_count = talk.count;
    m->ahead = room.scripted ? 0 : loop_tokens_likely(loop_tokens(talk.bytes));
    return true;
}

bool talk_condensed(struct moving *m, const char *text, struct run_entry *reply)
{
    int64_t from = loop_condense_from(m->run.condensed_seq);

    (void)text;
    reply->data = arena_format(m->tx->arena, "{\"from\":%lld,\"to\":%lld}", (long long)from,
                               (long long)m->run.condensing_seq);
    m->run.condensed_seq = m->run.condensing_seq;
    m->run.condensing_seq = 0;
    m->run.context_tokens = 0;
    m->rebuild = true;
    return true;
}
