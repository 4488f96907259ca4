/*
 * What happens to a discussion on its way: passes, skips, retries, interjections, pauses, ends, votes, nodes.
 */
#include "council.h"

#define NAMES(...) \
    (const char *const[]){ __VA_ARGS__ }, sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)

static void pair(struct t *t)
{
    make_agent(t, "Ada", "specialist");
    make_agent(t, "Bob", "specialist");
}

static int64_t logged(struct t *t, const char *id)
{
    return count_rows(t, "discussion_logs WHERE discussion_id = '%s'", id);
}

CONTRACT(discussion_ends_when_everybody_passes)
{
    pair(t);
    const char *id = make_discussion(t, "rounds", 5, NAMES("Ada", "Bob"));

    PLAY(t, { "Ada", "One point.", NULL, false }, { "Bob", "Another.", NULL, false },
         { "Ada", "[PASS] Said it all.", NULL, false }, { "Bob", "I have nothing to add.", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.endReason", "all_passed");
    CHECK_TEXT("discussion.outcome.source", "agents");
    CHECK_COUNT("entries", 4);
    CHECK_TRUE("entries.2.metadata.pass");
    CHECK_TEXT("entries.2.metadata.reason", "Said it all.");
    CHECK_INT("result.total_contributions", 2);
}

CONTRACT(discussion_skips_an_agent_that_is_gone)
{
    pair(t);
    const char *id = make_discussion(t, "rounds", 2, NAMES("Ada", "Bob"));

    call(t, "agent_list", "{}");
    const char *bob = text_at(t, "agents.0.id");
    struct stage stage = { .t = t, .most = 1 };

    play(&stage);
    call(t, "agent_delete", "{s:s}", "id", bob);
    CHECK_STATUS(204);
    PLAY(t, { "", "", NULL, false });
    show_discussion(t, id);
    CHECK_COUNT("entries", 4);
    CHECK_TEXT("entries.1.speaker", "Bob");
    CHECK_TRUE("entries.1.metadata.skipped");
    CHECK_TRUE("entries.3.metadata.skipped");
    CHECK_TEXT("discussion.status", "completed");
    make_agent(t, "bob", "specialist");
}

CONTRACT(discussion_asks_again_after_a_failure_and_passes_in_the_end)
{
    pair(t);
    const char *id = make_discussion(t, "rounds", 1, NAMES("Ada", "Bob"));
    struct line lines[] = { { "Ada", NULL, "The model hung.", false },
                            { "Ada", "Here I am.", NULL, false },
                            { "Bob", NULL, "No.", false },
                            { "Bob", NULL, "No.", false },
                            { "Bob", NULL, "The key is wrong.", false } };
    struct stage stage = { .t = t, .lines = lines, .line_count = 5 };

    play(&stage);
    assert_int_equal(stage.calls, 5);
    show_discussion(t, id);
    CHECK_COUNT("entries", 2);
    CHECK_TEXT("entries.0.content", "Here I am.");
    CHECK_INT("entries.0.metadata.attempts", 2);
    CHECK_TRUE("entries.1.metadata.failed");
    CHECK_TEXT("entries.1.metadata.reason", "The key is wrong.");
    CHECK_TEXT("discussion.status", "completed");
}

CONTRACT(discussion_asks_once_more_without_stops)
{
    pair(t);
    const char *id = make_discussion(t, "turns", 1, NAMES("Ada"));

    say(t, id, "Go.");
    PLAY(t, { "Ada", "[Bob]: I am Bob.", NULL, false }, { "Ada", "Myself.", NULL, false });
    show_discussion(t, id);
    CHECK_COUNT("entries", 2);
    CHECK_TEXT("entries.1.content", "Myself.");
}

CONTRACT(discussion_whose_calls_all_fail_has_failed)
{
    pair(t);
    const char *id = make_discussion(t, "rounds", 3, NAMES("Ada"));
    struct line lines[] = { { "Ada", NULL, "No.", false },
                            { "Ada", NULL, "No.", false },
                            { "Ada", NULL, "No.", false } };

    play_lines(t, lines, 3);
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "failed");
    CHECK_TEXT("discussion.endReason", "failed");
}

static enum err_code finish_late(struct t *t, const struct turn_ref *ref)
{
    struct err err;
    struct tx tx = stage_begin(t, &err);
    struct drive_step step;
    struct turn_reply reply = { .text = "Too late." };

    assert_false(drive_finish(&tx, ref, &reply, &step));
    stage_rollback(t);
    return err.code;
}

CONTRACT(interjection_keeps_what_was_said_and_the_order)
{
    pair(t);
    const char *id = make_discussion(t, "rounds", 1, NAMES("Ada", "Bob"));
    struct turn_call made = stage_half_said(t, "I was about to");

    show_discussion(t, id);
    CHECK_TEXT("discussion.phase", "speaking");
    call(t, "discussion_interject", "{s:s, s:s}", "id", id, "content", "Stop!");
    CHECK_STATUS(200);
    assert_int_equal(finish_late(t, &made.ref), ERR_CONFLICT);
    PLAY(t, { "Bob", "I heard.", NULL, false });
    show_discussion(t, id);
    CHECK_COUNT("entries", 3);
    CHECK_TEXT("entries.0.content", "I was about to");
    CHECK_TRUE("entries.0.metadata.partial");
    CHECK_TEXT("entries.1.content", "Stop!");
    CHECK_INT("entries.1.turnIndex", -1);
    CHECK_TEXT("entries.2.speaker", "Bob");
}

CONTRACT(interjection_can_wait_for_the_end_of_the_turn)
{
    pair(t);
    const char *id = make_discussion(t, "rounds", 1, NAMES("Ada", "Bob"));
    struct turn_call made = stage_half_said(t, "I");
    struct turn_reply reply = { .text = "I finished." };
    struct drive_step step;
    struct err err;

    call(t, "discussion_interject", "{s:s, s:s, s:s, s:s}", "id", id, "content", "A word.", "when",
         "after_turn", "by", "Bob");
    CHECK_STATUS(200);
    assert_int_equal(logged(t, id), 0);
    struct tx tx = stage_begin(t, &err);

    assert_true(drive_finish(&tx, &made.ref, &reply, &step));
    stage_commit(t);
    show_discussion(t, id);
    CHECK_COUNT("entries", 2);
    CHECK_TEXT("entries.0.content", "I finished.");
    CHECK_TEXT("entries.1.speaker", "Bob");
}

CONTRACT(pause_in_the_middle_of_a_turn_asks_for_it_again)
{
    pair(t);
    const char *id = make_discussion(t, "rounds", 1, NAMES("Ada"));
    struct turn_call made = stage_half_said(t, "Half");

    call(t, "discussion_pause", "{s:s}", "id", id);
    CHECK_STATUS(200);
    CHECK_TEXT("discussion.status", "paused");
    assert_int_equal(finish_late(t, &made.ref), ERR_CONFLICT);
    say(t, id, "Hello?");
    CHECK_STATUS(409);
    CHECK_TEXT("code", "paused");
    PLAY(t, { "Ada", "Not now.", NULL, false });
    assert_int_equal(logged(t, id), 0);
    call(t, "discussion_resume", "{s:s}", "id", id);
    PLAY(t, { "Ada", "Whole.", NULL, false });
    show_discussion(t, id);
    CHECK_COUNT("entries", 1);
    CHECK_TEXT("entries.0.content", "Whole.");
}

CONTRACT(cancel_keeps_what_was_said_and_is_final)
{
    pair(t);
    const char *id = make_discussion(t, "rounds", 3, NAMES("Ada", "Bob"));

    stage_half_said(t, "Half");
    call(t, "discussion_cancel", "{s:s}", "id", id);
    CHECK_STATUS(200);
    CHECK_TEXT("discussion.status", "cancelled");
    show_discussion(t, id);
    CHECK_COUNT("entries", 1);
    CHECK_TRUE("entries.0.metadata.partial");
    CHECK_TEXT("discussion.outcome.source", "cancelled");
    call(t, "discussion_resume", "{s:s}", "id", id);
    CHECK_STATUS(409);
    PLAY(t, { "", "", NULL, false });
    assert_int_equal(logged(t, id), 1);
}

CONTRACT(parallel_rounds_are_blind_to_themselves)
{
    pair(t);
    const char *id = make_discussion(t, "parallel", 2, NAMES("Ada", "Bob"));
    struct line lines[] = { { "Ada", "A1.", NULL, false },
                            { "Bob", "B1.", NULL, false },
                            { "Ada", "A2.", NULL, false },
                            { "Bob", "B2.", NULL, false } };
    struct stage stage = { .t = t, .lines = lines, .line_count = 4 };

    play(&stage);
    assert_non_null(strstr(stage.asked, "A1."));
    assert_null(strstr(stage.asked, "A2."));
    show_discussion(t, id);
    CHECK_COUNT("entries", 4);
    CHECK_TEXT("discussion.endReason", "rounds_used");
}

CONTRACT(vote_is_counted_at_the_end_with_its_dissent)
{
    pair(t);
    make_agent(t, "Cyd", "specialist");
    const char *id = make_discussion_with(t, "rounds", "{\"vote\": {\"choices\": [\"left\", \"right\"]}}",
                                          NAMES("Ada", "Bob", "Cyd"));

    PLAY(t, { "Ada", "[PASS]", NULL, false }, { "Bob", "[PASS]", NULL, false },
         { "Cyd", "[PASS]", NULL, false },
         { "Ada", "{\"choice\": \"left\", \"confidence\": 0.9}", NULL, false },
         { "Bob", "{\"choice\": \"left\"}", NULL, false }, { "Cyd", "{\"choice\": \"right\"}", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "completed");
    CHECK_TEXT("result.vote.winner", "left");
    CHECK_FALSE("result.vote.tie");
    CHECK_FALSE("result.vote.agreed");
    CHECK_COUNT("result.vote.dissent", 1);
    CHECK_COUNT("entries", 3);
    call(t, "discussion_transcript", "{s:s, s:s}", "id", id, "format", "markdown");
    assert_non_null(
        strstr(t->text, "By rule majority: **left**.\n\n- left: 2\n- right: 1\n\nDissent: Cyd (right).\n"));
    call(t, "discussion_transcript", "{s:s, s:s}", "id", id, "format", "text");
    assert_null(strstr(t->text, "majority"));
}

CONTRACT(vote_that_is_level_has_no_winner)
{
    pair(t);
    const char *id =
        make_discussion_with(t, "rounds", "{\"vote\": {\"choices\": [\"a\", \"b\"]}}", NAMES("Ada", "Bob"));

    PLAY(t, { "Ada", "[PASS]", NULL, false }, { "Bob", "[PASS]", NULL, false },
         { "Ada", "{\"choice\": \"a\"}", NULL, false }, { "Bob", "{\"choice\": \"b\"}", NULL, false });
    show_discussion(t, id);
    CHECK_NULL("result.vote.winner");
    CHECK_TRUE("result.vote.tie");
}

CONTRACT(smart_termination_stops_when_nothing_new_is_said)
{
    pair(t);
    const char *same = "The same words as before are said here once more.";
    const char *id =
        make_discussion_with(t, "rounds", "{\"smart_termination\": \"on\"}", NAMES("Ada", "Bob"));

    PLAY(t, { "Ada", same, NULL, false }, { "Bob", "Quite another thought of mine about it.", NULL, false },
         { "Ada", same, NULL, false }, { "Bob", same, NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.endReason", "nothing_new");
    CHECK_COUNT("entries", 4);
    id = make_discussion_with(t, "rounds", "{\"smart_termination\": \"shadow\"}", NAMES("Ada", "Bob"));
    PLAY(t, { "Ada", same, NULL, false }, { "Bob", "Quite another thought of mine about it.", NULL, false },
         { "Ada", same, NULL, false }, { "Bob", same, NULL, false },
         { "Ada", "New at last, really.", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.endReason", "rounds_used");
    CHECK_INT("result.shadow.round", 2);
    CHECK_INT("result.shadow.savedRounds", 1);
}

CONTRACT(budget_of_calls_ends_a_discussion)
{
    pair(t);
    const char *id = make_discussion_with(t, "rounds", "{\"budget\": {\"calls\": 3}}", NAMES("Ada", "Bob"));

    PLAY(t, { "", "", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.endReason", "budget");
    CHECK_COUNT("entries", 3);
    CHECK_INT("discussion.usage.calls", 3);
}

CONTRACT(outside_turn_waits_and_is_taken)
{
    pair(t);
    make_external_agent(t, "Eve", "critic");
    const char *id = make_discussion(t, "rounds", 1, NAMES("Ada", "Eve"));

    PLAY(t, { "", "", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.phase", "outside");
    CHECK_TEXT("nextSpeaker", "Eve");
    call(t, "turn_list", "{s:s}", "agent", "eve");
    CHECK_COUNT("turns", 1);
    CHECK_TEXT("turns.0.discussionId", id);
    call(t, "notification_list", "{s:s}", "agent", "Eve");
    CHECK_COUNT("notifications", 1);
    assert_int_equal(count_rows(t, "events WHERE discussion_id = '%s' AND type = 'turn.waiting'", id), 1);
    call(t, "turn_take", "{s:s, s:s, s:s}", "id", id, "agent_name", "Ada", "content", "Me!");
    CHECK_STATUS(409);
    call(t, "turn_take", "{s:s, s:s, s:s}", "id", id, "agent_name", "Eve", "content", "From outside.");
    CHECK_STATUS(201);
    PLAY(t, { "", "", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "completed");
    CHECK_TEXT("entries.1.content", "From outside.");
    call(t, "turn_list", "{}");
    CHECK_COUNT("turns", 0);
}

CONTRACT(outside_turn_is_passed_when_its_time_is_up)
{
    make_external_agent(t, "Eve", "critic");
    const char *id = make_discussion(t, "rounds", 1, NAMES("Eve"));

    PLAY(t, { "", "", NULL, false });
    advance(t, 11 * 60000);
    show_discussion(t, id);
    CHECK_COUNT("entries", 1);
    CHECK_TRUE("entries.0.metadata.pass");
    CHECK_TEXT("entries.0.metadata.reason", "The turn was not taken in time.");
    PLAY(t, { "", "", NULL, false });
    show_discussion(t, id);
    CHECK_TEXT("discussion.endReason", "all_passed");
}

CONTRACT(split_off_discussion_hands_back_its_summary_only)
{
    pair(t);
    const char *id = make_discussion(t, "rounds", 1, NAMES("Ada"));
    struct stage none = { .t = t, .most = 1 };

    call(t, "discussion_create", "{s:s, s:s, s:i, s:s, s:[{s:s}]}", "topic", "A detail", "mode", "rounds",
         "rounds", 1, "parentId", id, "participants", "agentName", "Bob");
    CHECK_STATUS(201);
    const char *child = text_at(t, "discussion.id");

    CHECK_INT("discussion.depth", 1);
    (void)none;
    PLAY(t, { "Bob", "The detail is fine.", NULL, false }, { "summary", "All fine.", NULL, false });
    show_discussion(t, child);
    CHECK_TEXT("discussion.status", "completed");
    show_discussion(t, id);
    CHECK_TEXT("discussion.status", "completed");
    CHECK_COUNT("entries", 2);
    CHECK_TEXT("entries.0.content", "All fine.");
    CHECK_TEXT("entries.0.role", "council");
    CHECK_TEXT("entries.1.speaker", "Ada");
}

CONTRACT(council_answers_a_prompt_under_its_own_name)
{
    pair(t);
    call(t, "prompt_create", "{s:s, s:s, s:i}", "requester_agent", "Dev", "prompt_message", "Cache or not?",
         "required_responses", 1);
    const char *prompt = text_at(t, "prompt.id");

    call(t, "discussion_create", "{s:s, s:s, s:i, s:{s:s, s:s}, s:[{s:s}, {s:s}]}", "topic", "Cache?", "mode",
         "rounds", "rounds", 1, "ref", "kind", "prompt", "id", prompt, "participants", "agentName", "Ada",
         "agentName", "Bob");
    CHECK_STATUS(201);
    PLAY(t, { "summary", "Cache it.", NULL, false });
    call(t, "prompt_get", "{s:s}", "id", prompt);
    CHECK_TEXT("status", "resolved");
    CHECK_TEXT("responses.0.agent_name", "Council");
    CHECK_TEXT("responses.0.message", "[Council] Cache it.");
    CHECK_FALSE("responses.0.is_human");
}

CONTRACT(council_never_decides_what_needs_a_persons_approval)
{
    pair(t);
    call(t, "question_create", "{s:s, s:s, s:s}", "question", "May I delete it?", "type", "approval",
         "responseType", "approval");
    const char *question = text_at(t, "questionId");

    call(t, "discussion_create", "{s:s, s:s, s:{s:s, s:s}, s:[{s:s}]}", "topic", "Delete?", "mode", "rounds",
         "ref", "kind", "question", "id", question, "participants", "agentName", "Ada");
    CHECK_STATUS(400);
    CHECK_TEXT("field", "ref");
    assert_int_equal(count_rows(t, "discussion_state WHERE workspace_id = '%s'", t->workspace), 0);
}

CONTRACT(discussion_is_driven_by_one_node_at_a_time)
{
    pair(t);
    make_discussion(t, "rounds", 1, NAMES("Ada"));
    struct held_row first = stage_claim(t, "one");
    struct drive_step step = stage_advance(t, "one", &first);
    struct turn_call made = stage_call(t, &step.calls[0].ref);
    struct held_row *list;

    assert_int_equal(stage_claim_later(t, "two", 0, &list), 0);
    assert_int_equal(stage_claim_later(t, "two", HOLDING_LEASE_MS + 1000, &list), 1);
    assert_int_equal(list[0].epoch, first.epoch + 1);
    assert_int_equal(finish_late(t, &made.ref), ERR_CONFLICT);
    step = stage_advance(t, "two", &list[0]);
    assert_int_equal(step.call_count, 1);
    assert_string_equal(step.calls[0].ref.turn_id, made.ref.turn_id);
}

CONTRACT(discussion_can_be_forked_at_an_entry)
{
    pair(t);
    const char *id = make_discussion(t, "rounds", 2, NAMES("Ada", "Bob"));

    PLAY(t, { "Ada", "First.", NULL, false });
    call(t, "discussion_fork", "{s:s, s:s}", "id", id, "at", "1");
    CHECK_STATUS(201);
    const char *fork = text_at(t, "discussion.id");

    CHECK_TEXT("discussion.forkedFrom", id);
    PLAY(t, { "Bob", "Otherwise.", NULL, false });
    show_discussion(t, fork);
    CHECK_COUNT("entries", 4);
    CHECK_TEXT("entries.0.content", "First.");
    CHECK_TEXT("entries.1.content", "Otherwise.");
}

static void delete_agent(struct t *t, const char *name)
{
    call(t, "agent_list", "{}");
    for (int i = 0; at(t, arena_format(&t->arena, "agents.%d", i)); i++)
        if (str_equal(text_at(t, arena_format(&t->arena, "agents.%d.name", i)), name)) {
            call(t, "agent_delete", "{s:s}", "id", text_at(t, arena_format(&t->arena, "agents.%d.id", i)));
            return;
        }
    fail_msg("there is no agent %s", name);
}

/* There is no model by default here: one that is asked for in their place would refuse it. */
CONTRACT(discussion_is_forked_without_those_who_are_gone)
{
    pair(t);
    const char *id = make_discussion(t, "rounds", 2, NAMES("Ada", "Bob"));

    PLAY(t, { "Ada", "First.", NULL, false });
    call(t, "discussion_cancel", "{s:s}", "id", id);
    delete_agent(t, "Bob");
    call(t, "discussion_fork", "{s:s, s:s}", "id", id, "at", "1");
    CHECK_STATUS(201);
    const char *fork = text_at(t, "discussion.id");

    PLAY(t, { "Ada", "Alone, then.", NULL, false });
    show_discussion(t, fork);
    CHECK_TEXT("entries.1.metadata.reason", "The agent is gone.");
    delete_agent(t, "Ada");
    call(t, "discussion_fork", "{s:s, s:s}", "id", id, "at", "1");
    CHECK_STATUS(409);
    assert_non_null(strstr(t->text, "Nobody is left to speak"));
    assert_int_equal(count_rows(t, "discussion_state WHERE forked_from = '%s'", id), 1);
}

CONTRACT(discussion_refuses_what_cannot_be)
{
    pair(t);
    static const struct {
        const char *body, *field;
    } rows[] = {
        { "{\"topic\": \"T\", \"participants\": []}", "participants" },
        { "{\"topic\": \" \", \"participants\": [{\"agentName\": \"Ada\"}]}", "topic" },
        { "{\"topic\": \"T\", \"participants\": [{\"agentName\": \"Nobody\"}]}",
          "participants[0].agentName" },
        { "{\"topic\": \"T\", \"participants\": [{\"agentId\": \"x\"}]}", "participants[0].agentId" },
        { "{\"topic\": \"T\", \"participants\": [{\"agentName\": \"Ada\"}, {\"role\": 5}]}",
          "participants[1].role" },
        { "{\"topic\": \"T\", \"participants\": [{\"agentName\": \"Ada\"}, \"Bob\"]}", "participants[1]" },
        { "{\"topic\": \"T\", \"participants\": [{\"agentName\": \"Ada\", \"colour\": \"red\"}]}",
          "participants[0].colour" },
        { "{\"topic\": \"T\", \"participants\": [{\"agentName\": \"Ada\", \"sequence_order\": 1}, "
          "{\"agentName\": "
          "\"Bob\", \"sequence_order\": 1}]}",
          "participants[1].sequence_order" },
        { "{\"topic\": \"T\", \"participants\": [{\"agentName\": \"Ada\"}, {\"agentName\": \"ada\"}]}",
          "participants[1]" },
        { "{\"topic\": \"T\", \"rounds\": 101, \"participants\": [{\"agentName\": \"Ada\"}]}", "rounds" },
        { "{\"topic\": \"T\", \"participants\": [{\"agentName\": \"Ada\"}], \"options\": {\"vote\": {}}}",
          "options.vote.choices" },
        { "{\"topic\": \"T\", \"participants\": [{\"agentName\": \"Ada\"}], \"options\": {\"budget\": "
          "{\"calls\": 0}}}",
          "options.budget.calls" },
        { "{\"topic\": \"T\", \"participants\": [{\"agentName\": \"Ada\"}], \"options\": "
          "{\"smart_termination\": "
          "\"maybe\"}}",
          "options.smart_termination" },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        JSON_AUTO *params = json_loads(rows[i].body, 0, NULL);

        call_json(t, "discussion_create", params);
        CHECK_STATUS(400);
        CHECK_TEXT("field", rows[i].field);
    }
    assert_int_equal(count_rows(t, "discussion_state WHERE workspace_id = '%s'", t->workspace), 0);
}

CONTRACT(agent_config_is_checked_and_kept_in_one_form)
{
    static const struct {
        const char *config, *field;
    } rows[] = {
        { "{\"provider\": \"openai\", \"model\": \"m\", \"api_key\": \"sk-1\"}", "ai_model_config.api_key" },
        { "{\"provider\": \"openai\", \"model\": \"m\", \"base_url\": \"file:///etc/passwd\"}",
          "ai_model_config.base_url" },
        { "{\"provider\": \"openai\", \"model\": \"m\", \"base_url\": \"http://localhost:8080/v1\"}",
          "ai_model_config.base_url" },
        { "{\"provider\": \"openai\", \"model\": \"m\", \"base_url\": \"http://0x7f.1/v1\"}",
          "ai_model_config.base_url" },
        { "{\"provider\": \"ollama\", \"model\": \"m\", \"base_url\": \"http://[::ffff:10.0.0.7]:11434\"}",
          "ai_model_config.base_url" },
        { "{\"provider\": \"ollama\", \"model\": \"m\", \"base_url\": \"http://169.254.169.254\"}",
          "ai_model_config.base_url" },
        { "{\"provider\": \"nowhere\"}", "ai_model_config.provider" },
        { "\"nowhere\"", "ai_model_config.provider" },
        { "{\"model\": \"nowhere\"}", "ai_model_config.model" },
        { "\"nobody:m\"", "ai_model_config.provider" },
        { "\"ollama:\"", "ai_model_config.provider" },
        { "{\"model\": \"scripted:m\"}", "ai_model_config.model" },
        { "{\"provider\": \"openai\"}", "ai_model_config.model" },
        { "{\"provider\": \"openai\", \"model\": \"m\", \"temperature\": \"hot\"}",
          "ai_model_config.temperature" },
        { "{\"provider\": \"openai\", \"model\": \"m\", \"colour\": 1}", "ai_model_config.colour" },
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        JSON_AUTO *params = json_pack("{s:s, s:o}", "name", "Ada", "ai_model_config",
                                      json_loads(rows[i].config, JSON_DECODE_ANY, NULL));

        call_json(t, "agent_create", params);
        CHECK_STATUS(400);
        CHECK_TEXT("field", rows[i].field);
    }
    call(t, "agent_create", "{s:s, s:{s:s, s:s, s:s, s:s, s:s}}", "name", "Ada", "ai_model_config",
         "provider", "ollama", "model", "m", "maxTokens", "200", "temperature", "0.5", "stop", "END");
    CHECK_STATUS(201);
    CHECK_INT("ai_model_config.max_tokens", 200);
    CHECK_TEXT("ai_model_config.stop.0", "END");
    call(t, "agent_create", "{s:s, s:s}", "name", "Bob", "ai_model_config", "ollama:llama3.2:latest");
    CHECK_STATUS(201);
    CHECK_TEXT("ai_model_config.provider", "ollama");
    CHECK_TEXT("ai_model_config.model", "llama3.2:latest");
    call(t, "agent_create", "{s:s, s:{s:s}}", "name", "Cy", "ai_model_config", "model", "openai:gpt-x");
    CHECK_STATUS(201);
    CHECK_TEXT("ai_model_config.provider", "openai");
    CHECK_TEXT("ai_model_config.model", "gpt-x");
    call(t, "agent_create", "{s:s}", "name", "ADA");
    CHECK_STATUS(409);
    CHECK_TEXT("field", "name");
}
