#include "base/str.h"
#include "core/search/search.h"
#include "ops/tables.h"

/* A search waits for the index this often; whoever keeps writing must not keep others from an answer. */
#define ROUNDS_MAX 20

static const struct field hit_fields[] = {
    { "kind", T_ENUM, REQUIRED, "What it is.", .values = search_kinds },
    { "id", T_ID, REQUIRED, "What it is called by." },
    { "title", T_TEXT, REQUIRED,
      "The beginning of its text: the question, the topic, the name; of a job, its kind." },
    { "status", T_TEXT, REQUIRED, "As its kind calls it; projects and agents have none.", .flags = F_NULL },
    { "open", T_BOOL, REQUIRED, "Whether it has not ended." },
    { "agent", T_TEXT, REQUIRED, "Who asks, or works on it.", .flags = F_NULL },
    { "projectId", T_ID, REQUIRED, "Its project.", .flags = F_NULL },
    { "project", T_TEXT, REQUIRED, "The project's name.", .flags = F_NULL },
    { "createdAt", T_TIME, REQUIRED, "When it was made." },
    { 0 },
};

static const struct field find_reply[] = {
    { "results", T_LIST, REQUIRED, "What is open first, then the newest.", .items = T_OBJECT,
      .fields = hit_fields },
    { "complete", T_BOOL, REQUIRED,
      "False while much that was written before is still being taken into the index." },
    PAGE_REPLY,
    { 0 },
};

static void write_hit(struct arena *arena, const struct search_hit *hit, struct json_out *out)
{
    json_map(out, NULL);
    json_text(out, "kind", search_kind_word(hit->kind));
    json_text(out, "id", hit->id);
    json_text(out, "title", str_beginning(arena, hit->title, NOTIFICATION_CHARS));
    json_text(out, "status", hit->status);
    json_bool(out, "open", hit->open);
    json_text(out, "agent", hit->agent);
    json_text(out, "projectId", hit->project_id);
    json_text(out, "project", hit->project);
    json_time(out, "createdAt", hit->created_ms);
    json_map_end(out);
}

static bool run_search(struct call *call)
{
    struct search_page page;

    if (!search_find(&call->tx,
                     &(struct search_filter){ .text = arg_text(call, "q"),
                                              .kind = arg_word(call, "kind", search_kinds),
                                              .project_id = arg_text(call, "projectId"),
                                              .limit = (size_t)arg_int(call, "limit"),
                                              .cursor = arg_text(call, "cursor"),
                                              .as_it_is = call->due_rounds >= ROUNDS_MAX },
                     &page))
        return false;
    json_map(&call->out, NULL);
    json_list(&call->out, "results");
    for (size_t i = 0; i < page.count; i++)
        write_hit(call->tx.arena, &page.hits[i], &call->out);
    json_list_end(&call->out);
    json_bool(&call->out, "complete", page.complete);
    json_text(&call->out, "nextCursor", page.next_cursor);
    json_map_end(&call->out);
    return true;
}

const struct op search_ops[] = {
    {
        .name = "search",
        .http = "GET /api/search",
        .tag = "Search",
        .help = "Find questions, jobs, discussions, projects, tasks and agents by the words in them. "
                "All words must be there; the last may be the beginning of one. "
                "Capital letters and accents do not matter.",
        .needs = ROLES_READ,
        .reaches = REACH_PROJECT,
        .kind = OP_READ,
        .heavy = true,
        .run = run_search,
        .example = "{\"q\": \"currencies\", \"limit\": 20}",
        .reply = find_reply,
        .params = {
            { "q", T_TEXT, REQUIRED, "What to look for: up to four words count.", .min = 1, .max = LIMIT_SEARCH },
            { "kind", T_ENUM, OPTIONAL, "Only these.", .values = search_kinds },
            { "projectId", T_ID, OPTIONAL, "Only what belongs to this project." },
            { "limit", T_INT, OPTIONAL, "How many at most.", .min = 1, .max = LIMIT_PAGE, .fallback = "20" },
            { "cursor", T_CURSOR, OPTIONAL, "Where the page before ended (its nextCursor)." },
        },
    },
    { 0 },
};
