#include "db/rescue.h"

#include "db/sqlite.h"

#include <unistd.h>

/* Whether it can really be read is known only after the first read. */
static bool is_read(struct db *db, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    struct db_rows rows;

    return db && db_query_text(db, &arena, "SELECT COUNT(*) FROM sqlite_schema", DB_NO_ARGS, &rows, err);
}

/* Without locks, and therefore only while nobody else works on it. */
static bool open_alone(struct rescue *rescue, const char *url, const char *path, struct err *err)
{
    rescue->claimed = claim_take(&rescue->claim, url, err);
    if (!rescue->claimed)
        return false;
    rescue->db = sqlite_open(&(struct sqlite_options){ .path = path, .alone = true, .patient = true }, err);
    rescue->alone = is_read(rescue->db, err);
    return rescue->alone;
}

bool rescue_open(struct rescue *rescue, const char *url, struct err *err)
{
    enum db_engine engine;
    const char *path;
    struct err why = { 0 };

    *rescue = (struct rescue){ 0 };
    if (!db_url_engine(url, &engine, &path, err))
        return false;
    rescue->db = db_open(url, err);
    if (engine != DB_SQLITE || is_read(rescue->db, err))
        return rescue->db != NULL;
    db_close(rescue->db);
    rescue->db = NULL;
    /* What is no database, or not there, is not made readable by this. */
    if (err->code != ERR_UNAVAILABLE || access(path, R_OK) != 0 || !open_alone(rescue, url, path, &why))
        return false;
    *err = (struct err){ 0 };
    return true;
}

void rescue_close(struct rescue *rescue)
{
    db_close(rescue->db);
    if (rescue->claimed)
        claim_release(&rescue->claim);
    *rescue = (struct rescue){ 0 };
}
