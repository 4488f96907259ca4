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

bool place_look(const struct tx *tx, const char *user_id, struct place *place)
{
    struct db_rows rows;

    if (!tx_query(tx, SQL_PLACE_KNOWN,
                  DB_ARGS(db_text(user_id ? user_id : ""), db_text(address_place(tx->arena, place->remote)),
                          db_text(device_place(tx->arena, place->device))),
                  &rows))
        return false;
    place->known_address = db_cell_bool(&rows, 0, 0);
    place->known_device = db_cell_bool(&rows, 0, 1);
    place->ours = db_cell_bool(&rows, 0, 2);
    return true;
}

static bool put(const struct tx *tx, const char *user_id, const char *place)
{
    return !place ||
           tx_exec(tx, SQL_PLACE_PUT, DB_ARGS(db_text(user_id), db_text(place), db_int(tx->now_ms)), NULL);
}

bool place_remember(const struct tx *tx, const char *user_id, const struct place *place)
{
    return put(tx, user_id, address_place(tx->arena, place->remote)) &&
           put(tx, user_id, device_place(tx->arena, place->device)) &&
           tx_exec(tx, SQL_PLACE_FORGET_OLDEST, DB_ARGS(db_text(user_id), db_int(LIMIT_PLACES)), NULL);
}

bool place_prune(const struct tx *tx, int64_t before_ms, size_t limit, size_t *pruned)
{
    return tx_exec(tx, SQL_PLACE_PRUNE, DB_ARGS(db_int(before_ms), db_int((int64_t)limit)), pruned);
}
