/*
 * Every request would like to leave its time on the token's row. The caller brings the last one along, and
 * only when that is a minute old is a unit handed in, which nobody waits for.
 */
#include "ops/token_use.h"

#include "base/arena.h"
#include "base/limits.h"
#include "core/identity/token.h"

#include <stdlib.h>
#include <string.h>

struct token_use {
    struct work work; /* first: the store hands it back */
    int64_t now_ms;
    const char *old_secret; /* behind the id, or NULL */
    char id[];
};

static bool run_use(struct db *db, struct work *work)
{
    ARENA_AUTO arena = { 0 };
    struct token_use *use = (struct token_use *)work;
    struct tx tx = tx_of(db, &arena, use->now_ms, &work->err);

    return token_note_use(&tx, use->id, use->old_secret);
}

static void use_done(struct work *work)
{
    free(work);
}

void token_use_note(struct store *store, const struct caller *caller, int64_t now_ms)
{
    struct err ignored;

    const char *id = caller->kind == CALLER_TOKEN ? caller->id : caller->token_id;

    if (!id || now_ms - caller->last_used_ms < TOKEN_TOUCH_MS)
        return;
    size_t size = strlen(id) + 1, old_size = caller->old_secret ? strlen(caller->old_secret) + 1 : 0;
    struct token_use *use = calloc(1, sizeof(*use) + size + old_size);

    if (!use)
        abort();
    use->work = (struct work){ .run = run_use, .done = use_done };
    use->now_ms = now_ms;
    memcpy(use->id, id, size);
    if (old_size > 0)
        use->old_secret = memcpy(use->id + size, caller->old_secret, old_size);
    if (!store_write(store, &use->work, &ignored))
        free(use);
}
