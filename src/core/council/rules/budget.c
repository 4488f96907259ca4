#include "core/council/rules/budget.h"

#define CALL_TOKENS     4096 /* what a call is reckoned with before any has ended */
#define BYTES_PER_TOKEN 4    /* about, likewise */

bool budget_is_limited(const struct allowance *allowed)
{
    return allowed->calls > 0 || allowed->tokens > 0 || allowed->seconds > 0;
}

static bool fits(int64_t allowed, int64_t used, int64_t calls, int64_t each)
{
    return used + calls * each <= allowed;
}

static enum budget_left judge_tokens(int64_t allowed, const struct budget_look *look, int64_t *reserved)
{
    int64_t used = look->used.tokens, one = look->one > 0 ? look->one : CALL_TOKENS;

    *reserved = look->one;
    if (!fits(allowed, used, 1, look->one))
        return BUDGET_SPENT;
    if (look->out == 0 || fits(allowed, used, look->out + 1, look->one > 0 ? 2 * one : one))
        return BUDGET_LEFT;
    if (look->own > 0)
        return BUDGET_LATER;
    *reserved = (look->out + 1) * one;
    return fits(allowed, used, look->out + 1, one) ? BUDGET_LEFT : BUDGET_SPENT;
}

enum budget_left budget_judge(const struct allowance *allowed, const struct budget_look *look,
                              int64_t *reserved)
{
    struct allowance used = look->used;

    *reserved = 0;
    used.calls += look->out;
    if (allowance_spent(allowed, &used))
        return BUDGET_SPENT;
    return allowed->tokens > 0 ? judge_tokens(allowed->tokens, look, reserved) : BUDGET_LEFT;
}

int64_t budget_share(const struct allowance *allowed, const struct budget_look *look, size_t told_bytes)
{
    int64_t told = look->told > 0 ? look->told : (int64_t)told_bytes / BYTES_PER_TOKEN;
    int64_t share;

    if (allowed->tokens == 0)
        return 0;
    share = (allowed->tokens - look->used.tokens) / (look->out + 1) - told;
    return share > 1 ? share : 1;
}
