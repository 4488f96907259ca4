/*
 * Which entries a summary has to take in is worked out from the log, both when it is asked for and when it
 * has come; nothing else is remembered than up to where the last one goes. A summary that failed moves this
 * place all the same: the older part is then not shown, and nobody is asked for ever.
 */
#include "core/council/condense.h"

#include "base/settings.h"

bool condense_look(const struct machine *m, struct condensed *condensed)
{
    struct logged *rows;
    size_t count;

    if (!logged_all(m->tx, m->d->id, m->d->summary_seq, &rows, &count))
        return false;
    *condensed = (struct condensed){ .entries = arena_array(m->tx->arena, struct council_entry, count),
                                     .seqs = arena_array(m->tx->arena, int64_t, count) };
    for (size_t i = 0; i < count; i++) {
        if (!logged_is_shown(&rows[i]))
            continue;
        condensed->entries[condensed->count] = logged_entry(&rows[i]);
        condensed->seqs[condensed->count++] = rows[i].seq;
    }
    struct history all = { .mode = m->d->mode, .entries = condensed->entries, .count = condensed->count };

    condensed->plan = history_plan(&all, 0, (size_t)settings()->council_window);
    return true;
}

bool machine_condense(struct machine *m, bool *asked)
{
    struct condensed condensed;
    const struct logged *summary;

    if (m->d->mode == MODE_TURNS || m->d->round == 1 || m->d->turn_index != 0)
        return true;
    if (!condense_look(m, &condensed))
        return false;
    if (!condensed.plan.summarise || condensed.plan.first == 0)
        return true;
    if (!machine_ask_once(m, TURN_SUMMARY, m->d->round - 1, asked, &summary))
        return false;
    if (!summary)
        return true;
    if (summary->manner == ENTRY_SAID)
        m->d->summary = summary->content;
    m->d->summary_seq = condensed.seqs[condensed.plan.first - 1];
    return true;
}
