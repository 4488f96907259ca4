/*
 * Tokens are looked for backwards, from the character that can end one, in what has been kept so far: so a
 * token that appears when another is cut out of its middle is found as well, and each character is looked at
 * a bounded number of times.
 */
#include "core/council/rules/reply_clean.h"

#include "base/str.h"

#include <string.h>

#define TOKEN_NAME 48 /* bytes of the longest name between <| and |> */
#define ROLE_MAX   16

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */
static const char wide_bar[] = "\xEF\xBD\x9C"; /* U+FF5C, with which one family of models marks its tokens */

static const char *const tokens[] = {
    "<s>",
    "</s>",
    "<bos>",
    "<eos>",
    "<pad>",
    "<unk>",
    "<EOT>",
    "[INST]",
    "[/INST]",
    "<<SYS>>",
    "<</SYS>>",
    "<start_of_turn>",
    "[/TOOLS]",
    "[TOOLS]",
    "<end_of_turn>",
    "[TOOL_CALLS]",
    "<end_of_utterance>",
};

/* After these the role of whoever is said to speak follows. */
static const char *const openers[] = { "<|im_start|>", "<|start_header_id|>", "<start_of_turn>" };
static const char *const roles[] = { "assistant", "user", "system", "tool", "model", "ipython" };

struct cleaning {
    struct arena *arena;
    struct reply_clean *out;
    char *text;
    size_t len;
    size_t role_at;  /* where a role may stand, or SIZE_MAX */
    size_t think_at; /* where a thought began, or SIZE_MAX */
    bool ever_thought;
};

static bool ends_in(const struct cleaning *cleaning, const char *ending)
{
    size_t len = strlen(ending);

    return cleaning->len >= len && memcmp(cleaning->text + cleaning->len - len, ending, len) == 0;
}

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '/' || c == ':';
}

/* Bytes of a token such as <|im_end|> at the end of what was kept, whose bars are these; 0: there is none. */
static size_t barred_token(const struct cleaning *cleaning, const char *bar, bool wide)
{
    size_t width = strlen(bar), name = 0;
    const char *text = cleaning->text;

    if (cleaning->len < 2 * width + 3 || memcmp(text + cleaning->len - 1 - width, bar, width) != 0)
        return 0;
    size_t at = cleaning->len - 1 - width;

    /* The wide bar is no byte of a name, but its bytes pass for those of other characters. */
    while (at > 0 && name < TOKEN_NAME && (is_name_byte(text[at - 1]) || (wide && (text[at - 1] & 0x80)))) {
        if (wide && at >= width && memcmp(text + at - width, bar, width) == 0)
            break;
        at--;
        name++;
    }
    if (name == 0 || at < width + 1 || memcmp(text + at - width, bar, width) != 0 ||
        text[at - width - 1] != '<')
        return 0;
    return cleaning->len - (at - width - 1);
}

static size_t token_length(const struct cleaning *cleaning)
{
    size_t barred = barred_token(cleaning, "|", false);

    if (!barred)
        barred = barred_token(cleaning, wide_bar, true);
    for (size_t i = 0; !barred && i < sizeof(tokens) / sizeof(*tokens); i++)
        if (ends_in(cleaning, tokens[i]))
            barred = strlen(tokens[i]);
    return barred;
}

/* Drops the role that stands between `role_at` and the end, if that is what stands there. */
static void drop_role(struct cleaning *cleaning, size_t end)
{
    size_t at = cleaning->role_at;

    cleaning->role_at = SIZE_MAX;
    if (at == SIZE_MAX || at > end || end - at > ROLE_MAX)
        return;
    for (size_t i = 0; i < sizeof(roles) / sizeof(*roles); i++)
        if (strlen(roles[i]) == end - at && memcmp(cleaning->text + at, roles[i], end - at) == 0)
            cleaning->len = at;
}

static bool is_opener(const struct cleaning *cleaning)
{
    for (size_t i = 0; i < sizeof(openers) / sizeof(*openers); i++)
        if (ends_in(cleaning, openers[i]))
            return true;
    return false;
}

static bool is_think(const struct cleaning *cleaning, bool closing, size_t *len)
{
    static const char *const tags[2][2] = { { "<think>", "<thinking>" }, { "</think>", "</thinking>" } };

    for (size_t i = 0; i < 2; i++)
        if (ends_in(cleaning, tags[closing][i])) {
            *len = strlen(tags[closing][i]);
            return true;
        }
    return false;
}

/* Takes what was kept from here on out of the reply. */
static void keep_thought(struct cleaning *cleaning, size_t from)
{
    const char *thought =
        str_trim(cleaning->arena, arena_copy(cleaning->arena, cleaning->text + from, cleaning->len - from));

    cleaning->len = from;
    if (*thought && !cleaning->out->thought)
        cleaning->out->thought = thought;
}

static void cut_at_end(struct cleaning *cleaning)
{
    size_t len;

    if (is_think(cleaning, false, &len)) {
        cleaning->len -= len;
        cleaning->out->tokens++;
        cleaning->ever_thought = true;
        if (cleaning->think_at > cleaning->len)
            cleaning->think_at = cleaning->len;
    } else if (is_think(cleaning, true, &len)) {
        cleaning->len -= len;
        cleaning->out->tokens++;
        if (cleaning->think_at <= cleaning->len || !cleaning->ever_thought)
            keep_thought(cleaning, cleaning->think_at <= cleaning->len ? cleaning->think_at : 0);
        cleaning->ever_thought = true;
        cleaning->think_at = SIZE_MAX;
    } else if ((len = token_length(cleaning)) > 0) {
        bool opener = is_opener(cleaning), closes = ends_in(cleaning, "<|end_header_id|>");

        cleaning->len -= len;
        cleaning->out->tokens++;
        if (closes)
            drop_role(cleaning, cleaning->len);
        cleaning->role_at = opener ? cleaning->len : SIZE_MAX;
    }
}

static bool is_blank_to(const char *text, size_t end)
{
    for (size_t i = 0; i < end; i++)
        if (!strchr(" \t\n", text[i]))
            return false;
    return true;
}

static void cut_tokens(struct cleaning *cleaning, const char *from)
{
    for (; *from; from++) {
        if (*from == '\n')
            drop_role(cleaning, cleaning->len);
        cleaning->text[cleaning->len++] = *from;
        if (*from == '>' || *from == ']')
            cut_at_end(cleaning);
        /* What stood at the mark was cut away: the mark goes along. */
        if (cleaning->think_at != SIZE_MAX && cleaning->think_at > cleaning->len)
            cleaning->think_at = cleaning->len;
    }
    if (cleaning->think_at != SIZE_MAX && is_blank_to(cleaning->text, cleaning->think_at))
        keep_thought(cleaning, cleaning->think_at);
    cleaning->text[cleaning->len] = '\0';
}

/* A run of bytes that are no UTF-8 becomes one U+FFFD. */
static char *mend(struct arena *arena, const char *raw, size_t len, bool *mended)
{
    char *text = arena_alloc(arena, len * 3 + 1, 1);
    size_t kept = 0;
    bool broken = false;
    uint32_t code;

    for (size_t at = 0, size; at < len; at += size ? size : 1) {
        size = str_decode(raw + at, len - at, &code);
        if (size == 0 && !broken) {
            memcpy(text + kept, replacement, 3);
            kept += 3;
            *mended = true;
        } else if (size > 0 && code != 0) {
            memcpy(text + kept, raw + at, size);
            kept += size;
        }
        broken = size == 0;
    }
    text[kept] = '\0';
    return text;
}

struct reply_clean reply_clean(struct arena *arena, const char *raw, size_t len)
{
    struct reply_clean out = { 0 };
    const char *sound = str_sanitise(arena, str_lines(arena, mend(arena, raw, len, &out.mended)));
    struct cleaning cleaning = { .arena = arena, .out = &out, .role_at = SIZE_MAX, .think_at = SIZE_MAX };

    cleaning.text = arena_alloc(arena, strlen(sound) + 1, 1);
    cut_tokens(&cleaning, sound);
    out.text = cleaning.text;
    return out;
}
