/*
 * yaml.h - a YAML file as dotted keys.
 *
 * Mappings nest into "a.b.c"; only scalars may stand at the leaves. Each leaf is handed over with its place
 * ("FILE:LINE") so that complaints can point at it.
 */
#ifndef SERVER_YAML_H
#define SERVER_YAML_H

#include "base/err.h"

#include <stdbool.h>

typedef bool yaml_take(void *user, const char *key, const char *value, const char *origin, struct err *err);

CHECKED bool yaml_read_file(const char *path, yaml_take *take, void *user, struct err *err);

#endif
