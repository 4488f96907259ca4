/*
 * A discussion as it stands, with what was said. A reply holds a page of it that is bounded in entries and in
 * bytes; what is told of the whole (who spoke how often) is counted by the store, not from the page.
 */
#include "core/council/participant.h"
#include "core/council/result.h"
#include "core/council/rules/order.h"
#include "core/work/project.h"
#include "ops/discussion.h"
#include "ops/identity.h"

#include <string.h>

static const char *const success[] = { "success", NULL };

const struct field discussion_state_reply[] = {
    { "status", T_ENUM, REQUIRED, "Always success; the discussion's own is in discussion.",
      .values = success },
    { "project", T_OBJECT, REQUIRED, "Its project.", .flags = F_NULL | F_OPEN },
    { "entries", T_LIST, REQUIRED, "What was said, oldest first; all of it, or a page of a long one.",
      .items = T_OBJECT, .fields = discussion_entry_fields },
    { "counts", T_OBJECT, REQUIRED, "How often each has spoken, by name.", .flags = F_OPEN },
    { "speakerOrder", T_LIST, REQUIRED, "Who speaks, in this order.", .items = T_TEXT },
    { "nextSpeaker", T_TEXT, REQUIRED, "Who speaks next; null when nobody does.", .flags = F_NULL },
    { "discussion", T_OBJECT, REQUIRED, "Where it stands.", .fields = discussion_fields },
    { "result", T_OBJECT, OPTIONAL,
      "Once it has ended and all of it is on this page: topic, rounds, full_discussion, total_contributions, vote; failure with its reason when it could not be moved on.",
      .flags = F_OPEN },
    { "nextCursor", T_TEXT, REQUIRED,
      "Give this as cursor for the entries that follow; null: there are none.", .flags = F_NULL },
    { 0 },
};

#define ENTRIES "entries"

/* Entries that fit, and whether there are others before or after them. */
struct state_page {
    struct logs log;
    bool more, all;
};

static size_t size_of(const struct logged *row)
{
    return strlen(row->content) + strlen(row->metadata);
}

/* By and by: a page of large entries ends before many of them are read. */
static bool read_page(struct call *call, const char *id, const char *after, size_t limit,
                      struct state_page *page)
{
    size_t batch = limit < LIMIT_ENTRY_BATCH ? limit + 1 : LIMIT_ENTRY_BATCH, bytes = 0, count = batch;
    struct logged *rows;

    *page =
        (struct state_page){ .all = !after, .log.rows = arena_array(call->tx.arena, struct logged, limit) };
    while (!page->more && count == batch) {
        if (!logged_shown(&call->tx, id, after, batch, &rows, &count))
            return false;
        for (size_t i = 0; i < count && !page->more; i++) {
            bytes += size_of(&rows[i]);
            page->more = page->log.count == limit || (page->log.count > 0 && bytes > LIMIT_PAGE_BYTES);
            if (!page->more)
                page->log.rows[page->log.count++] = rows[i];
        }
        after = count > 0 ? rows[count - 1].id : after;
    }
    page->all = page->all && !page->more;
    return true;
}

static bool write_project(struct call *call, const struct discussion *d)
{
    struct project project;

    if (!d->project_id) {
        json_none(&call->out, "project");
        return true;
    }
    if (!project_see(&call->tx, d->project_id, &project))
        return false;
    project_write(call->tx.arena, &project, "project", &call->out);
    return true;
}

static void write_entries(struct call *call, const struct state_page *page)
{
    json_list(&call->out, ENTRIES);
    for (size_t i = 0; i < page->log.count; i++)
        logged_write(&page->log.rows[i], NULL, &call->out);
    json_list_end(&call->out);
}

static bool write_speakers(struct call *call, const struct discussion *d)
{
    struct speaker_count *heard;
    struct seats seats;
    size_t heard_count, count;

    if (!participant_list(&call->tx, d->id, &seats) || !logged_counts(&call->tx, d->id, &heard, &heard_count))
        return false;
    struct seating seating = participant_seating(d, &seats);
    struct slot at = { .round = d->round, .turn = d->turn_index };
    const struct speaker_count *counts = order_counts(call->tx.arena, &seating, heard, heard_count, &count);

    json_map(&call->out, "counts");
    for (size_t i = 0; i < count; i++)
        json_int(&call->out, counts[i].name, (int64_t)counts[i].count);
    json_map_end(&call->out);
    json_list(&call->out, "speakerOrder");
    for (size_t i = 0; i < seats.count; i++)
        json_text(&call->out, NULL, seats.list[i].name);
    json_list_end(&call->out);
    json_text(&call->out, "nextSpeaker", discussion_has_ended(d) ? NULL : order_next_speaker(&seating, at));
    return true;
}

/* Only the read takes a page's limits; after a message the first page is shown. */
static bool find_page(struct call *call, const struct discussion *d, struct state_page *page)
{
    bool reads = call->op->kind == OP_READ;
    const char *after = NULL;

    return (!reads || identity_page(call, ENTRIES, &after)) &&
           read_page(call, d->id, after, reads ? (size_t)arg_int(call, "limit") : LIMIT_ENTRY_PAGE, page);
}

bool discussion_reply_state(struct call *call, const struct discussion *d)
{
    struct state_page page;

    call->subject = d->id;
    if (!find_page(call, d, &page))
        return false;
    const struct logged *last = page.log.count > 0 ? &page.log.rows[page.log.count - 1] : NULL;

    json_map(&call->out, NULL);
    json_text(&call->out, "status", success[0]);
    if (!write_project(call, d))
        return false;
    write_entries(call, &page);
    if (!write_speakers(call, d))
        return false;
    discussion_write(d, "discussion", &call->out);
    if (discussion_has_ended(d) && page.all)
        result_write(&call->tx, d, &page.log, "result", &call->out);
    identity_write_next(call, ENTRIES, page.more, last ? last->created_ms : 0, last ? last->id : NULL);
    json_map_end(&call->out);
    return true;
}
