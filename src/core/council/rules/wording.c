/*
 * Values are put in while the text is walked once, from left to right, and never looked at again: a topic
 * that holds {{history}} stays a topic.
 */
#include "core/council/rules/wording.h"

#include "base/buf.h"

#include <string.h>
#include <strings.h>

#define NAME_MAX_LEN 32

/* What can be filled in: in a discussion, and for an agent of the runner. */
static const char *const in_discussions[] = { "topic",  "name",    "role",   "history", "round",
                                              "rounds", "choices", "others", "summary", NULL };
static const char *const for_agents[] = { "name", "project", "autonomy", NULL };

struct placeholder {
    const char *start, *end; /* with its braces */
    char name[NAME_MAX_LEN + 1];
};

/* The next placeholder; false when there is none. */
static bool next_placeholder(const char *text, struct placeholder *found)
{
    for (const char *open = strstr(text, "{{"); open; open = strstr(open + 1, "{{")) {
        const char *name = open + 2 + strspn(open + 2, " ");
        size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        const char *close = name + len + strspn(name + len, " ");

        if (len == 0 || len > NAME_MAX_LEN || strncmp(close, "}}", 2) != 0)
            continue;
        *found = (struct placeholder){ .start = open, .end = close + 2 };
        memcpy(found->name, name, len);
        return true;
    }
    return false;
}

static const char *value_of(const struct wording_value values[], size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(values[i].name, name) == 0)
            return values[i].text ? values[i].text : "";
    return NULL;
}

bool wording_fill(struct arena *arena, const char *words, const struct wording_value values[], size_t count,
                  char **text, struct err *err)
{
    BUF_AUTO out;
    struct placeholder next;

    buf_init(&out, 0);
    for (; next_placeholder(words, &next); words = next.end) {
        const char *value = value_of(values, count, next.name);

        if (!value)
            return err_field(err, next.name, "The prompt asks for {{%s}}, for which there is no value here.",
                             next.name);
        buf_add(&out, words, (size_t)(next.start - words));
        buf_text(&out, value);
    }
    buf_text(&out, words);
    if (out.full)
        return err_set(err, ERR_TOO_LARGE, "The prompt is too long.");
    *text = arena_copy(arena, out.bytes ? out.bytes : "", out.len);
    return true;
}

bool wording_is_agents(enum prompt_text prompt)
{
    return strncmp(prompt_texts[prompt].name, "agent_", strlen("agent_")) == 0;
}

bool wording_check(enum prompt_text prompt, const char *words, const char *field, struct err *err)
{
    bool agents = wording_is_agents(prompt);
    const char *const *known = agents ? for_agents : in_discussions;
    struct placeholder next;

    for (; next_placeholder(words, &next); words = next.end) {
        size_t at = 0;

        while (known[at] && strcmp(known[at], next.name) != 0)
            at++;
        if (known[at])
            continue;
        err_field(err, field, "There is no placeholder {{%s}}.", next.name);
        return err_hint(
            err, agents ? "There are name, project, autonomy."
                        : "There are topic, name, role, history, round, rounds, choices, others, summary.");
    }
    return true;
}

bool wording_find(const char *name, enum prompt_text *prompt, struct err *err)
{
    for (size_t i = 0; i < PROMPT_TEXTS; i++)
        if (name && strcmp(prompt_texts[i].name, name) == 0) {
            *prompt = (enum prompt_text)i;
            return true;
        }
    return err_set(err, ERR_NOT_FOUND, "There is no prompt \"%.60s\".", name ? name : "");
}

enum prompt_text wording_for(const char *role, const char *name, bool first)
{
    static const struct {
        const char *role;
        enum prompt_text first, later;
    } roles[] = {
        { "divergent", PROMPT_TEXT_DIVERGENT_FIRST, PROMPT_TEXT_DIVERGENT_LATER },
        { "convergent", PROMPT_TEXT_CONVERGENT_FIRST, PROMPT_TEXT_CONVERGENT_LATER },
        { "critical", PROMPT_TEXT_CRITICAL_FIRST, PROMPT_TEXT_CRITICAL_LATER },
        { "moderator", PROMPT_TEXT_MODERATOR, PROMPT_TEXT_MODERATOR },
    };
    const char *const words[] = { role, name };

    for (size_t w = 0; w < 2; w++)
        for (size_t i = 0; words[w] && i < sizeof(roles) / sizeof(*roles); i++)
            if (strcasecmp(words[w], roles[i].role) == 0)
                return first ? roles[i].first : roles[i].later;
    return first ? PROMPT_TEXT_ROLE_FIRST : PROMPT_TEXT_ROLE_LATER;
}

char *wording_choices(struct arena *arena, const char *const choices[], size_t count)
{
    BUF_AUTO out;

    buf_init(&out, 0);
    for (size_t i = 0; i < count; i++)
        buf_format(&out, "%s- %s", i ? "\n" : "", choices[i]);
    return arena_copy(arena, out.bytes ? out.bytes : "", out.len);
}
