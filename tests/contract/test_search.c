/* Things are found by their words, by those who may see them, at once after they were written. */
#include "base/uuid.h"
#include "council.h"
#include "project_steps.h"
#include "questions.h"

static const char *ask_about(struct t *t, const char *question)
{
    call(t, "question_create", "{s:s, s:s, s:s, s:s}", "question", question, "type", "blocking",
         "responseType", "text", "agent", "Builder");
    CHECK_STATUS(201);
    return text_at(t, "questionId");
}

static void look_for(struct t *t, const char *words, size_t found)
{
    call(t, "search", "{s:s}", "q", words);
    CHECK_STATUS(200);
    CHECK_COUNT("results", found);
    CHECK_TRUE("complete");
}

CONTRACT(search_finds_each_kind_by_all_of_its_words)
{
    const char *question = ask_about(t, "Shall the Zürich node be drained tonight?"), *project, *other;

    look_for(t, "ZURICH dra", 1);
    CHECK_TEXT("results.0.kind", "question");
    CHECK_TEXT("results.0.id", question);
    CHECK_TEXT("results.0.status", "pending");
    CHECK_TEXT("results.0.agent", "Builder");
    CHECK_TRUE("results.0.open");
    CHECK_NULL("results.0.projectId");
    look_for(t, "zurich berlin", 0);
    look_for(t, "zuri tonight", 0); /* only the last may be a beginning */
    look_for(t, "?!", 0);
    call(t, "project_create", "{s:s, s:s}", "name", "Kestrel", "description", "Birds of prey");
    project = text_at(t, "id");
    other = make_task(t, project, "Count kestrels");
    call(t, "job_create", "{s:s, s:s, s:s, s:{s:s, s:i}}", "kind", "census", "agent", "Ornithologist",
         "projectId", project, "input", "where", "Falcon Rock", "nests", 7);
    CHECK_STATUS(201);
    look_for(t, "falcon", 1);
    CHECK_TEXT("results.0.kind", "job");
    CHECK_TEXT("results.0.title", "census");
    CHECK_TEXT("results.0.project", "Kestrel");
    look_for(t, "kestrel", 2);
    CHECK_TEXT("results.0.kind", "task"); /* the newest first */
    CHECK_TEXT("results.0.id", other);
    CHECK_TEXT("results.1.kind", "project");
    CHECK_NULL("results.1.status");
    make_external_agent(t, "Magpie", "critic");
    call(t, "discussion_create", "{s:s, s:s, s:[{s:s}]}", "topic", "Where do magpies nest?", "mode", "turns",
         "participants", "agentName", "Magpie");
    CHECK_STATUS(201);
    look_for(t, "magpie", 2);
    CHECK_TEXT("results.0.kind", "discussion");
    CHECK_TEXT("results.0.status", "active");
    CHECK_TEXT("results.1.kind", "agent");
    call(t, "search", "{s:s, s:s}", "q", "magpie", "kind", "agent");
    CHECK_COUNT("results", 1);
    call(t, "search", "{s:s, s:s}", "q", "kest", "projectId", project);
    CHECK_COUNT("results", 2);
    call(t, "search", "{s:s, s:s, s:s}", "q", "falcon rock census ornith", "projectId", project, "kind",
         "job");
    CHECK_COUNT("results", 1);
}

CONTRACT(search_shows_what_is_open_first_page_by_page)
{
    const char *ids[4];

    for (int i = 0; i < 4; i++)
        ids[i] = ask_about(t, arena_format(&t->arena, "Which badger? %d", i));
    answer_text(t, ids[2], "This one.");
    CHECK_STATUS(200);
    call(t, "search", "{s:s, s:i}", "q", "badger", "limit", 3);
    CHECK_COUNT("results", 3);
    CHECK_TEXT("results.0.id", ids[3]);
    CHECK_TEXT("results.1.id", ids[1]);
    CHECK_TEXT("results.2.id", ids[0]);
    call(t, "search", "{s:s, s:i, s:s}", "q", "badger", "limit", 3, "cursor", text_at(t, "nextCursor"));
    CHECK_COUNT("results", 1);
    CHECK_TEXT("results.0.id", ids[2]);
    CHECK_TEXT("results.0.status", "answered");
    CHECK_FALSE("results.0.open");
    CHECK_NULL("nextCursor");
    call(t, "search", "{s:s, s:s}", "q", "badger", "cursor", "0123");
    CHECK_STATUS(400);
}

CONTRACT(search_tells_of_nothing_that_is_overdue)
{
    ask_about(t, "Is the heron back?");
    advance(t, 31 * MINUTE);
    look_for(t, "heron", 1);
    CHECK_TEXT("results.0.status", "timeout");
}

CONTRACT(search_stays_within_the_walls)
{
    const char *project = make_project(t), *other = make_project(t);

    ask_about(t, "Shall the otter swim?");
    make_task(t, project, "Feed the otter");
    make_task(t, other, "Wash the otter");
    look_for(t, "otter", 3);
    t->as = t->viewer;
    look_for(t, "otter", 3);
    t->as = t->owner;
    t->as = token_bound(t, "member", NULL, project);
    look_for(t, "otter", 1);
    CHECK_TEXT("results.0.projectId", project);
    call(t, "search", "{s:s, s:s}", "q", "otter", "projectId", other);
    CHECK_STATUS(200);
    CHECK_COUNT("results", 0);
    t->as = t->owner;
    t->as = token_elsewhere(t, "owner");
    look_for(t, "otter", 0);
}

CONTRACT(search_follows_what_changes_and_forgets_what_is_gone)
{
    const char *project = make_project(t), *agent = make_external_agent(t, "Stoat", "critic");

    call(t, "project_update", "{s:s, s:s}", "id", project, "name", "Wolverine");
    CHECK_STATUS(200);
    make_task(t, project, "Find the wolverine");
    look_for(t, "wolverine", 2);
    call(t, "project_update", "{s:s, s:s}", "id", project, "name", "Lynx");
    look_for(t, "wolverine", 1);
    look_for(t, "lynx", 1);
    call(t, "project_delete", "{s:s}", "id", project);
    CHECK_STATUS(204);
    look_for(t, "lynx", 0);
    look_for(t, "wolverine", 0);
    assert_int_equal(
        count_rows(t, "search_words WHERE word = 'wolverine' AND workspace_id = '%s'", t->workspace), 0);
    look_for(t, "stoat", 1);
    call(t, "agent_delete", "{s:s}", "id", agent);
    CHECK_STATUS(204);
    look_for(t, "stoat", 0);
}

/* Words that are taken in while their text is deleted are not there yet for its trigger. One writer never
 * meets that. */
CONTRACT(search_forgets_words_that_came_in_while_their_text_went)
{
    const char *project = make_project(t);

    if (t->engine != DB_POSTGRES)
        return;
    look_for(t, "zorilla", 0);
    outside_sql(t, "BEGIN");
    outside_sql(t, "DELETE FROM projects WHERE id = '%s'", project);
    outside_sql(t, "INSERT INTO search_words (workspace_id, word, ref_id) VALUES ('%s', 'zorilla', '%s')",
                t->workspace, project);
    outside_sql(t, "COMMIT");
    look_for(t, "zorilla", 0);
    assert_int_equal(count_rows(t, "search_words WHERE ref_id = '%s'", project), 0);
}

/* Whoever takes words in waits for those who changed their text, so these must not wait for it. */
CONTRACT(search_keeps_nobody_from_changing_what_is_being_taken_in)
{
    const char *project = make_project(t);

    if (t->engine != DB_POSTGRES)
        return;
    call(t, "project_update", "{s:s, s:s}", "id", project, "name", "Aardwolf");
    look_for(t, "aardwolf", 1);
    outside_sql(t, "BEGIN");
    outside_sql(t, "SET LOCAL idle_in_transaction_session_timeout = 0"); /* however slow the machine is */
    outside_sql(t, "DELETE FROM search_words WHERE ref_id = '%s'", project);
    call(t, "project_update", "{s:s, s:s}", "id", project, "name", "Binturong");
    CHECK_STATUS(200);
    outside_sql(t, "ROLLBACK");
    (void)fingerprint(t); /* what was held up has settled */
    look_for(t, "aardwolf", 0);
    look_for(t, "binturong", 1);
}

CONTRACT(search_finds_what_another_program_wrote)
{
    outside_sql(
        t, "INSERT INTO projects (id, workspace_id, name, created_at) VALUES ('%s', '%s', 'Pangolin', 1)",
        uuid_new(&t->arena), t->workspace);
    look_for(t, "pang", 1);
    CHECK_TEXT("results.0.kind", "project");
}

CONTRACT(search_for_a_lone_question_does_not_find_its_job_as_well)
{
    call(t, "question_create", "{s:s, s:s, s:s, s:s}", "question", "Where is the vole?", "type", "blocking",
         "responseType", "text", "agent", "Volehunter");
    CHECK_STATUS(201);
    look_for(t, "volehunter", 1);
    CHECK_TEXT("results.0.kind", "question");
}
