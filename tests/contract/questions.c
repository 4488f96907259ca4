#include "questions.h"

const char *make_job(struct t *t)
{
    call(t, "job_create", "{s:s, s:s}", "agent", "Builder", "status", "running");
    CHECK_STATUS(201);
    return text_at(t, "id");
}

const char *ask_in(struct t *t, const char *job, const char *format, ...)
{
    va_list args;
    json_t *params;

    va_start(args, format);
    params = json_vpack_ex(NULL, 0, format, args);
    va_end(args);
    if (!params)
        fail_msg("%s does not pack", format);
    json_object_set_new(params, "id", json_string(job));
    call_json(t, "question_ask", params);
    json_decref(params);
    return text_at(t, "questionId");
}

const char *ask_text(struct t *t, const char *job)
{
    const char *id = ask_in(t, job, "{s:s, s:s, s:s}", "question", "Which persona?", "type", "blocking",
                            "responseType", "text");

    CHECK_STATUS(201);
    return id;
}

int answer(struct t *t, const char *id, const char *format, ...)
{
    va_list args;
    json_t *response;

    va_start(args, format);
    response = json_vpack_ex(NULL, 0, format, args);
    va_end(args);
    if (!response)
        fail_msg("%s does not pack", format);
    return call(t, "question_answer", "{s:s, s:o}", "id", id, "response", response);
}

int answer_text(struct t *t, const char *id, const char *value)
{
    return answer(t, id, "{s:s, s:s}", "type", "text", "value", value);
}

int show(struct t *t, const char *id)
{
    return call(t, "question_get", "{s:s}", "id", id);
}

void check_job(struct t *t, const char *job, const char *status)
{
    call(t, "job_get", "{s:s}", "id", job);
    CHECK_STATUS(200);
    CHECK_TEXT("status", status);
}

int64_t count_events(struct t *t, const char *job, const char *type)
{
    return count_rows(t, "events WHERE job_id = '%s' AND type = '%s'", job, type);
}

const char *make_user(struct t *t, const char *name, const char *role)
{
    const char *unique = arena_format(&t->arena, "%s-%.12s", name, t->workspace + 24);
    const char *as = t->as;

    t->as = t->owner;
    call(t, "user_create", "{s:s, s:s, s:s}", "name", unique, "role", role, "password",
         "a long enough password");
    CHECK_STATUS(201);
    t->as = as;
    return text_at(t, "id");
}
