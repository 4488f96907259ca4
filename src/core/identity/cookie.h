/*
 * cookie.h - our cookies: what they are called and how they are set.
 *
 * When people reach the server over https (server.public_url), names begin with "__Host-": the browser then
 * takes them from this very host only, over https only, for every path, so that neither a neighbouring host
 * nor the network can put one of their own in the place of ours. A cookie without that name is not looked
 * at there.
 */
#ifndef CORE_IDENTITY_COOKIE_H
#define CORE_IDENTITY_COOKIE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

#define COOKIE_SESSION "witan_session"
#define COOKIE_DEVICE  "witan_device"
#define COOKIE_VISIT   "witan_q_" /* and the id of the question that a link was opened for */

struct cookie {
    const char *name, *value; /* without the prefix; an empty value and no lifetime takes it away */
    int64_t lifetime_ms;
    bool strict; /* not even sent when somebody follows a link from elsewhere */
};

/* The name in force, in the arena. */
const char *cookie_name(struct arena *arena, const char *name);
/* The value of a Set-Cookie header. */
const char *cookie_set(struct arena *arena, const struct cookie *cookie);

#endif
