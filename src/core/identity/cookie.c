#include "core/identity/cookie.h"

#include "base/settings.h"

#include <strings.h>

static bool over_https(void)
{
    return strncasecmp(settings()->server_public_url, "https:", 6) == 0;
}

const char *cookie_name(struct arena *arena, const char *name)
{
    return over_https() ? arena_format(arena, "__Host-%s", name) : name;
}

const char *cookie_set(struct arena *arena, const struct cookie *cookie)
{
    bool https = over_https();

    return arena_format(arena, "%s=%s; HttpOnly; SameSite=%s; Path=/; Max-Age=%lld%s",
                        cookie_name(arena, cookie->name), cookie->value, cookie->strict ? "Strict" : "Lax",
                        (long long)(cookie->lifetime_ms / 1000), https ? "; Secure" : "");
}
