#include "core/council/rules/retry.h"

#define RETRY_MS 1000 /* before the second attempt; twice as long before each further one */

bool retry_is_worth(const struct retry_facts *facts, int64_t *delay_ms)
{
    *delay_ms = 0;
    if (!facts->failed)
        return facts->pass == PASS_EMPTY && (facts->lack == LACK_STOP || facts->lack == LACK_OTHER) &&
               !facts->without_stops;
    if (facts->permanent || facts->attempt >= TURN_ATTEMPTS)
        return false;
    *delay_ms = (int64_t)RETRY_MS << (facts->attempt - 1);
    if (*delay_ms < facts->again_ms)
        *delay_ms = facts->again_ms;
    return true;
}
