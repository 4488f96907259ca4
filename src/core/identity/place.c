#include "core/identity/place.h"

#include "base/address.h"
#include "base/limits.h"
#include "core/caller/secret.h"

static const char *address_place(struct arena *arena, const char *remote)
{
    char key[ADDRESS_KEY_SIZE];

    address_key(remote ? remote : "", key);
    return secret_hash(arena, arena_format(arena, "address:%s", key));
}

static const char *device_place(struct arena *arena, const char *device)
{
    return device ? secret_hash(arena, device) : NULL;
}

bool place_look(struct db *db, struct arena *arena, const char *user_id, struct place *place, struct err *err)
{
    struct db_rows rows;

    if (!db_query(db, arena, SQL_PLACE_KNOWN,
                  DB_ARGS(db_text(user_id ? user_id : ""), db_text(address_place(arena, place->remote)),
                          db_text(device_place(arena, place->device))),
                  &rows, err))
        return false;
    place->known_address = db_cell_bool(&rows, 0, 0);
    place->known_device = db_cell_bool(&rows, 0, 1);
    place->ours = db_cell_bool(&rows, 0, 2);
    return true;
}

static bool put(struct db *db, struct arena *arena, const char *user_id, const char *place, int64_t now_ms,
                struct err *err)
{
    return !place || db_exec(db, arena, SQL_PLACE_PUT,
                             DB_ARGS(db_text(user_id), db_text(place), db_int(now_ms)), NULL, err);
}

bool place_remember(struct db *db, struct arena *arena, const char *user_id, const struct place *place,
                    int64_t now_ms, struct err *err)
{
    return put(db, arena, user_id, address_place(arena, place->remote), now_ms, err) &&
           put(db, arena, user_id, device_place(arena, place->device), now_ms, err) &&
           db_exec(db, arena, SQL_PLACE_FORGET_OLDEST, DB_ARGS(db_text(user_id), db_int(LIMIT_PLACES)), NULL,
                   err);
}

bool place_prune(struct db *db, struct arena *arena, int64_t before_ms, size_t limit, size_t *pruned,
                 struct err *err)
{
    return db_exec(db, arena, SQL_PLACE_PRUNE, DB_ARGS(db_int(before_ms), db_int((int64_t)limit)), pruned,
                   err);
}
