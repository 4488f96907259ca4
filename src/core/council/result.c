/*
 * Most of a result is derived from the log each time and therefore cannot disagree with it. Only what the log
 * does not hold is kept, as one JSON object with a member for each.
 */
#include "core/council/result.h"

#include "core/council/rules/ending.h"
#include "core/council/rules/transcript.h"

#include <string.h>

static json_t *parse(const char *text)
{
    struct err ignored = { 0 };
    json_t *parsed = NULL;

    return text && json_parse(text, strlen(text), &parsed, &ignored) ? parsed : json_object();
}

void result_remember(const struct tx *tx, struct discussion *discussion, const char *name, const char *json)
{
    JSON_AUTO *kept = parse(discussion->result);

    json_object_set_new(kept, name, parse(json));
    discussion->result = json_dump_text(tx->arena, kept);
}

const char *result_recall(const struct tx *tx, const struct discussion *discussion, const char *name)
{
    JSON_AUTO *kept = parse(discussion->result);
    json_t *value = json_object_get(kept, name);

    return value ? json_dump_text(tx->arena, value) : NULL;
}

/* What smart termination would have saved, by the log as it turned out. */
static void write_shadow(const struct tx *tx, const struct discussion *d, const struct transcript *transcript,
                         struct json_out *out)
{
    const char *text = result_recall(tx, d, "shadow");
    JSON_AUTO *shadow = parse(text);
    int round = (int)json_integer_value(json_object_get(shadow, "round"));
    struct end_saving saved;

    if (!text)
        return;
    saved = end_saved(transcript->entries, transcript->count, round);
    json_map(out, "shadow");
    json_int(out, "round", round);
    json_text(out, "endReason", json_string_value(json_object_get(shadow, "endReason")));
    json_int(out, "savedRounds", saved.rounds);
    json_int(out, "savedCalls", (int64_t)saved.calls);
    json_int(out, "savedContributions", (int64_t)saved.contributions);
    json_map_end(out);
}

void result_write(const struct tx *tx, const struct discussion *d, const struct logs *log, const char *key,
                  struct json_out *out)
{
    struct transcript transcript = result_transcript(tx, d, log);
    const char *vote = result_recall(tx, d, "vote"), *answered = result_recall(tx, d, "answered"),
               *failure = result_recall(tx, d, RESULT_FAILURE);

    json_map(out, key);
    transcript_members(&transcript, out);
    if (vote)
        json_raw(out, "vote", vote);
    write_shadow(tx, d, &transcript, out);
    if (answered)
        json_raw(out, "answered", answered);
    if (failure)
        json_raw(out, RESULT_FAILURE, failure);
    json_map_end(out);
}

struct transcript result_transcript(const struct tx *tx, const struct discussion *d, const struct logs *log)
{
    size_t count;
    const struct council_entry *entries = logged_entries(tx->arena, log->rows, log->count, &count);
    return (struct transcript){ .topic = d->topic,
                                .entries = entries,
                                .count = count,
                                .rounds = discussion_last_round(d),
                                .end = d->end_reason,
                                .vote = result_recall(tx, d, "vote") };
}

const char *result_text(const struct tx *tx, const struct discussion *d, const struct logs *log)
{
    BUF_AUTO text = { 0 };
    struct json_out out;

    buf_init(&text, 0);
    json_begin(&out, &text);
    result_write(tx, d, log, NULL, &out);
    return arena_copy(tx->arena, text.bytes, text.len);
}
