#include "core/council/rules/conclusion.h"

static bool is_summary(const struct conclusion *of, const struct logged *row)
{
    return row->kind == ROW_SUMMARY && row->round == of->round && row->turn_index >= 0;
}

/*
 * Only an end that the agents came to has a summary: what was summed up on the way is about a part, for those
 * who spoke after it.
 */
static const char *words_of(const struct conclusion *of)
{
    const char *last = "Nothing was said.", *summary = NULL;

    for (size_t i = 0; i < of->log.count; i++) {
        const struct logged *row = &of->log.rows[i];

        if (row->manner != ENTRY_SAID)
            continue;
        if (row->kind == ROW_TURN)
            last = row->content;
        else if (end_is_natural(of->end) && is_summary(of, row))
            summary = row->content;
    }
    return summary ? summary : last;
}

static const char *dissent_of(struct arena *arena, const json_t *vote)
{
    const json_t *dissent = json_object_get(vote, "dissent");
    const char *text = "";
    const json_t *one;
    size_t i;

    json_array_foreach(dissent, i, one)
    {
        const char *voter = json_string_value(json_object_get(one, "voter"));
        const char *choice = json_string_value(json_object_get(one, "choice"));

        text = arena_format(arena, "%s%s%s (%s)", text, i > 0 ? ", " : "", voter ? voter : "somebody",
                            choice ? choice : "no choice");
    }
    return text;
}

const char *conclusion_text(struct arena *arena, const struct conclusion *of)
{
    const char *winner = json_string_value(json_object_get(of->vote, "winner")), *words = words_of(of);
    const char *dissent = dissent_of(arena, of->vote);

    if (!of->vote)
        return words;
    words = winner ? arena_format(arena, "The vote is for: %s.\n\n%s", winner, words)
                   : arena_format(arena, "The vote has no winner.\n\n%s", words);
    return *dissent ? arena_format(arena, "%s\n\nDissent: %s.", words, dissent) : words;
}
