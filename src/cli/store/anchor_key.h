/*
 * anchor_key.h - the key that anchors of the audit log are signed with.
 *
 * A file of one line, 64 hexadecimal digits, for its owner alone; made on first use where the setting
 * audit.key_file says, else as audit.key in the folder of the settings. Whoever has it can sign anchors, so
 * it does not belong where the store's backups go.
 */
#ifndef CLI_STORE_ANCHOR_KEY_H
#define CLI_STORE_ANCHOR_KEY_H

#include "base/settings.h"
#include "core/log/audit_anchor.h"

/* NULL: there is no place for it, neither by the setting nor in a home. */
const char *anchor_key_path(struct arena *arena, const struct settings *settings);
/* Whether there is one already. */
bool anchor_key_exists(const char *path);
/* Reads it; makes it when there is none. *made says whether it did. */
CHECKED bool anchor_key_load(const char *path, unsigned char seed[static crypto_sign_SEEDBYTES], bool *made,
                             struct err *err);

#endif
