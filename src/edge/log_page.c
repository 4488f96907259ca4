/*
 * A page is bounded by events and by bytes, and holds whole notices, so that handing them out needs no store
 * and no arena. It may be run again from scratch, and then forgets what the run before had made.
 */
#include "edge/log_page.h"

#include "base/clock.h"
#include "base/limits.h"

#include <stdlib.h>

static void forget_notices(struct log_page *page)
{
    for (size_t i = 0; i < page->count; i++)
        notice_drop(page->notices[i]);
    page->count = 0;
}

/* As many as fit: where they do not, those before the one that was too much are read once more. */
static bool read_events(const struct tx *tx, int64_t after, struct event **events, size_t *count)
{
    tx->arena->most = 2 * STREAM_PAGE_BYTES;
    tx->db->cut_at = 0;
    bool good = event_read(tx, after, STREAM_PAGE, events, count);

    if (good || tx->db->cut_at == 0)
        return good;
    arena_reset(tx->arena);
    tx->arena->most = 0;
    *tx->err = (struct err){ 0 };
    return event_read(tx, after, tx->db->cut_at, events, count);
}

static bool run_page(struct db *db, struct work *work)
{
    struct log_page *page = (struct log_page *)work;
    ARENA_AUTO arena = { 0 };
    struct tx tx = tx_of(db, &arena, clock_now_ms(), &work->err);
    struct event *events;
    size_t count, bytes = 0;

    forget_notices(page);
    if (!read_events(&tx, page->after, &events, &count))
        return false;
    for (size_t i = 0; i < count && (i == 0 || bytes < STREAM_PAGE_BYTES); i++) {
        page->notices[page->count] = notice_new(&events[i]);
        bytes += notice_size(page->notices[page->count++]);
    }
    return true;
}

static void page_done(struct work *work)
{
    struct log_page *page = (struct log_page *)work;

    page->err = work->err;
    page->arrived(page, page->user);
}

bool log_page_load(struct store *store, uint64_t caller, int64_t after,
                   void (*arrived)(struct log_page *page, void *user), void *user, struct err *err)
{
    struct log_page *page = calloc(1, sizeof(*page) + STREAM_PAGE * sizeof(struct notice *));

    if (!page)
        abort();
    page->work = (struct work){ .run = run_page, .done = page_done, .caller = caller };
    page->arrived = arrived;
    page->user = user;
    page->after = after;
    if (store_read(store, &page->work, err))
        return true;
    log_page_free(page);
    return false;
}

void log_page_free(struct log_page *page)
{
    if (!page)
        return;
    forget_notices(page);
    free(page);
}
