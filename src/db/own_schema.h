/*
 * own_schema.h - whether a store holds only what migrations made.
 *
 * A trigger, a view or the expression of an index runs with the rights of whoever writes or reads the table:
 * one that somebody has put into a backup would run in the server once that has become the store. So a file
 * from elsewhere is compared with what the migrations make, name by name and text by text, before anything
 * in it is touched.
 */
#ifndef DB_OWN_SCHEMA_H
#define DB_OWN_SCHEMA_H

#include "db/db.h"

/*
 * Compares a store of this schema (migrate_current). *odd is NULL when all is as it should be, else half a
 * sentence for people: "it has a trigger x, which witan did not make". Reads only.
 */
CHECKED bool own_schema_check(struct db *db, struct arena *arena, int schema, const char **odd,
                              struct err *err);

#endif
