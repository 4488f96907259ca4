#include "server/address_space.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/log.h"

#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/resource.h>

static void be_small(void)
{
    pthread_attr_t attributes;

    mallopt(M_ARENA_MAX, 1);
    if (pthread_attr_init(&attributes) != 0)
        return;
    /* A size that is refused leaves the usual one. */
    if (pthread_attr_setstacksize(&attributes, THREAD_STACK_SMALL) == 0)
        (void)pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
}

bool address_space_fit(const struct settings *settings, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    struct rlimit limit;
    int64_t enough = ADDRESS_SPACE_LEAST + settings->limits_memory;

    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return true;
    if (limit.rlim_cur < ADDRESS_SPACE_LEAST) {
        err_set(err, ERR_UNAVAILABLE, "The address space is limited to %" PRIu64 " MB; a server needs %d MB.",
                (uint64_t)limit.rlim_cur / MB, ADDRESS_SPACE_LEAST / MB);
        return err_hint(err, "Raise the limit or take it away (ulimit -v, LimitAS= of the service). "
                             "What holds a server's memory is limits.memory, or MemoryMax= of the service.");
    }
    be_small();
    if (limit.rlim_cur < (uint64_t)enough)
        log_line(LOG_WARN, "the address space is limited; many or large calls at once will be answered 503",
                 "limit", arena_format(&arena, "%" PRIu64 "MB", (uint64_t)limit.rlim_cur / MB), "enough",
                 arena_format(&arena, "%" PRId64 "MB", enough / MB), NULL);
    return true;
}
