/*
 * What is cut from a model's reply: whatever it sends, what comes out can be shown and stored, holds neither
 * stop sequences nor tokens nor other speakers' labels, and is not cut any further when it is cut again.
 *
 * The first byte chooses the mode, whether this is the second time, and whether the agent has stops of its
 * own, which then stand in the first line; the rest is the reply.
 */
#include "base/limits.h"
#include "base/str.h"
#include "core/council/rules/pass.h"
#include "tests/fuzz/fuzz.h"

static const char *const others[] = { "Ann", "Manager" };
static const char *const tokens[] = { "<|im_end|>", "<|eot_id|>", "</s>", "[INST]", "<think>", "</think>" };

static void check_clean(const char *text)
{
    size_t len = strlen(text);

    DEMAND(str_is_utf8(text, len));
    DEMAND(len == 0 || (!strchr(" \t\n", text[0]) && !strchr(" \t\n", text[len - 1])));
    for (size_t i = 0; i < len; i++)
        DEMAND((unsigned char)text[i] >= ' ' || text[i] == '\n' || text[i] == '\t');
    for (size_t i = 0; i < sizeof(tokens) / sizeof(*tokens); i++)
        DEMAND(!strstr(text, tokens[i]));
}

static void check_ends(struct arena *arena, const struct reply_rules *rules, const struct reply *reply)
{
    const char *stops[LIMIT_STOPS];
    size_t count = reply_stops(arena, rules, stops);

    for (size_t i = 0; i < count; i++)
        DEMAND(!strstr(reply->text, stops[i]));
    if (reply->stop)
        DEMAND(strstr(reply->whole, reply->stop));
    DEMAND(!strstr(reply->text, "\n[Ann]:"));
    DEMAND(rules->mode != MODE_TURNS || !strstr(reply->text, "\nManager:"));
    DEMAND(!str_starts(reply->text, "[Zed]:"));
    plant(strlen(reply->text), 41);
}

static void check_same(struct arena *arena, const struct reply_rules *rules, const struct reply *reply)
{
    struct reply again = reply_cut(arena, rules, reply->text, strlen(reply->text));

    DEMAND(strcmp(again.text, reply->text) == 0);
    DEMAND(!again.mended && !again.too_long);
    DEMAND(reply_showable(arena, rules, reply) <= strlen(reply->text));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    ARENA_AUTO arena = { 0 };
    struct reply_rules rules = { .speaker = "Zed", .others = others, .other_count = 2 };
    char *own = NULL;

    if (len == 0)
        return 0;
    rules.mode = (enum council_mode)(bytes[0] % 3);
    bool has_own = bytes[0] & 8;

    rules.again = bytes[0] & 16;
    rules.stopped = bytes[0] & 32;

    bytes++;
    len--;
    if (has_own) {
        own = fuzz_line(&bytes, &len);
        rules.stops = (const char *const *)&own;
        rules.stop_count = 1;
    }
    struct reply reply = reply_cut(&arena, &rules, (const char *)bytes, len);

    DEMAND((reply.lack == LACK_NONE) == (reply.text[0] != '\0'));
    DEMAND(strlen(reply.text) <= LIMIT_MESSAGE);
    check_clean(reply.text);
    check_clean(reply.whole);
    check_ends(&arena, &rules, &reply);
    check_same(&arena, &rules, &reply);
    struct pass pass = pass_of_reply(&arena, &reply);

    DEMAND(pass.reason && str_is_utf8(pass.reason, strlen(pass.reason)));
    DEMAND(reply.lack == LACK_NONE || pass.kind != PASS_NOT);
    free(own);
    return 0;
}
