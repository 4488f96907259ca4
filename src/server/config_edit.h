/*
 * config_edit.h - writes a model into config.yaml, and leaves everything else of the file as it is.
 *
 * The file is people's: its comments, its order and its layout stay to the letter. What was written is read
 * back before it takes the old file's place, and must say what the old one said and the new model, nothing
 * else; a layout that cannot be added to is refused, and the file stays as it was.
 */
#ifndef SERVER_CONFIG_EDIT_H
#define SERVER_CONFIG_EDIT_H

#include "base/buf.h"
#include "base/err.h"
#include "llm/model.h"

/* What is to be written of a model: its name, and those settings that are not NULL, one for each row of
 * model_rows. */
struct model_entry {
    const char *name;
    const char **values;
};

/* As it would stand under `models:`, with the indentation that a file of ours has. */
void config_entry_print(const struct model_entry *entry, size_t indent, struct buf *into);
/*
 * Adds it to the file, which is made, for the owner alone, when there is none. An existing one keeps its
 * owner, group and mode, and is changed at once or not at all. The name must not be there yet.
 */
CHECKED bool config_add_model(const char *path, const struct model_entry *entry, struct err *err);

#endif
