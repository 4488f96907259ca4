#include "contract.h"

#include "base/budget.h"
#include "base/clock.h"
#include "base/settings.h"
#include "base/uuid.h"
#include "core/caller/secret.h"
#include "fixture.h"
#include "ops/bind.h"
#include "ops/dispatch.h"
#include "ops/event_type.h"
#include "ops/openapi.h"
#include "tests/support/units.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <semaphore.h>
#include <sodium.h>
#include <stdio.h>
#include <time.h>

#define SETTLE_MS 600000 /* a case may leave ten thousand tasks to be taken into the index */

static struct contract *contracts;
static struct fixture *fixture; /* the engine under test */

void contract_register(struct contract *contract)
{
    contract->next = contracts;
    contracts = contract;
}

/* Setting the stage: plain SQL on the test's own connection, since no operation may make a token from
 * nothing. */

static struct db_rows sql_into(struct t *t, struct arena *arena, const char *text, size_t argc,
                               const struct db_arg argv[])
{
    struct db_rows rows;
    struct err err = { 0 };

    if (!db_query_text(t->db, arena, text, argc, argv, &rows, &err))
        fail_msg("%s: %s", text, err.text);
    return rows;
}

static struct db_rows sql(struct t *t, const char *text, size_t argc, const struct db_arg argv[])
{
    return sql_into(t, &t->arena, text, argc, argv);
}

static const char *make_workspace(struct t *t)
{
    const char *id = uuid_new(&t->arena);

    sql(t, "INSERT INTO workspaces (id, slug, name, created_at) VALUES ($1, $2, 'Test', $3)",
        DB_ARGS(db_text(id), db_text(id), db_int(clock_now_ms())));
    return id;
}

static const char *make_token(struct t *t, const char *workspace, const char *role, const char *agent_name)
{
    const char *secret = secret_make(&t->arena, SECRET_TOKEN);

    sql(t,
        "INSERT INTO tokens (id, workspace_id, hash, name, role, agent_name, created_at) "
        "VALUES ($1, $2, $3, $4, $5, $6, $7)",
        DB_ARGS(db_text(uuid_new(&t->arena)), db_text(workspace), db_text(secret_hash(&t->arena, secret)),
                db_text(role), db_text(role), db_text(agent_name), db_int(clock_now_ms())));
    return secret;
}

const char *session_for(struct t *t, const char *user_id)
{
    const char *secret = secret_make(&t->arena, SECRET_SESSION);

    sql(t, "INSERT INTO sessions (hash, user_id, created_at, expires_at) VALUES ($1, $2, $3, $4)",
        DB_ARGS(db_text(secret_hash(&t->arena, secret)), db_text(user_id), db_int(clock_now_ms()),
                db_int(clock_now_ms() + (int64_t)1000 * 24 * 3600 * 1000)));
    return secret;
}

/* Who calls is a token, or somebody who has logged in. */
static struct credentials credentials_of(const struct t *t, const json_t *params)
{
    if (!t->as || !*t->as)
        return (struct credentials){ 0 };
    if (str_starts(t->as, "witanv_"))
        return (struct credentials){ .visit = t->as,
                                     .visit_id = json_string_value(json_object_get(params, "id")) };
    if (str_starts(t->as, SECRET_SESSION))
        return (struct credentials){ .session = t->as };
    return (struct credentials){ .bearer = t->as };
}

const char *token_elsewhere(struct t *t, const char *role)
{
    return make_token(t, make_workspace(t), role, NULL);
}

const char *token_for(struct t *t, const char *role, const char *agent_name)
{
    return make_token(t, t->workspace, role, agent_name);
}

const char *token_bound(struct t *t, const char *role, const char *agent_name, const char *project_id)
{
    const char *secret = token_for(t, role, agent_name);

    sql(t, "UPDATE tokens SET project_id = $2 WHERE hash = $1",
        DB_ARGS(db_text(secret_hash(&t->arena, secret)), db_text(project_id)));
    return secret;
}

void outside_sql(struct t *t, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    assert_true(vasprintf(&text, format, args) >= 0);
    va_end(args);
    sql(t, text, DB_NO_ARGS);
    free(text);
}

int64_t count_rows(struct t *t, const char *from_where, ...)
{
    va_list args;
    char *text;

    va_start(args, from_where);
    assert_true(vasprintf(&text, from_where, args) >= 0);
    va_end(args);
    struct db_rows rows = sql(t, arena_format(&t->arena, "SELECT count(*) FROM %s", text), DB_NO_ARGS);

    free(text);
    return db_cell_int(&rows, 0, 0);
}

/* The order in which rows come does not matter: each row's hash is added to the table's. */
static uint64_t digest_rows(const struct db_rows *rows)
{
    uint64_t sum = rows->count;

    for (size_t row = 0; row < rows->count; row++) {
        crypto_generichash_state state;
        uint64_t hash[2];

        crypto_generichash_init(&state, NULL, 0, sizeof(hash));
        for (size_t column = 0; column < rows->width; column++) {
            const char *cell = db_cell(rows, row, column) ? db_cell(rows, row, column) : "\1NULL";

            crypto_generichash_update(&state, (const unsigned char *)cell, strlen(cell) + 1);
        }
        crypto_generichash_final(&state, (unsigned char *)hash, sizeof(hash));
        sum += hash[0];
    }
    return sum;
}

/*
 * What a refused call may leave behind: when its token was last used, that asking failed, the alert about
 * it that some later look raises, and that somebody was turned away.
 */
static const char *rows_of(struct t *t, const char *table)
{
    if (strcmp(table, "tokens") == 0)
        return "SELECT id, hash, name, role, expires_at, revoked_at FROM tokens";
    if (strcmp(table, "audit") == 0)
        return "SELECT * FROM audit WHERE detail IS NULL OR detail NOT LIKE '{\"refused\":%'";
    if (strcmp(table, "events") == 0)
        return "SELECT * FROM events WHERE type <> 'alert'";
    /* Folded by a thread of their own, in its own time. */
    if (strcmp(table, "figures") == 0 || strcmp(table, "figure_changes") == 0 ||
        strcmp(table, "question_tallies") == 0)
        return NULL;
    if (strcmp(table, "ask_errors") == 0 || strcmp(table, "alerts") == 0 || strcmp(table, "audit_heads") == 0)
        return NULL;
    return arena_format(&t->arena, "SELECT * FROM %s", table);
}

const char *fingerprint(struct t *t)
{
    const char *catalog =
        t->engine == DB_SQLITE
            ? "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'sqlite_sequence' ORDER BY 1"
            : "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1";
    struct db_rows tables = sql(t, catalog, DB_NO_ARGS);
    const char *all = "";

    assert_true(engine_settle(fixture->clockwork, SETTLE_MS));
    for (size_t i = 0; i < tables.count; i++) {
        const char *name = db_cell(&tables, i, 0);

        const char *query = rows_of(t, name);

        if (!query)
            continue;
        /* Whole tables, again and again: they must not pile up in the case's arena. */
        ARENA_AUTO scratch = { 0 };
        struct db_rows rows = sql_into(t, &scratch, query, DB_NO_ARGS);

        all = arena_format(&t->arena, "%s%s %zu %" PRIx64 "\n", all, name, rows.count, digest_rows(&rows));
    }
    return all;
}

void print_newest_events(struct t *t)
{
    struct db_rows rows = sql(t,
                              "SELECT type, subject, seq, created_at, data FROM events "
                              "ORDER BY created_at DESC LIMIT 5",
                              DB_NO_ARGS);

    for (size_t i = 0; i < rows.count; i++)
        printf("    event %s of %s, number %s, at %s: %s\n", db_cell(&rows, i, 0), db_cell(&rows, i, 1),
               db_cell(&rows, i, 2), db_cell(&rows, i, 3), db_cell(&rows, i, 4));
}

void advance(struct t *t, int64_t ms)
{
    struct err err = { 0 };
    int64_t offset;

    (void)t;
    if (!engine_move_clock(fixture->clockwork, ms, &offset, &err))
        fail_msg("%s", err.text);
}

/* The door straight into the table: bind and dispatch as every door does. */

struct table_call {
    struct request request;
    sem_t finished;
};

static void table_finished(struct request *request)
{
    sem_post(request->user);
}

/* Path and query values are text, whatever they were packed as. */
static const char *as_text(struct t *t, const json_t *value)
{
    if (json_is_string(value))
        return json_string_value(value);
    return json_dump_text(&t->arena, value);
}

static void split_params(struct t *t, const struct op *op, const json_t *params, struct raw_input *input,
                         json_t *body)
{
    struct raw_value *path = arena_array(&t->arena, struct raw_value, LIMIT_PARAMS);
    struct raw_value *query = arena_array(&t->arena, struct raw_value, LIMIT_PARAMS);
    const char *name;
    json_t *value;

    *input = (struct raw_input){ .path = path, .query = query, .body = body };
    json_object_foreach((json_t *)(uintptr_t)params, name, value)
    {
        const struct field *field = op->params;

        while (field->type && strcmp(field->name, name) != 0)
            field++;
        enum param_place place = field->type ? op_param_place(op, field) : IN_BODY;

        if (place == IN_PATH)
            path[input->path_count++] = (struct raw_value){ name, as_text(t, value) };
        else if (place == IN_QUERY)
            query[input->query_count++] = (struct raw_value){ name, as_text(t, value) };
        else
            json_object_set(body, name, value);
    }
}

static void take_reply(struct t *t, int status, const char *text)
{
    json_decref(t->reply);
    t->status = status;
    t->text = arena_text(&t->arena, text ? text : "");
    t->reply = json_loads(t->text, JSON_DECODE_ANY, NULL);
}

/* "name=value; ..." */
static void take_cookie(struct t *t, const char *set)
{
    const char *value = set ? strchr(set, '=') : NULL;

    t->cookie = value ? arena_copy(&t->arena, value + 1, strcspn(value + 1, ";")) : NULL;
}

static void call_table(struct t *t, const struct op *op, const json_t *params)
{
    struct table_call call = { 0 };
    struct budget memory;
    struct arena arena = { .budget = &memory };
    json_t *body = json_object();
    struct raw_input input;
    char *body_text;

    budget_init(&memory, t->memory_limit);
    split_params(t, op, params, &input, body);
    body_text = json_dumps(body, JSON_COMPACT);
    call.request = (struct request){
        .op = op,
        .credentials = credentials_of(t, params),
        .idempotency_key = t->idempotency_key,
        .body = body_text,
        .body_len = strlen(body_text),
        .call = { .tx = { .arena = &arena },
                  .door = "test",
                  .request_id = "test",
                  .base_url = "http://witan.test" },
        .finished = table_finished,
        .user = &call.finished,
    };
    buf_init(&call.request.reply, 0);
    sem_init(&call.finished, 0, 0);
    if (!bind_args(op, &arena, &input, call.request.call.args, &call.request.bind_err))
        assert_int_not_equal(call.request.bind_err.code, ERR_NONE);
    dispatch_submit(fixture->store, &call.request);
    sem_wait(&call.finished);
    if (call.request.call.err.code != ERR_NONE) {
        buf_clear(&call.request.reply);
        dispatch_write_error(&call.request.call.err, &call.request.reply);
        take_reply(t, err_http(call.request.call.err.code), call.request.reply.bytes);
    } else {
        take_reply(t, call.request.call.status, call.request.reply.bytes);
    }
    t->replayed = call.request.replayed;
    take_cookie(t, call.request.call.cookies[0]);
    t->due_rounds = call.request.due_rounds;
    buf_done(&call.request.reply);
    sem_destroy(&call.finished);
    arena_done(&arena);
    t->memory = budget_peak(&memory);
    free(body_text);
    json_decref(body);
}

/* The door over HTTP. */

static size_t take_bytes(char *bytes, size_t size, size_t count, void *user)
{
    buf_add(user, bytes, size * count);
    return size * count;
}

static size_t take_header(char *line, size_t size, size_t count, void *user)
{
    struct t *t = user;

    if (size * count > 20 && strncasecmp(line, "Idempotent-Replayed:", 20) == 0)
        t->replayed = true;
    if (!t->cookie && size * count > 11 && strncasecmp(line, "Set-Cookie:", 11) == 0)
        take_cookie(t, arena_copy(&t->arena, line, size * count));
    return size * count;
}

static char *rest_url(struct t *t, const struct op *op, const struct raw_input *input)
{
    BUF_AUTO url = { 0 };

    buf_init(&url, 0);
    buf_format(&url, "http://127.0.0.1:%d", fixture->port);
    for (const char *c = op_path(op); *c; c++) {
        if (*c != '{') {
            buf_char(&url, *c);
            continue;
        }
        for (size_t i = 0; i < input->path_count; i++)
            if (strncmp(c + 1, input->path[i].name, strlen(input->path[i].name)) == 0 &&
                c[1 + strlen(input->path[i].name)] == '}')
                buf_text(&url, str_url_encode(&t->arena, input->path[i].text));
        c = strchr(c, '}');
    }
    for (size_t i = 0; i < input->query_count; i++)
        buf_format(&url, "%c%s=%s", i ? '&' : '?', input->query[i].name,
                   str_url_encode(&t->arena, input->query[i].text));
    /* What would be held back is answered at once: the case itself does what comes next. */
    if (op->holds)
        buf_format(&url, "%cwait=0", input->query_count ? '&' : '?');
    return arena_text(&t->arena, url.bytes);
}

static struct curl_slist *rest_headers(struct t *t, const json_t *params)
{
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");

    headers = curl_slist_append(headers, "Expect:");
    struct credentials credentials = credentials_of(t, params);

    if (credentials.bearer)
        headers = curl_slist_append(headers, arena_format(&t->arena, "Authorization: Bearer %s", t->as));
    if (credentials.session || credentials.visit) {
        headers = curl_slist_append(
            headers, credentials.session
                         ? arena_format(&t->arena, "Cookie: witan_session=%s", t->as)
                         : arena_format(&t->arena, "Cookie: witan_q_%s=%s", credentials.visit_id, t->as));
        headers =
            curl_slist_append(headers, arena_format(&t->arena, "Origin: http://127.0.0.1:%d", fixture->port));
    }
    if (t->idempotency_key)
        headers =
            curl_slist_append(headers, arena_format(&t->arena, "Idempotency-Key: %s", t->idempotency_key));
    return headers;
}

static void call_rest(struct t *t, const struct op *op, const json_t *params)
{
    static CURL *curl;
    json_t *body = json_object();
    struct raw_input input;
    struct curl_slist *headers = rest_headers(t, params);
    const char *method = op_method(op, &t->arena);
    BUF_AUTO reply = { 0 };
    long status = 0;
    char *text;

    if (!curl)
        curl = curl_easy_init();
    curl_easy_reset(curl);
    buf_init(&reply, 0);
    split_params(t, op, params, &input, body);
    text = json_dumps(body, JSON_COMPACT);
    curl_easy_setopt(curl, CURLOPT_URL, rest_url(t, op, &input));
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    if (strcmp(method, "GET") != 0 && strcmp(method, "DELETE") != 0)
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, text);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_bytes);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &reply);
    t->replayed = false;
    t->cookie = NULL;
    curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, take_header);
    curl_easy_setopt(curl, CURLOPT_HEADERDATA, t);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, 300L);
    CURLcode code = curl_easy_perform(curl);

    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    /* A server that refuses a large body may close before it has all been sent. */
    if (code != CURLE_OK && status == 0)
        fail_msg("%s: %s", op->name, curl_easy_strerror(code));
    take_reply(t, (int)status, reply.bytes);
    curl_slist_free_all(headers);
    free(text);
    json_decref(body);
}

int call_json(struct t *t, const char *name, const json_t *params)
{
    const struct op *op = op_find(name);

    if (!op)
        fail_msg("there is no operation %s", name);
    if (t->door == DOOR_REST)
        call_rest(t, op, params);
    else
        call_table(t, op, params);
    return t->status;
}

int call(struct t *t, const char *name, const char *format, ...)
{
    va_list args;
    json_error_t error;
    json_t *params;

    va_start(args, format);
    params = json_vpack_ex(&error, 0, format, args);
    va_end(args);
    if (!params)
        fail_msg("%s: %s", format, error.text);
    call_json(t, name, params);
    json_decref(params);
    return t->status;
}

/* Looking at replies. */

const json_t *at(const struct t *t, const char *path)
{
    const json_t *value = t->reply;
    char part[64];

    while (value && *path) {
        size_t len = strcspn(path, ".");
        int64_t index;

        snprintf(part, sizeof(part), "%.*s", (int)len, path);
        value =
            str_to_int(part, &index) ? json_array_get(value, (size_t)index) : json_object_get(value, part);
        path += len + (path[len] == '.');
    }
    return value;
}

const char *text_at(const struct t *t, const char *path)
{
    return arena_text((struct arena *)(uintptr_t)&t->arena, json_string_value(at(t, path)));
}

int64_t int_at(const struct t *t, const char *path)
{
    return json_integer_value(at(t, path));
}

/* Running: every case, on the engine under test, through every door. */

struct run {
    const struct contract *contract;
    enum door door;
};

/*
 * What a case leaves would be read again and again by those that compare whole tables. Events that have no
 * number yet are left, since the server is about to write them; and when it is in the way, the rest stays
 * too.
 */
static void forget(struct t *t)
{
    static const char *const texts[] = {
        "DELETE FROM events WHERE workspace_id = '%s' AND seq IS NOT NULL",
        "DELETE FROM idempotency WHERE workspace_id = '%s'",
        "DELETE FROM workspaces WHERE id = '%s'",
    };
    struct err ignored = { 0 };

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        char text[160];

        snprintf(text, sizeof(text), texts[i], t->workspace);
        (void)!db_script(t->db, text, &ignored);
    }
}

/* Everything that was appended is as the table of events declares it. */
static void check_events(struct t *t)
{
    struct db_rows rows = sql(t, "SELECT DISTINCT type, data FROM events WHERE workspace_id = $1",
                              DB_ARGS(db_text(t->workspace)));

    for (size_t i = 0; i < rows.count; i++) {
        json_t *members = json_loads(db_cell(&rows, i, 1), 0, NULL);
        struct err err = { 0 };

        if (!event_type_check(db_cell(&rows, i, 0), members, &err))
            fail_msg("%s\n  %s", err.text, db_cell(&rows, i, 1));
        json_decref(members);
    }
}

struct settings *settings_to_change(void)
{
    static struct kept {
        struct settings settings;
        struct kept *before;
    } * newest;
    struct kept *kept = malloc(sizeof(*kept));

    assert_non_null(kept);
    *kept = (struct kept){ *settings(), newest };
    newest = kept;
    return &kept->settings;
}

struct db *one_more_connection(void)
{
    struct err err = { 0 };
    struct db *db = units_open(fixture->url);

    if (db->engine == DB_POSTGRES && !db_script(db, "SET witan.node = 'off'", &err))
        fail_msg("%s", err.text);
    return db;
}

void until_so_many_wait_for_locks(struct t *t, int64_t count)
{
    for (int64_t until_ms = clock_ticks_ms() + 60000; clock_ticks_ms() < until_ms;) {
        if (count_rows(t, "pg_locks l JOIN pg_database d ON d.oid = l.database OR l.database IS NULL OR "
                          "l.database = 0 WHERE NOT l.granted AND d.datname = current_database()") >= count)
            return;
        nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
    }
    fail_msg("nobody waits");
}

static void run_case(void **state)
{
    const struct run *run = *state;
    struct t t = { .door = run->door, .engine = fixture->engine };

    t.db = one_more_connection();
    t.workspace = make_workspace(&t);
    t.owner = token_for(&t, "owner", NULL);
    t.admin = token_for(&t, "admin", NULL);
    t.member = token_for(&t, "member", NULL);
    t.agent = token_for(&t, "agent", NULL);
    t.viewer = token_for(&t, "viewer", NULL);
    t.as = t.owner;
    run->contract->run(&t);
    check_events(&t);
    forget(&t);
    json_decref(t.reply);
    db_close(t.db);
    arena_done(&t.arena);
}

/* Leaves those of the files that are named (test_job.c); all of them when none is. */
static void choose_files(char *const names[])
{
    if (!*names)
        return;
    for (struct contract **at = &contracts; *at;) {
        const char *file = strrchr((*at)->file, '/') + 1;
        char *const *name = names;

        while (*name && strcmp(*name, file) != 0)
            name++;
        if (*name)
            at = &(*at)->next;
        else
            *at = (*at)->next;
    }
}

static size_t count_contracts(void)
{
    size_t count = 0;

    for (const struct contract *contract = contracts; contract; contract = contract->next)
        count++;
    return count;
}

static int run_engine(const char *name)
{
    static const char *const doors[DOORS] = { [DOOR_TABLE] = "table", [DOOR_REST] = "rest" };
    ARENA_AUTO arena = { 0 };
    struct fixture self = { 0 };
    size_t count = count_contracts() * DOORS, i = 0;
    struct CMUnitTest *tests = arena_array(&arena, struct CMUnitTest, count);
    struct run *runs = arena_array(&arena, struct run, count);

    for (const struct contract *contract = contracts; contract; contract = contract->next) {
        for (enum door door = 0; door < DOORS; door++, i++) {
            runs[i] = (struct run){ contract, door };
            tests[i] = (struct CMUnitTest){ .name = arena_format(&arena, "%s/%s: %s", name, doors[door],
                                                                 contract->name),
                                            .test_func = run_case,
                                            .initial_state = &runs[i] };
        }
    }
    fixture_open(&self, name);
    fixture = &self;
    int failed = _cmocka_run_group_tests(name, tests, count, NULL, NULL);

    fixture_close(&self);
    return failed;
}

/* contract [PATTERN [FILE...]]: the cases whose name, such as sqlite/table: a_job_ends, matches; of these
 * files. */
int main(int argc, char **argv)
{
    int failed;

    if (sodium_init() < 0 || curl_global_init(CURL_GLOBAL_DEFAULT) != 0)
        return 1;
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    if (argc > 2)
        choose_files(&argv[2]);
    failed = run_engine("sqlite");
    if (getenv("WITAN_TEST_PG"))
        failed += run_engine("postgres");
    else
        printf("WITAN_TEST_PG is not set: PostgreSQL was left out\n");
    return failed ? 1 : 0;
}
