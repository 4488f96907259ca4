#include "core/council/rules/spent.h"

void spent_add(struct spent *into, const struct spent *more)
{
    into->calls += more->calls;
    into->tokens_in += more->tokens_in;
    into->tokens_out += more->tokens_out;
    into->missing += more->missing;
}

static void write_tokens(struct json_out *out, const char *name, const struct spent *spent, int64_t tokens)
{
    if (spent->calls > spent->missing || spent->calls == 0)
        json_int(out, name, tokens);
    else
        json_none(out, name);
}

void spent_members(const struct spent *spent, struct json_out *out)
{
    json_int(out, "calls", spent->calls);
    write_tokens(out, "tokensIn", spent, spent->tokens_in);
    write_tokens(out, "tokensOut", spent, spent->tokens_out);
    json_int(out, "callsNotReported", spent->missing);
}
