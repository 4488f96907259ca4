/*
 * Everything is made from the same list of entries in one pass for each round; rounds are few. The plain text
 * is a format that others already parse, line by line: its words are not ours to improve.
 */
#include "core/council/rules/transcript.h"

#include "base/str.h"
#include "core/council/rules/said.h"

#include <string.h>
#include <strings.h>

#define RULER "============================================================\n" /* 60 */

static const struct {
    const char *role, *icon;
} icons[] = {
    { "divergent", "\xF0\x9F\x94\xB5" },  /* blue circle */
    { "convergent", "\xF0\x9F\x9F\xA2" }, /* green circle */
    { "critical", "\xF0\x9F\x94\xB4" },   /* red circle */
};

static const char own_role[] = "\xE2\x9A\xAA"; /* white circle */
static const char bee[] = "\xF0\x9F\x90\x9D", sparkles[] = "\xE2\x9C\xA8";

static const char *icon_of(const char *word)
{
    for (size_t i = 0; word && i < sizeof(icons) / sizeof(*icons); i++)
        if (strcasecmp(word, icons[i].role) == 0)
            return icons[i].icon;
    return NULL;
}

const char *transcript_icon(const char *role, const char *name)
{
    const char *icon = icon_of(role);

    if (!icon)
        icon = icon_of(name);
    return icon ? icon : own_role;
}

static size_t said_in(const struct transcript *transcript, int round)
{
    size_t said = 0;

    for (size_t i = 0; i < transcript->count; i++)
        said += transcript->entries[i].kind == ENTRY_SAID &&
                (round == 0 || transcript->entries[i].round == round);
    return said;
}

size_t transcript_contributions(const struct transcript *transcript)
{
    return said_in(transcript, 0);
}

static int rounds_of(const struct transcript *transcript)
{
    int rounds = transcript->rounds;

    for (size_t i = 0; i < transcript->count; i++)
        if (transcript->entries[i].round > rounds)
            rounds = transcript->entries[i].round;
    return rounds;
}

static const char *shown_topic(struct arena *arena, const char *topic)
{
    return str_beginning(arena, str_plain_line(arena, topic), LIMIT_TOPIC_SHOWN);
}

static struct said_names names_of(struct arena *arena, const struct transcript *transcript)
{
    const char **list = arena_array(arena, const char *, transcript->count);
    size_t count = 0;

    for (size_t i = 0; i < transcript->count; i++) {
        size_t at = 0;

        while (at < count && strcmp(list[at], transcript->entries[i].speaker) != 0)
            at++;
        if (at == count)
            list[count++] = transcript->entries[i].speaker;
    }
    return (struct said_names){ list, count };
}

static void text_round(const struct transcript *transcript, const struct said_names *names, int round,
                       struct buf *out)
{
    size_t said = said_in(transcript, round);

    if (said == 0)
        return;
    buf_format(out, RULER "Round %d: %zu contribution(s)\n" RULER "\n", round, said);
    for (size_t i = 0; i < transcript->count; i++) {
        const struct council_entry *entry = &transcript->entries[i];

        if (entry->kind != ENTRY_SAID || entry->round != round)
            continue;
        buf_format(out, "%s %s:\n", transcript_icon(entry->role, entry->speaker), entry->speaker);
        said_text(names, entry->content, out);
        buf_text(out, "\n\n");
    }
}

void transcript_text(struct arena *arena, const struct transcript *transcript, struct buf *out)
{
    struct said_names names = names_of(arena, transcript);
    int rounds = rounds_of(transcript);

    buf_format(out,
               "%s [QueenBee Collaborative Discussion]\n\n"
               "My specialist team had a %d-round discussion about:\n'%s'\n\n",
               bee, rounds, shown_topic(arena, transcript->topic));
    for (int round = 1; round <= rounds; round++)
        text_round(transcript, &names, round, out);
    buf_format(out,
               RULER "%s Discussion complete with %zu total contributions\n"
                     "This represents a truly collaborative multi-perspective analysis.\n" RULER,
               sparkles, transcript_contributions(transcript));
}

static void markdown_entry(struct arena *arena, const struct said_names *names,
                           const struct council_entry *entry, struct buf *out)
{
    const char *icon = transcript_icon(entry->role, entry->speaker);
    const char *speaker = said_markdown_line(arena, entry->speaker);

    if (entry->kind != ENTRY_SAID) {
        const char *reason = said_markdown_line(arena, entry->content);

        buf_format(out, "*%s %s %s%s%s*\n\n", icon, speaker,
                   entry->kind == ENTRY_PASSED ? "passed" : "was skipped", *reason ? ": " : ".", reason);
        return;
    }
    buf_format(out, "### %s %s\n\n", icon, speaker);
    said_markdown(names, entry->content, out);
    buf_text(out, entry->partial ? "\n\n*(cut off)*\n\n" : "\n\n");
}

static const char *line_of(struct arena *arena, const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return said_markdown_line(arena, text ? text : "");
}

static void markdown_dissent(struct arena *arena, const json_t *dissent, struct buf *out)
{
    const json_t *ballot;
    size_t i;

    json_array_foreach(dissent, i, ballot)
    {
        buf_format(out, "%s%s (%s)", i == 0 ? "Dissent: " : ", ", line_of(arena, ballot, "voter"),
                   line_of(arena, ballot, "choice"));
    }
    if (json_array_size(dissent) > 0)
        buf_text(out, ".\n\n");
}

static void markdown_vote(struct arena *arena, const char *text, struct buf *out)
{
    struct err ignored = { 0 };
    JSON_AUTO *vote = NULL;
    const char *choice;
    json_t *points;

    if (!text || !json_parse(text, strlen(text), &vote, &ignored))
        return;
    buf_format(out, "## Vote\n\nBy rule %s: ", line_of(arena, vote, "rule"));
    if (json_is_string(json_object_get(vote, "winner")))
        buf_format(out, "**%s**.\n\n", line_of(arena, vote, "winner"));
    else
        buf_text(out, json_is_true(json_object_get(vote, "tie")) ? "a tie, which is not broken.\n\n"
                                                                 : "nobody has voted.\n\n");
    json_object_foreach(json_object_get(vote, "tally"), choice, points)
    {
        buf_format(out, "- %s: %g\n", said_markdown_line(arena, choice), json_number_value(points));
    }
    buf_text(out, "\n");
    markdown_dissent(arena, json_object_get(vote, "dissent"), out);
}

void transcript_markdown(struct arena *arena, const struct transcript *transcript, struct buf *out)
{
    struct said_names names = names_of(arena, transcript);
    int rounds = rounds_of(transcript);
    const char *end = council_end_word(transcript->end);

    buf_format(out, "# %s\n\n%d round(s), %zu contribution(s)", said_markdown_line(arena, transcript->topic),
               rounds, transcript_contributions(transcript));
    if (end)
        buf_format(out, "; ended: %s", end);
    buf_text(out, ".\n\n");
    for (int round = 1; round <= rounds; round++) {
        bool begun = false;

        for (size_t i = 0; i < transcript->count; i++) {
            if (transcript->entries[i].round != round)
                continue;
            if (!begun)
                buf_format(out, "## Round %d\n\n", round);
            begun = true;
            markdown_entry(arena, &names, &transcript->entries[i], out);
        }
    }
    markdown_vote(arena, transcript->vote, out);
}

static void write_contribution(const struct council_entry *entry, struct json_out *out)
{
    json_map(out, NULL);
    json_text(out, "agent", entry->speaker);
    json_int(out, "round", entry->round);
    json_text(out, "content", entry->content);
    json_map_end(out);
}

static void write_pass(const struct council_entry *entry, struct json_out *out)
{
    json_map(out, NULL);
    json_text(out, "agent", entry->speaker);
    json_text(out, "reason", entry->content);
    json_map_end(out);
}

static void write_round(const struct transcript *transcript, int round, struct json_out *out)
{
    const struct council_entry *end = transcript->entries + transcript->count;

    json_map(out, NULL);
    json_int(out, "round", round);
    json_list(out, "contributions");
    for (const struct council_entry *entry = transcript->entries; entry < end; entry++)
        if (entry->round == round && entry->kind == ENTRY_SAID)
            write_contribution(entry, out);
    json_list_end(out);
    json_list(out, "passes");
    for (const struct council_entry *entry = transcript->entries; entry < end; entry++)
        if (entry->round == round && entry->kind != ENTRY_SAID)
            write_pass(entry, out);
    json_list_end(out);
    json_map_end(out);
}

void transcript_members(const struct transcript *transcript, struct json_out *out)
{
    int rounds = rounds_of(transcript);

    json_text(out, "topic", transcript->topic);
    json_list(out, "rounds");
    for (int round = 1; round <= rounds; round++)
        write_round(transcript, round, out);
    json_list_end(out);
    json_list(out, "full_discussion");
    for (size_t i = 0; i < transcript->count; i++)
        if (transcript->entries[i].kind == ENTRY_SAID)
            write_contribution(&transcript->entries[i], out);
    json_list_end(out);
    json_int(out, "total_contributions", (int64_t)transcript_contributions(transcript));
}
