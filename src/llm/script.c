/*
 * The script is walked from its beginning for every turn: it is short, and so a turn that is repeated after a
 * crash says the same line.
 */
#include "llm/script.h"

#include "base/limits.h"
#include "base/str.h"
#include "llm/provider.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct script_entry {
    const char *name, *words;
    size_t name_len, words_len;
};

/* The next line with a name; false at the end. */
static bool next_entry(const char **at, struct script_entry *entry)
{
    while (**at) {
        const char *line = *at, *colon;
        size_t len = strcspn(line, "\n");

        *at = line + len + (line[len] == '\n');
        if (len > 0 && line[len - 1] == '\r')
            len--;
        colon = *line == '#' ? NULL : memchr(line, ':', len);
        if (!colon)
            continue;
        entry->name = line;
        entry->name_len = (size_t)(colon - line);
        entry->words = colon + 1;
        entry->words_len = len - entry->name_len - 1;
        while (entry->words_len > 0 && *entry->words == ' ')
            entry->words++, entry->words_len--;
        return true;
    }
    return false;
}

static bool is_for(const struct script_entry *entry, const char *name)
{
    size_t len;

    return str_begins_with_name(entry->name, name, &len) == STR_BEGINS_WHOLE && len == entry->name_len;
}

static const char *unescape(struct arena *arena, const struct script_entry *entry)
{
    char *text = arena_copy(arena, entry->words, entry->words_len), *to = text;

    for (const char *from = text; *from; from++) {
        if (from[0] == '\\' && (from[1] == 'n' || from[1] == '\\'))
            *to++ = *++from == 'n' ? '\n' : '\\';
        else
            *to++ = *from;
    }
    *to = '\0';
    return text;
}

/* The line of that name; *known tells whether it has any. */
static const char *line_of(struct arena *arena, const char *script, const char *name, int turn, bool *known)
{
    struct script_entry entry;
    int count = 0;

    while (next_entry(&script, &entry)) {
        if (!is_for(&entry, name))
            continue;
        *known = true;
        if (++count == turn)
            return unescape(arena, &entry);
    }
    return NULL;
}

const char *script_line(struct arena *arena, const char *script, const char *speaker, int turn)
{
    bool known = false;
    const char *line = line_of(arena, script, speaker ? speaker : "*", turn < 1 ? 1 : turn, &known);

    if (!line && !known)
        line = line_of(arena, script, "*", turn < 1 ? 1 : turn, &known);
    return line ? line : "[PASS]";
}

/* The line of that turn among those under a name, or the last one before it; NULL: there is none. */
static const char *standing_line(struct arena *arena, const char *script, const char *name, int turn)
{
    const char *line = NULL, *next;
    bool known = false;

    for (int i = 1; i <= turn && (next = line_of(arena, script, name, i, &known)); i++)
        line = next;
    return line;
}

static const char *reply_of_kind(struct arena *arena, const char *script, const struct script_cue *cue)
{
    const char *line = NULL;
    int turn = cue->turn < 1 ? 1 : cue->turn;

    if (cue->speaker)
        line = standing_line(arena, script, arena_format(arena, "%s (%s)", cue->speaker, cue->kind), turn);
    return line ? line : standing_line(arena, script, arena_format(arena, "* (%s)", cue->kind), turn);
}

const char *script_reply(struct arena *arena, const char *script, const struct script_cue *cue)
{
    const char *line = cue->kind ? reply_of_kind(arena, script, cue) : NULL;

    if (cue->kind && !line && strcmp(cue->kind, "ballot") == 0)
        line = reply_of_kind(arena, rehearsal_script, cue);
    return line ? line : script_line(arena, script, cue->speaker, cue->turn);
}

static const char call_mark[] = "!call ";

const char *script_calls(struct arena *arena, const char **reply)
{
    const char *at = *reply;

    while (at && !str_starts(at, call_mark)) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    if (at)
        *reply = arena_copy(arena, *reply, at > *reply ? (size_t)(at - *reply) - 1 : 0);
    return at;
}

bool script_next_call(struct arena *arena, const char **calls, const char **tool, const char **arguments)
{
    const char *name = *calls ? *calls + sizeof(call_mark) - 1 : NULL, *end;
    size_t len;

    if (!name)
        return false;
    end = strstr(name, "\n!call ");
    *calls = end ? end + 1 : NULL;
    end = end ? end : name + strlen(name);
    len = strcspn(name, " \n");
    if (name + len > end)
        len = (size_t)(end - name);
    *tool = arena_copy(arena, name, len);
    while (name[len] == ' ')
        len++;
    *arguments = arena_copy(arena, name + len, (size_t)(end - name) - len);
    return true;
}

bool script_read(struct arena *arena, const char *path, const char **script, struct err *err)
{
    FILE *file = fopen(path, "re");

    if (!file && errno == EACCES)
        return err_field(
            err, "script",
            "The script %s cannot be read: %s. A file that was put in its place while the server ran is read after the next start.",
            path, strerror(errno));
    if (!file)
        return err_field(err, "script", "The script %s cannot be read: %s.", path, strerror(errno));
    char *text = arena_alloc(arena, LIMIT_SCRIPT + 2, 1);
    size_t len = fread(text, 1, LIMIT_SCRIPT + 1, file);

    fclose(file);
    if (len > LIMIT_SCRIPT)
        return err_field(err, "script", "The script %s is larger than %d KB.", path, LIMIT_SCRIPT / KB);
    if (!str_is_utf8(text, len))
        return err_field(err, "script", "The script %s is not UTF-8.", path);
    *script = text;
    return true;
}

const struct provider provider_scripted = { .name = "scripted", .url = "", .path = "" };
