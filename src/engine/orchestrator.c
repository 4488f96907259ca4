/*
 * A take in hand is a struct coding, which is somewhere at each moment: in a unit at the store, on the desk,
 * or with the program that runs for it; it comes back as mail and is moved on. One that was dropped is let go
 * of when it comes back, and nothing is written for it.
 */
#include "engine/orchestrator.h"

#include "base/limits.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/settings.h"
#include "base/str.h"
#include "core/runs/orchestrate.h"
#include "engine/holder.h"
#include "engine/orchestrator_desk.h"
#include "engine/task_folder.h"
#include "toolbox/secrets.h"
#include "toolbox/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What its commits enter, for tests. */
enum take_phase { TAKES_TAKING = 1, TAKES_CODING, TAKES_SETTLING, TAKE_PHASE_END };
static const char *const take_phases[] = { "taking", "coding", "settling", NULL };
WORDS_FIT(take_phases, TAKE_PHASE_END);

struct orchestrator {
    struct holder holder; /* first */
    struct tailer *tailer;
    struct orchestrator_setup setup;
    struct desk desk;
    struct coding *first; /* all in hand */
    size_t count;
    struct mail news; /* something may be ready */
    atomic_bool news_told;
};

struct coding {
    struct mail mail;      /* first: from the desk, or the program */
    struct desk_item item; /* on the desk */
    struct orchestrator *of;
    struct coding *next;
    char take_id[UUID_SIZE], task_id[UUID_SIZE], project_id[UUID_SIZE], job_id[UUID_SIZE];
    int64_t epoch;
    bool dropped; /* nobody wants what comes of it */

    struct arena arena; /* what follows points into it */
    const char *config, *prompt;
    struct output output;
    const char *broke;                      /* why it did not end as one that succeeded, or NULL */
    const char *how, *printed, *complained; /* for the job's log */
    struct err failed;                      /* of the desk */

    pthread_mutex_t lock; /* the program's end, and whoever wants to end it */
    struct program_run *run;
    bool ended;
    struct buf out, errors;
    bool errors_cut; /* of them the end was kept */
    struct program_result result;
};

static struct orchestrator *orchestrator_of(struct holder *holder)
{
    return (struct orchestrator *)holder;
}

/* Takes in hand. */

static struct coding *coding_new(struct orchestrator *of, const struct held_row *row)
{
    struct coding *coding = memory_take(sizeof(*coding));

    memset(coding, 0, sizeof(*coding));
    coding->of = of;
    coding->epoch = row->epoch;
    snprintf(coding->take_id, sizeof(coding->take_id), "%s", row->id);
    pthread_mutex_init(&coding->lock, NULL);
    buf_init(&coding->out, LIMIT_RESULT_OUTPUT);
    buf_init(&coding->errors, CODER_ERRORS);
    coding->next = of->first;
    of->first = coding;
    of->count++;
    return coding;
}

static void coding_free(struct coding *coding)
{
    struct coding **at = &coding->of->first;

    while (*at != coding)
        at = &(*at)->next;
    *at = coding->next;
    coding->of->count--;
    pthread_mutex_destroy(&coding->lock);
    buf_done(&coding->out);
    buf_done(&coding->errors);
    arena_done(&coding->arena);
    free(coding);
}

/* Ends its program, if one runs. What it was doing comes back all the same. */
static void coding_stop(struct coding *coding)
{
    pthread_mutex_lock(&coding->lock);
    if (coding->run && !coding->ended)
        programs_end(coding->run);
    pthread_mutex_unlock(&coding->lock);
}

/* The writes. */

struct take_unit {
    struct holder_unit unit; /* first */
    struct coding *coding;
    int tries;
    bool (*write)(const struct tx *tx, const struct take_ref *ref, struct take_unit *unit);
    void (*written)(struct coding *coding, const struct take_step *step);
    struct take_step step;
    bool gives_up;
    const char *reason;
};

static bool run_take(const struct tx *tx, struct holder_unit *unit)
{
    struct take_unit *take = (struct take_unit *)unit;
    struct take_ref ref = { .take_id = take->coding->take_id,
                            .node = unit->holder->node,
                            .epoch = take->coding->epoch };

    if (!take->write(tx, &ref, take))
        return false;
    unit->phases = take->step.prepare ? 0 : 1U << (take->step.over ? TAKES_SETTLING : TAKES_CODING);
    return true;
}

static void give_up(struct coding *coding, const char *reason);

/* What cannot be written is asked about; what cannot even be asked about stays as it is until this node goes.
 */
static void take_failed(struct take_unit *take)
{
    struct coding *coding = take->coding;
    struct holder_unit *unit = &take->unit;

    if (unit_was_late(unit) || coding->of->holder.stopping || coding->dropped) {
        coding_free(coding);
    } else if (!unit_is_hopeless(unit, take->tries + 1)) {
        log_line(LOG_WARN, "a task that is out could not be moved on; trying again", "take", coding->take_id,
                 "why", unit->work.err.text, NULL);
        unit_again(unit, ++take->tries);
        return;
    } else if (!take->gives_up) {
        give_up(coding,
                arena_format(&coding->arena, "The coder could not be set to work: %s", unit->work.err.text));
    } else {
        log_line(LOG_ERROR, "a task that is out cannot be given back", "take", coding->take_id, "why",
                 unit->work.err.text, NULL);
        coding_free(coding);
    }
    unit_free(unit);
}

static void after_take(struct holder_unit *unit)
{
    struct take_unit *take = (struct take_unit *)unit;
    struct coding *coding = take->coding;

    if (unit->work.err.code != ERR_NONE) {
        take_failed(take);
        return;
    }
    if (take->step.over || coding->dropped) {
        /* Room for the next one. */
        holder_look(unit->holder);
        coding_free(coding);
    } else {
        take->written(coding, &take->step);
    }
    unit_free(unit);
}

static struct take_unit *take_unit(struct coding *coding,
                                   bool (*write)(const struct tx *tx, const struct take_ref *ref,
                                                 struct take_unit *unit),
                                   void (*written)(struct coding *coding, const struct take_step *step))
{
    struct take_unit *take = unit_new(&coding->of->holder, sizeof(*take), run_take, after_take);

    take->coding = coding;
    take->write = write;
    take->written = written;
    return take;
}

static bool write_give_up(const struct tx *tx, const struct take_ref *ref, struct take_unit *unit)
{
    unit->step = (struct take_step){ .over = true };
    return orchestrate_give_up(tx, ref, unit->reason);
}

/* The reason lives in the coding's arena. */
static void give_up(struct coding *coding, const char *reason)
{
    struct take_unit *take = take_unit(coding, write_give_up, NULL);

    take->gives_up = true;
    take->reason = reason;
    unit_hand_in(&take->unit);
}

static bool write_end(const struct tx *tx, const struct take_ref *ref, struct take_unit *unit)
{
    struct coding *coding = unit->coding;

    unit->step = (struct take_step){ .over = true };
    return orchestrate_end(tx, ref,
                           &(struct take_end){ .output = &coding->output,
                                               .broke = coding->broke,
                                               .how = coding->how,
                                               .printed = coding->printed,
                                               .errors = coding->complained });
}

/* The program. */

/* The last of what it said, for people. */
static const char *end_of(struct coding *coding, const struct buf *said, size_t most)
{
    size_t from = said->len > most ? said->len - most : 0;
    char *text = str_sanitise(
        &coding->arena, arena_copy(&coding->arena, said->bytes ? said->bytes + from : "", said->len - from));

    /* What was cleaned away may have stood inside of a secret. */
    return secrets_hidden(&coding->arena, coding->of->setup.coder_secrets, str_trim(&coding->arena, text));
}

static const char *last_words(struct coding *coding)
{
    return end_of(coding, coding->errors.len > 0 ? &coding->errors : &coding->out, CODER_LAST_WORDS);
}

static const char *why_broken(struct coding *coding)
{
    const struct program_result *result = &coding->result;
    const char *words;

    if (result->end == PROGRAM_EXITED && result->status == 0)
        return NULL;
    words = last_words(coding);
    if (result->end == PROGRAM_EXITED)
        return arena_format(&coding->arena, "The coder's command failed with status %d%s%s%s", result->status,
                            *words ? ": \"" : ".", words, *words ? "\"." : "");
    return arena_format(&coding->arena, "The coder's command did not come to its end: %s",
                        *result->why ? result->why : "it was ended.");
}

static const char *how_ended(struct coding *coding)
{
    const struct program_result *result = &coding->result;
    double seconds = (double)result->took_ms / 1000;

    if (result->end == PROGRAM_EXITED)
        return arena_format(&coding->arena, "The coder's command ended with status %d after %.1f s.",
                            result->status, seconds);
    return arena_format(&coding->arena, "The coder's command was ended after %.1f s: %s", seconds,
                        *result->why ? result->why : "nobody said why.");
}

static void heard_read(struct mail *mail)
{
    struct coding *coding = (struct coding *)mail;

    if (coding->dropped)
        coding_free(coding);
    else
        unit_hand_in(&take_unit(coding, write_end, NULL)->unit);
}

/* What is not UTF-8 could not be stored. */
static void mend(struct buf *said)
{
    uint32_t code;

    for (size_t i = 0; i < said->len;) {
        size_t bytes = said->bytes[i] ? str_decode(said->bytes + i, said->len - i, &code) : 0;

        if (bytes == 0)
            said->bytes[i] = '?';
        i += bytes ? bytes : 1;
    }
}

/* What the operator has given it is for no log, no question and no result; what takes its place is shorter.
 */
static void hide_secrets(struct coding *coding, struct buf *said, bool cut)
{
    bool broken = coding->result.end != PROGRAM_EXITED; /* it may have been writing */
    struct said_part part = secrets_hidden_part(&coding->arena, coding->of->setup.coder_secrets,
                                                (struct said_part){ said->bytes, said->len, cut, broken });

    if (part.bytes == said->bytes && part.len == said->len)
        return;
    part.bytes = arena_copy(&coding->arena, part.bytes, part.len);
    buf_clear(said);
    buf_add(said, part.bytes, part.len);
}

static void read_output(struct desk_item *item)
{
    struct coding *coding = (struct coding *)(void *)((char *)item - offsetof(struct coding, item));
    struct output_options options = { .coder = true };

    /* A secret need not be UTF-8, so it is looked for first. */
    hide_secrets(coding, &coding->out, false);
    hide_secrets(coding, &coding->errors, coding->errors_cut);
    mend(&coding->out);
    mend(&coding->errors);
    const char *text = coding->out.bytes ? coding->out.bytes : "";

    coding->broke = why_broken(coding);
    coding->how = how_ended(coding);
    coding->printed = end_of(coding, &coding->out, CODER_ERRORS);
    coding->complained = end_of(coding, &coding->errors, CODER_ERRORS);
    if (!output_read(&coding->arena, text, coding->out.len, &options, &coding->output, &coding->failed))
        coding->broke = arena_text(&coding->arena, coding->failed.text);
    holder_post(&coding->of->holder, &coding->mail, heard_read);
}

static bool program_said(void *user, const char *bytes, size_t len)
{
    buf_add(&((struct coding *)user)->out, bytes, len);
    return true;
}

/* Only its end is shown, so that is what is kept. */
static bool program_complained(void *user, const char *bytes, size_t len)
{
    struct coding *coding = user;
    struct buf *errors = &coding->errors;
    size_t keep = len < CODER_ERRORS ? len : CODER_ERRORS, room = CODER_ERRORS - keep;

    if (errors->len + len > CODER_ERRORS)
        coding->errors_cut = true;
    if (errors->len > room) {
        memmove(errors->bytes, errors->bytes + errors->len - room, room);
        errors->len = room;
    }
    buf_add(errors, bytes + len - keep, keep);
    return true;
}

static void heard_end(struct mail *mail)
{
    struct coding *coding = (struct coding *)mail;

    if (coding->dropped)
        coding_free(coding);
    else
        desk_put(&coding->of->desk, &coding->item, read_output);
}

static void program_done(void *user, const struct program_result *result)
{
    struct coding *coding = user;

    pthread_mutex_lock(&coding->lock);
    coding->ended = true;
    coding->result = *result;
    coding->result.why = arena_text(&coding->arena, result->why);
    pthread_mutex_unlock(&coding->lock);
    holder_post(&coding->of->holder, &coding->mail, heard_end);
}

static void start_program(struct coding *coding)
{
    const struct orchestrator_setup *setup = &coding->of->setup;
    struct program_callbacks callbacks = {
        .output = program_said, .errors = program_complained, .done = program_done, .user = coding
    };
    struct tool_work work = { coding->job_id, coding->project_id, coding->task_id };
    struct program program = *setup->coder;
    struct program_run *run = NULL;
    struct err err = { 0 };

    program.environment = tool_work_environment(&coding->arena, setup->coder, &work);
    program.folder = tool_work_folder(&coding->arena, setup->folder, coding->task_id);
    if (!programs_start(setup->programs, &program, coding->prompt, strlen(coding->prompt), false, &callbacks,
                        &run, &err)) {
        give_up(coding,
                arena_format(&coding->arena, "The coder's command could not be started: %s", err.text));
        return;
    }
    pthread_mutex_lock(&coding->lock);
    coding->run = run;
    pthread_mutex_unlock(&coding->lock);
}

/* A job that ended before its command had a name here was heard of in vain, so it is looked at once more when
 * the command runs. By id: the command may be gone before the answer comes. */
struct job_look {
    struct holder_unit unit; /* first */
    char job_id[UUID_SIZE];
    bool over;
    int tries;
};

static bool run_job_look(const struct tx *tx, struct holder_unit *unit)
{
    struct job_look *look = (struct job_look *)unit;

    return orchestrate_job_is_over(tx, look->job_id, &look->over);
}

static void stop_job(struct orchestrator *orchestrator, const char *job_id)
{
    for (struct coding *coding = orchestrator->first; coding; coding = coding->next)
        if (strcmp(coding->job_id, job_id) == 0)
            coding_stop(coding);
}

static void after_job_look(struct holder_unit *unit)
{
    struct job_look *look = (struct job_look *)unit;

    if (unit->work.err.code != ERR_NONE && !unit->holder->stopping && look->tries < HOLDER_TRIES) {
        unit_again(unit, ++look->tries);
        return;
    }
    if (unit->work.err.code == ERR_NONE && look->over)
        stop_job(orchestrator_of(unit->holder), look->job_id);
    unit_free(unit);
}

static void look_at_job(struct coding *coding)
{
    struct job_look *look = unit_new(&coding->of->holder, sizeof(*look), run_job_look, after_job_look);

    snprintf(look->job_id, sizeof(look->job_id), "%s", coding->job_id);
    unit_hand_in(&look->unit);
}

static void after_begin(struct coding *coding, const struct take_step *step)
{
    snprintf(coding->job_id, sizeof(coding->job_id), "%s", step->job_id);
    coding->prompt = arena_text(&coding->arena, step->prompt);
    look_at_job(coding);
    start_program(coding);
}

static bool write_begin(const struct tx *tx, const struct take_ref *ref, struct take_unit *unit)
{
    return orchestrate_begin(tx, ref, &unit->step);
}

/* The folder. */

static void heard_folder(struct mail *mail)
{
    struct coding *coding = (struct coding *)mail;

    if (coding->dropped)
        coding_free(coding);
    else if (coding->failed.code != ERR_NONE)
        give_up(coding, arena_text(&coding->arena, coding->failed.text));
    else
        unit_hand_in(&take_unit(coding, write_begin, after_begin)->unit);
}

static void make_folder(struct desk_item *item)
{
    struct coding *coding = (struct coding *)(void *)((char *)item - offsetof(struct coding, item));
    const char *root = coding->of->setup.folder;

    /* What went wrong stays in `failed`, where it is looked for. */
    if (root && !task_folder_make(root, coding->task_id, coding->config, &coding->failed))
        log_line(LOG_WARN, coding->failed.text, NULL);
    holder_post(&coding->of->holder, &coding->mail, heard_folder);
}

static void after_open(struct coding *coding, const struct take_step *step)
{
    const struct orchestrator_setup *setup = &coding->of->setup;

    if (step->command && (!setup->coder || !setup->programs || !setup->folder)) {
        give_up(coding, "This server has no command for coders: config.yaml names it under `coder`.");
        return;
    }
    snprintf(coding->task_id, sizeof(coding->task_id), "%s", step->task_id);
    snprintf(coding->project_id, sizeof(coding->project_id), "%s", step->project_id);
    coding->config = arena_text(&coding->arena, step->config);
    desk_put(&coding->of->desk, &coding->item, make_folder);
}

static bool write_open(const struct tx *tx, const struct take_ref *ref, struct take_unit *unit)
{
    return orchestrate_open(tx, ref, &unit->step);
}

/* The holder's calls. */

/* One more than there is: a look is made with all in hand, too, since it ends what nobody wants any more. */
static size_t room(struct holder *holder)
{
    size_t count = orchestrator_of(holder)->count;

    if (!settings()->runner_drive)
        return 0;
    return count < ORCHESTRATOR_HELD ? ORCHESTRATOR_HELD - count + 1 : 1;
}

static bool claim(const struct tx *tx, struct holder_unit *unit, size_t limit, struct held_row **list,
                  size_t *count)
{
    if (!orchestrate_claim(tx, unit->holder->node, limit - 1, list, count))
        return false;
    if (*count > 0)
        unit->phases = 1U << TAKES_TAKING;
    return true;
}

static bool ours(const struct tx *tx, const char *node, struct held_row **list, size_t *count)
{
    return holding_ours(tx, HOLDING_TAKE, node, list, count);
}

static void claimed(struct holder *holder, const struct held_row *row)
{
    struct orchestrator *orchestrator = orchestrator_of(holder);
    struct coding *coding = orchestrator->first;

    while (coding && !(strcmp(coding->take_id, row->id) == 0 && coding->epoch == row->epoch))
        coding = coding->next;
    if (coding)
        return;
    coding = coding_new(orchestrator, row);
    unit_hand_in(&take_unit(coding, write_open, after_open)->unit);
}

static size_t in_hand(const struct holder *holder)
{
    return ((const struct orchestrator *)(const void *)holder)->count;
}

static void drop_all(struct holder *holder)
{
    for (struct coding *coding = orchestrator_of(holder)->first; coding; coding = coding->next) {
        coding->dropped = true;
        coding_stop(coding);
    }
}

static void work(struct holder *holder)
{
    (void)holder;
}

static int64_t next_ms(const struct holder *holder)
{
    (void)holder;
    return INT64_MAX;
}

static const struct holder_calls orchestrator_calls = {
    .rows = "tasks that are out",
    .lapse = "the lease on tasks that are out ran out; their commands are ended",
    .room = room,
    .claim = claim,
    .ours = ours,
    .claimed = claimed,
    .in_hand = in_hand,
    .drop = drop_all,
    .work = work,
    .next_ms = next_ms,
    .phases = take_phases,
};

/* News from the log. */

static void heard_news(struct mail *mail)
{
    struct orchestrator *orchestrator =
        (struct orchestrator *)(void *)((char *)mail - offsetof(struct orchestrator, news));

    atomic_store(&orchestrator->news_told, false);
    holder_look(&orchestrator->holder);
}

struct ended_job {
    struct mail mail; /* first */
    struct orchestrator *of;
    char job_id[UUID_SIZE];
};

/* Somebody has cancelled it. Of one that has ended by itself nothing is left to end. */
static void heard_job(struct mail *mail)
{
    struct ended_job *ended = (struct ended_job *)mail;

    stop_job(ended->of, ended->job_id);
    holder_look(&ended->of->holder);
    free(ended);
}

static void tell_job(struct orchestrator *orchestrator, const char *job_id)
{
    struct ended_job *ended;

    if (!job_id || strlen(job_id) >= UUID_SIZE)
        return;
    ended = memory_take(sizeof(*ended));
    *ended = (struct ended_job){ .of = orchestrator };
    strcpy(ended->job_id, job_id);
    holder_post(&orchestrator->holder, &ended->mail, heard_job);
}

/* A task is ready when it is made, changed, or its questions are settled, which changes it. */
static void hear(void *user, struct notice *const notices[], size_t count)
{
    struct orchestrator *orchestrator = user;

    for (size_t i = 0; i < count; i++) {
        enum event_type type = notices[i]->type;

        if (type == EVENT_JOB_ENDED)
            tell_job(orchestrator, notices[i]->job_id);
        else if ((type == EVENT_TASK_UPDATED || type == EVENT_TASK_DELETED) &&
                 !atomic_exchange(&orchestrator->news_told, true))
            holder_post(&orchestrator->holder, &orchestrator->news, heard_news);
    }
}

/* Starting and stopping. */

static void orchestrator_free(struct orchestrator *orchestrator)
{
    holder_done(&orchestrator->holder);
    desk_close(&orchestrator->desk);
    free(orchestrator);
}

struct orchestrator *orchestrator_open(struct store *store, struct tailer *tailer,
                                       const struct orchestrator_setup *setup, struct err *err)
{
    struct orchestrator *orchestrator = memory_take(sizeof(*orchestrator));

    memset(orchestrator, 0, sizeof(*orchestrator));
    holder_init(&orchestrator->holder);
    orchestrator->tailer = tailer;
    orchestrator->setup = *setup;
    desk_open(&orchestrator->desk);
    tailer_subscribe(tailer, hear, orchestrator);
    if (holder_open(&orchestrator->holder, store, &orchestrator_calls, err))
        return orchestrator;
    tailer_unsubscribe(tailer, orchestrator);
    orchestrator_free(orchestrator);
    return NULL;
}

void orchestrator_close(struct orchestrator *orchestrator)
{
    if (!orchestrator)
        return;
    tailer_unsubscribe(orchestrator->tailer, orchestrator);
    holder_close(&orchestrator->holder);
    orchestrator_free(orchestrator);
}
