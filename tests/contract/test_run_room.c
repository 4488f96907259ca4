/*
 * What a run is told has to fit its model, however long its log is and whatever its tools print: nothing of
 * the end is forgotten, and nothing is sent that could not be condensed.
 */
#include "base/settings.h"
#include "core/questions/job.h"
#include "council.h"
#include "llm/model.h"
#include "questions.h"
#include "runs.h"

static const char any_object[] = "{\"type\":\"object\"}";
static const struct tool printing_tools[] = {
    { .name = "print", .description = "Prints.", .schema = any_object, .kind = TOOL_COMMAND },
};

#define USE(tools) use_tools(tools, sizeof(tools) / sizeof(*(tools)))

static const char *long_text(struct t *t, size_t len, const char *head, const char *tail)
{
    char *text = arena_array(&t->arena, char, len + 1);

    memset(text, '.', len);
    memcpy(text, head, strlen(head));
    memcpy(text + len - strlen(tail), tail, strlen(tail));
    return text;
}

static size_t told_bytes(const struct playing *p)
{
    size_t bytes = 0;

    for (size_t i = 0; i < p->step.message_count; i++)
        bytes += strlen(p->step.messages[i].content);
    return bytes;
}

CONTRACT(run_with_a_long_log_is_told_its_end)
{
    struct playing p;

    play_run(t, &p, NULL);
    outside_sql(t,
                "INSERT INTO run_entries (job_id, seq, created_at, step, kind, text) "
                "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 2600) "
                "SELECT '%s', i, 0, 0, 'note', CASE WHEN i = 2600 THEN 'the end' ELSE 'n' END FROM n",
                p.job);
    outside_sql(t, "UPDATE runs SET last_seq = 2600, node = NULL WHERE job_id = '%s'", p.job);
    assert_true(run_again(&p, "node-b"));
    assert_true(p.step.ask && p.step.afresh);
    assert_string_equal(told(&p, "user"), "the end");
    assert_int_equal(p.step.message_count, 2 + 2501);
}

/* Without a window of its own a model has that of discussions, 96 KB, of which results get a quarter. */
CONTRACT(run_is_told_the_ends_of_a_result_that_is_too_long)
{
    const char *printed = long_text(t, 200000, "The beginning", "the end.");
    struct playing p;

    USE(printing_tools);
    play_run(t, &p, NULL);
    model_calls(&p, "print", "{}", NULL);
    tool_runs(&p, printed);
    assert_true(strncmp(told(&p, "tool"), "The beginning", 13) == 0);
    assert_string_equal(told(&p, "tool") + strlen(told(&p, "tool")) - 8, "the end.");
    assert_non_null(strstr(told(&p, "tool"), "of 200000 bytes are left out here."));
    assert_in_range(strlen(told(&p, "tool")), 24000, 25000);
    /* The log has all of it, and a later claim tells the same. */
    assert_int_equal(count_rows(t,
                                "run_entries WHERE job_id = '%s' AND kind = 'result' "
                                "AND LENGTH(text) = 200000",
                                p.job),
                     1);
    const char *first = told(&p, "tool");

    run_moves_on(&p);
    assert_string_equal(told(&p, "tool"), first);
    check_replay(&p);
}

/* By a model that does not say what it takes. */
static void model_prints(struct playing *p, size_t times)
{
    struct llm_tool_call calls[8];

    for (size_t i = 0; i < times; i++)
        calls[i] = (struct llm_tool_call){
            .id = arena_format(&p->t->arena, "c%zu", i), .name = "print", .arguments = "{}", .is_object = true
        };
    assert_true(model_replies(p,
                              &(struct llm_result){ .text = "I print four more.",
                                                    .words = "",
                                                    .usage = { LLM_NOT_REPORTED, LLM_NOT_REPORTED },
                                                    .tool_calls = calls,
                                                    .tool_call_count = times },
                              NULL, NULL));
}

/* They are told beside the result, and are none of the model's own words. */
CONTRACT(arguments_that_others_have_changed_count_to_what_the_model_is_told)
{
    static const struct tool asking[] = { { .name = "print",
                                            .description = "Prints.",
                                            .schema = any_object,
                                            .kind = TOOL_COMMAND,
                                            .needs_approval = true } };
    struct playing p;

    USE(asking);
    play_run(t, &p, NULL);
    model_calls(&p, "print", "{}", NULL);
    assert_int_equal(count_rows(t, "runs WHERE job_id = '%s' AND context_tokens < 6000", p.job), 1);
    answer(t, open_question(&p), "{s:s, s:b, s:{s:s}}", "type", "approval", "value", 1, "args", "text",
           long_text(t, 20000, "Print", "this."));
    CHECK_STATUS(200);
    assert_true(run_again(&p, "node-b"));
    tool_runs(&p, "printed");
    assert_true(told_bytes(&p) > 20000);
    assert_int_equal(count_rows(t, "runs WHERE job_id = '%s' AND context_tokens > 6000", p.job), 1);
}

CONTRACT(run_with_many_long_results_condenses_and_never_outgrows_its_model)
{
    const char *printed = long_text(t, 250000, "begin", "end");
    struct playing p;

    USE(printing_tools);
    play_run(t, &p, &(struct run_wish){ .tokens = 10000000 });
    for (int reply = 0; reply < 6; reply++) {
        if (p.step.kind) {
            assert_true(told_bytes(&p) < 87000);
            assert_non_null(strstr(told(&p, "user"), "I print four more."));
            assert_non_null(strstr(told(&p, "user"), "of 250000 bytes are left out here."));
            model_says(&p, "Much was printed.");
        }
        assert_true(p.step.ask);
        model_prints(&p, 4);
        for (int i = 0; i < 4; i++)
            tool_begins(&p, p.step.calls[i].call_id);
        const struct run_step begun = p.step;

        for (int i = 0; i < 4; i++)
            tool_ends(&p, begun.calls[i].call_id, TOOL_FINE, printed);
        assert_true(told_bytes(&p) < 130000);
    }
    assert_true(count_rows(t, "run_entries WHERE job_id = '%s' AND kind = 'condensed'", p.job) >= 1);
    model_says(&p, "Done.");
    check_replay(&p);
}

/* On a model with a small window. */
static void play_narrow(struct t *t, struct playing *p)
{
    static struct llm_model narrow;
    static const struct llm_models narrow_only = { &narrow, 1 };

    model_init(&narrow, "narrow");
    narrow.provider = LLM_OLLAMA;
    narrow.provider_name = "ollama";
    narrow.window = 4000;
    models_use(&narrow_only);
    call(t, "agent_create", "{s:s, s:s, s:{s:s}}", "name", "Ada", "role", "specialist", "ai_model_config",
         "provider", "narrow");
    CHECK_STATUS(201);
    play_run(t, p, NULL);
}

static void talk_until_too_long(struct playing *p)
{
    struct llm_tool_call made = {
        .id = "a", .name = "report_progress", .arguments = "{}", .is_object = true
    };
    char words[2000];

    memset(words, 'w', sizeof(words) - 1);
    words[sizeof(words) - 1] = '\0';
    for (int i = 0; i < 20 && !p->step.kind; i++)
        assert_true(model_replies(p,
                                  &(struct llm_result){ .text = words,
                                                        .words = "",
                                                        .usage = { LLM_NOT_REPORTED, LLM_NOT_REPORTED },
                                                        .tool_calls = &made,
                                                        .tool_call_count = 1 },
                                  NULL, NULL));
}

CONTRACT(run_condenses_a_conversation_that_is_too_long)
{
    const struct llm_models *before_models = models();
    struct playing p;

    play_narrow(t, &p);
    talk_until_too_long(&p);
    assert_int_equal(p.step.phase, RUN_CONDENSING);
    assert_string_equal(p.step.kind, "summary");
    /* A look at it in between asks for the same again. */
    run_moves_on(&p);
    assert_string_equal(p.step.kind, "summary");
    size_t before = (size_t)count_rows(t, "run_entries WHERE job_id = '%s'", p.job);

    model_says(&p, "A lot was said.");
    assert_int_equal(p.step.phase, RUN_ASKING);
    assert_true(p.step.afresh);
    assert_string_equal(p.step.messages[1].content, "Build it.");
    assert_non_null(strstr(p.step.messages[2].content, "A lot was said."));
    assert_string_equal(p.step.messages[3].role, "assistant");
    assert_true(p.step.message_count < before);
    for (size_t i = 3; i < p.step.message_count; i += 2)
        assert_string_equal(p.step.messages[i + 1].role, "tool");
    assert_int_equal(count_rows(t, "run_entries WHERE job_id = '%s' AND kind = 'condensed'", p.job), 1);
    model_says(&p, "Done.");
    assert_string_equal(job_column(&p, "status"), "completed");
    check_replay(&p);
    models_use(before_models);
}

/* Nobody heard that it is stored. */
CONTRACT(summary_that_is_handed_in_again_is_taken_once)
{
    const struct llm_models *before_models = models();
    const struct llm_result summary = {
        .text = "A lot was said.", .words = "", .finish = LLM_FINISH_STOP, .usage = { 10, 5 }
    };
    struct playing p;

    play_narrow(t, &p);
    talk_until_too_long(&p);
    int64_t turn = p.step.turn;

    for (int i = 0; i < 2; i++) {
        p.step.turn = turn;
        assert_true(model_replies(&p, &summary, "summary", NULL));
        assert_int_equal(p.step.phase, RUN_ASKING);
        assert_non_null(strstr(p.step.messages[2].content, "A lot was said."));
    }
    assert_int_equal(count_rows(t, "run_entries WHERE job_id = '%s' AND kind = 'condensed'", p.job), 1);
    assert_int_equal(count_rows(t, "runs WHERE job_id = '%s' AND condensed_seq > 0", p.job), 1);
    model_says(&p, "Done.");
    check_replay(&p);
    models_use(before_models);
}

/* So many entries of the trace, from its beginning, as one text. */
static const char *traced(struct playing *p, int64_t count)
{
    struct t *t = p->t;

    call(t, "run_trace", "{s:s, s:I}", "id", p->job, "limit", (json_int_t)count);
    CHECK_STATUS(200);
    CHECK_COUNT("entries", count);
    return json_dump_text(&t->arena, at(t, "entries"));
}

/* The model is told what is always told, the summary, and the replies that are left with a result each: what
 * was said last before these. */
static int64_t last_condensed(struct playing *p, int64_t end)
{
    int64_t left = (int64_t)(p->step.message_count - 3) / 2, to = end;

    assert_true(left > 0);
    while (count_rows(p->t, "run_entries WHERE job_id = '%s' AND kind = 'reply' AND seq > %lld", p->job,
                      (long long)to) < left)
        to--;
    while (count_rows(p->t, "run_entries WHERE job_id = '%s' AND kind IN ('reply', 'result') AND seq = %lld",
                      p->job, (long long)to) == 0)
        to--;
    return to;
}

CONTRACT(run_says_what_its_summaries_stand_for_and_keeps_that_in_its_trace)
{
    const struct llm_models *before_models = models();
    struct playing p;
    int64_t from = 3; /* behind its instructions and its input, which it is always told */

    play_narrow(t, &p);
    for (int64_t summaries = 1; summaries <= 2; summaries++) {
        talk_until_too_long(&p);
        int64_t end = count_rows(t, "run_entries WHERE job_id = '%s'", p.job);
        const char *before = traced(&p, end);

        model_says(&p, "A lot was said.");
        int64_t to = last_condensed(&p, end);

        assert_true(to > from);
        assert_int_equal(count_rows(t,
                                    "run_entries WHERE job_id = '%s' AND kind = 'condensed' AND seq > %lld "
                                    "AND data = '{\"from\":%lld,\"to\":%lld}'",
                                    p.job, (long long)end, (long long)from, (long long)to),
                         1);
        assert_string_equal(traced(&p, end), before);
        from = to + 1;
    }
    assert_int_equal(count_rows(t, "run_entries WHERE job_id = '%s' AND kind = 'condensed'", p.job), 2);
    model_says(&p, "Done.");
    check_replay(&p);
    models_use(before_models);
}

CONTRACT(run_is_cut_where_a_part_of_the_window_stays_and_a_replay_cuts_it_there_again)
{
    const char *printed = long_text(t, 9000, "begin", "end");
    struct playing p;

    USE(printing_tools);
    play_run(t, &p, NULL);
    for (int reply = 0; reply < 20 && !p.step.kind; reply++) {
        model_prints(&p, 1);
        tool_runs(&p, printed);
    }
    assert_non_null(p.step.kind);
    model_says(&p, "Much was printed.");
    /* Two replies with their results, and a third that it takes to make a quarter of the window. */
    assert_int_equal(count_rows(t,
                                "run_entries WHERE job_id = '%s' AND kind = 'reply' AND seq > "
                                "(SELECT condensed_seq FROM runs WHERE job_id = '%s')",
                                p.job, p.job),
                     3);
    model_says(&p, "Done.");
    check_replay(&p);
    outside_sql(t,
                "UPDATE run_entries SET data = '{\"from\":3,\"to\":6}' "
                "WHERE job_id = '%s' AND kind = 'condensed'",
                p.job);
    const struct run_replay replay = replay_of_run(&p);

    assert_int_equal(replay.difference_count, 1);
    assert_string_equal(replay.differences[0].stored, "Entries 3 to 6 are to be condensed.");
}

/* One model, with so many tokens that it can be told; 0: its settings do not say. */
static void use_window(int64_t window)
{
    static struct llm_model list[16];
    static struct llm_models all[16];
    static size_t next;
    struct llm_model *model = &list[next % 16];

    model_init(model, "narrow");
    model->provider = LLM_OLLAMA;
    model->provider_name = "ollama";
    if (window > 0)
        model->window = window;
    all[next % 16] = (struct llm_models){ model, 1 };
    models_use(&all[next++ % 16]);
}

static void make_narrow(struct t *t)
{
    call(t, "agent_create", "{s:s, s:s, s:{s:s}}", "name", "Ada", "role", "specialist", "ai_model_config",
         "provider", "narrow");
    CHECK_STATUS(201);
}

static void ask_for(struct t *t, const char *input)
{
    call(t, "job_create", "{s:s, s:s, s:s}", "kind", "agent", "agent", "Ada", "input", input);
}

/* As the call has it; what is taken is taken back, so that no runner begins with it. */
static bool is_taken(struct t *t, const char *input)
{
    struct err err = { 0 };
    struct tx tx = stage_begin(t, &err);
    struct caller caller = {
        .kind = CALLER_LOCAL, .role = ROLE_OWNER, .id = "local", .name = "local", .workspace_id = t->workspace
    };
    struct job job = { .agent = "Ada", .input = arena_format(&t->arena, "\"%s\"", input) };

    tx.caller = &caller;
    bool taken = run_create(&tx, &job, &(struct run_wish){ 0 });

    stage_rollback(t);
    if (!taken)
        assert_string_equal(err.field, "input");
    return taken;
}

CONTRACT(run_whose_input_does_not_fit_its_model_is_refused)
{
    static const char any[] = "{\"type\":\"object\"}";
    static char description[4000];
    static const struct tool wordy[] = {
        { .name = "print", .description = description, .schema = any, .kind = TOOL_COMMAND }
    };
    const char *input = long_text(t, 60000, "Read", "this.");
    const struct llm_models *before_models = models();
    const struct settings *before = settings();
    struct settings *own = settings_to_change();
    long long takes;

    own->runner_drive = true;
    settings_use(own);
    use_window(3000);
    make_narrow(t);
    ask_for(t, input);
    CHECK_STATUS(400);
    CHECK_TEXT("field", "input");
    assert_int_equal(sscanf(text_at(t, "error"),
                            "The input is too long for the model of Ada: with its instructions and tools it "
                            "takes about %lld tokens, and the model can be told 3000 at once (window), of "
                            "which its reply needs 375.",
                            &takes),
                     1);
    assert_in_range(takes, 15000, 17000);
    assert_int_equal(count_rows(t, "jobs WHERE workspace_id = '%s'", t->workspace), 0);
    assert_true(is_taken(t, long_text(t, 5000, "Read", "this.")));
    /* One whose window nobody has said is told it all, and what is short is told to every model. */
    use_window(0);
    assert_true(is_taken(t, long_text(t, 200000, "Read", "this.")));
    use_window(512);
    assert_true(is_taken(t, "Build it."));
    /* What its tools take counts. */
    memset(description, 'p', sizeof(description) - 1);
    use_tools(wordy, 1);
    use_window(3000);
    assert_false(is_taken(t, long_text(t, 5000, "Read", "this.")));
    use_tools(NULL, 0);
    settings_use(before);
    /* A server that leaves the running to another does not know the other's models. */
    ask_for(t, input);
    CHECK_STATUS(201);
    models_use(before_models);
}

CONTRACT(run_fails_where_its_model_cannot_be_told_what_it_begins_with_any_more)
{
    const struct llm_models *before_models = models();
    struct playing p;

    use_window(100000);
    call(t, "agent_create", "{s:s, s:s, s:s, s:{s:s}}", "name", "Ada", "role", "specialist", "system_prompt",
         long_text(t, 9000, "You are", "Ada."), "ai_model_config", "provider", "narrow");
    CHECK_STATUS(201);
    play_run(t, &p, NULL);
    model_calls(&p, "report_progress", "{}", NULL);
    assert_true(p.step.ask);
    use_window(2500);
    run_moves_on(&p);
    assert_true(p.step.over && !p.step.ask);
    assert_int_equal(p.step.message_count, 0);
    assert_non_null(strstr(job_column(&p, "error"), "The input is too long for the model of Ada: "));
    assert_non_null(strstr(job_column(&p, "error"), "can be told 2500 at once (window)"));
    assert_true(check_replay(&p) > 0);
    /* What it has handed in by then is its result. */
    use_window(100000);
    play_run(t, &p, NULL);
    use_window(2500);
    model_says(&p, "Done.");
    assert_string_equal(job_column(&p, "status"), "completed");
    models_use(before_models);
}

/* Of an answer that nobody waited for any more, as of one that was waited for. */
CONTRACT(run_is_told_the_ends_of_answers_that_are_too_long)
{
    static const char asks[] = "{\"question\":\"Which way?\",\"type\":\"%s\",\"responseType\":\"text\","
                               "\"defaultResponse\":{\"type\":\"text\",\"value\":\"left\"}}";
    const struct llm_models *before_models = models();
    const char *words = long_text(t, 18000, "To the left", "at the oak.");
    struct playing p;

    play_narrow(t, &p);
    model_calls(&p, "ask_question", arena_format(&t->arena, asks, "blocking"), NULL);
    answer_text(t, open_question(&p), words);
    CHECK_STATUS(200);
    assert_true(run_again(&p, "node-b"));
    assert_non_null(strstr(told(&p, "tool"), "To the left"));
    assert_non_null(strstr(told(&p, "tool"), "at the oak."));
    assert_in_range(strlen(told(&p, "tool")), 2800, 3200);
    model_calls(&p, "ask_question", arena_format(&t->arena, asks, "non_blocking"), NULL);
    answer_text(t, open_question(&p), words);
    CHECK_STATUS(200);
    model_calls(&p, "report_progress", "{}", NULL);
    for (int i = 0; i < 2; i++) {
        assert_null(p.step.kind);
        assert_non_null(strstr(told(&p, "user"), "has answered your question"));
        assert_non_null(strstr(told(&p, "user"), "at the oak."));
        assert_in_range(strlen(told(&p, "user")), 2800, 3200);
        run_moves_on(&p);
    }
    assert_int_equal(
        count_rows(t, "run_entries WHERE job_id = '%s' AND kind = 'note' AND LENGTH(text) > 18000", p.job),
        1);
    assert_int_equal(count_rows(t, "runs WHERE job_id = '%s' AND context_tokens < 1500", p.job), 1);
    model_says(&p, "Done.");
    check_replay(&p);
    models_use(before_models);
}
