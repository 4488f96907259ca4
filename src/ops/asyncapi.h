/*
 * asyncapi.h - the table of events as AsyncAPI 3, as served at /api/asyncapi.json.
 */
#ifndef OPS_ASYNCAPI_H
#define OPS_ASYNCAPI_H

#include "ops/event_type.h"

void asyncapi_write(const char *version, struct buf *into);

#endif
