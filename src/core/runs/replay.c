/*
 * A run's log, read page by page and decided again (rules/rerun.h).
 */
#include "base/limits.h"
#include "core/questions/job.h"
#include "core/runs/rules/rerun.h"
#include "core/runs/run.h"

#define PAGE 500

static bool take_page(const struct tx *tx, const char *job_id, int64_t *after, struct rerun *replay,
                      bool *more)
{
    struct run_entry *entries;
    struct db_rows rows;

    if (!tx_query(tx, SQL_RUN_ENTRY_LIST, DB_ARGS(db_text(job_id), db_int(*after), db_int(PAGE)), &rows) ||
        !run_entry_from_rows(tx, &rows, rows.count, &entries))
        return false;
    for (size_t i = 0; i < rows.count; i++) {
        const struct run_entry *entry = &entries[i];

        rerun_take(replay, &(struct rerun_entry){ .seq = entry->seq,
                                                  .kind = entry->kind,
                                                  .text = entry->text,
                                                  .data = entry->data,
                                                  .call_id = entry->call_id,
                                                  .tokens = entry->tokens_in + entry->tokens_out });
        *after = entry->seq;
    }
    *more = rows.count == PAGE;
    return true;
}

bool run_replay(const struct tx *tx, const char *job_id, struct run_replay *replay)
{
    struct rerun_setup setup = { .mistakes_most = LIMIT_RUN_MISTAKES };
    int64_t after = 0;
    bool more = true;
    struct job job;
    struct run run;

    if (!job_get(tx, job_id, &job) || !run_load(tx, job_id, &run))
        return false;
    setup.budget =
        (struct run_budget){ run.budget_steps, run.budget_tokens, run.budget_ms, run.budget_money };
    setup.recover = run.recover;
    struct rerun *again = rerun_begin(tx->arena, &setup);

    while (more)
        if (!take_page(tx, job_id, &after, again, &more))
            return false;
    struct rerun_result result = rerun_end(again);
    struct run_difference *differences = arena_array(tx->arena, struct run_difference, result.count + 1);

    for (size_t i = 0; i < result.count; i++)
        differences[i] = (struct run_difference){ result.differences[i].seq, result.differences[i].stored,
                                                  result.differences[i].recomputed };
    *replay = (struct run_replay){ .steps = result.steps,
                                   .decisions = result.decisions,
                                   .differences = differences,
                                   .difference_count = result.count };
    return true;
}
