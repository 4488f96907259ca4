#include "ops/token_use.h"

#include "base/arena.h"
#include "base/limits.h"
#include "core/identity/token.h"

#include <stdlib.h>
#include <string.h>

struct touch {
    struct work work; /* first: the store hands it back */
    int64_t now_ms;
    const char *old_secret; /* behind the id, or NULL */
    char id[];
};

static bool run_touch(struct db *db, struct work *work)
{
    ARENA_AUTO arena = { 0 };
    struct touch *touch = (struct touch *)work;
    struct tx tx = tx_of(db, &arena, touch->now_ms, &work->err);

    return token_touch(&tx, touch->id, touch->old_secret);
}

static void touch_done(struct work *work)
{
    free(work);
}

void touch_caller(struct store *store, const struct caller *caller, int64_t now_ms)
{
    struct err ignored;

    if (caller->kind != CALLER_TOKEN || now_ms - caller->last_used_ms < TOKEN_TOUCH_MS)
        return;
    size_t size = strlen(caller->id) + 1, old_size = caller->old_secret ? strlen(caller->old_secret) + 1 : 0;
    struct touch *touch = calloc(1, sizeof(*touch) + size + old_size);

    if (!touch)
        abort();
    touch->work = (struct work){ .run = run_touch, .done = touch_done };
    touch->now_ms = now_ms;
    memcpy(touch->id, caller->id, size);
    if (old_size > 0)
        touch->old_secret = memcpy(touch->id + size, caller->old_secret, old_size);
    if (!store_write(store, &touch->work, &ignored))
        free(touch);
}
