/*
 * op.h - what witan can do, said once.
 *
 * An operation is one thing a caller may ask for. Its row holds the name, the REST method and path, the
 * parameters and the reply with their types and limits, the help sentence, the set of roles that may call
 * it, what it reaches, and whether it reads or writes. Routing, validation, authorisation, rate limits,
 * idempotency, audit, OpenAPI, command line help and the reference are all derived from the row; a handler
 * only does the work.
 *
 * A handler runs on a store thread inside a transaction, possibly more than once: it has no effect outside
 * call->tx and the call itself.
 */
#ifndef OPS_OP_H
#define OPS_OP_H

#include "base/json.h"
#include "base/limits.h"
#include "core/caller/caller.h"
#include "db/db.h"

enum type {
    T_END,  /* ends a list of fields */
    T_TEXT, /* min counts characters, max bytes; trimmed of nothing, never NUL */
    T_NAME, /* one plain line, trimmed, not blank, at most LIMIT_NAME characters */
    T_ID,   /* an id of ours or a client's: 1..LIMIT_REF bytes, no spaces or control characters */
    T_UUID, /* lower-cased; in a path a malformed one is 404 */
    T_INT,  /* min..max */
    T_REAL,
    T_BOOL,
    T_TIME,   /* RFC 3339 in, RFC 3339 out */
    T_ENUM,   /* one of .values */
    T_OBJECT, /* .fields */
    T_LIST,   /* of .items; of objects with .fields when items is T_OBJECT; max counts entries */
    T_JSON,   /* any value; max counts bytes of its text */
    T_CURSOR, /* an opaque page mark */
};

#define PATH_PARAMS 8  /* in one path at most */
#define PARAM_SLOTS 64 /* a power of two, more than twice LIMIT_PARAMS */

enum { OPTIONAL, REQUIRED };

/* Flags of a field. */
enum {
    F_NULL = 1,     /* reply: may be null; parameter: null counts as not given */
    F_QUERY = 2,    /* in the query string although the method has a body */
    F_SECRET = 4,   /* a password or secret: never in audit, log or idempotency */
    F_OPEN = 8,     /* an object that may hold further members */
    F_SPEAKER = 16, /* a T_NAME: who speaks; a door that knows says it for those who do not */
};

struct field {
    const char *name;
    enum type type;
    int need;
    const char *help;
    int64_t min, max;     /* 0, 0: the type's own limits; a text's LIMIT_MESSAGE_CEILING: limits.message */
    const char *fallback; /* the value when not given, as text */
    const char *const *values;  /* T_ENUM: ends with NULL */
    const struct field *fields; /* T_OBJECT, or T_LIST of objects */
    enum type items;            /* T_LIST */
    const char
        *form; /* what core asks for beyond the type, as members of a JSON schema (of a list: its items') */
    unsigned flags;
};

struct arg {
    bool given;
    bool null;          /* sent as null, which counts as not given: for those who clear something by it */
    const char *text;   /* T_TEXT, T_NAME, T_ID, T_UUID, T_ENUM, T_CURSOR */
    int64_t number;     /* T_INT; T_TIME in ms; T_BOOL 0 or 1 */
    double real;        /* T_REAL */
    const json_t *json; /* T_OBJECT, T_LIST, T_JSON: checked, borrowed from the request */
};

struct op;

#define CALL_COOKIES 2

/* Whose password is tried, for those who count (edge/logins.h). */
struct login_try {
    const char *account; /* the name, folded */
    const char *own;     /* what this person alone has to show beside the password, or NULL */
    bool known_address;
};

struct call {
    const struct op *op;
    struct tx tx; /* of one run: its caller and err are those below */
    struct caller caller;
    struct arg args[LIMIT_PARAMS];
    struct json_out out; /* the reply */
    int status;          /* HTTP status when it succeeds; preset from the row */
    int64_t more_after;  /* for rows with .pieces: where the next piece begins; 0: this is the last */
    int64_t more_left;   /* and how many rows it may have */
    int64_t piece_rows;  /* and how many this piece may have at most */
    bool ended;          /* for rows with .waits: what was asked about has ended */
    int due_rounds;      /* how often this was run before, for something that was overdue */
    bool held;           /* a look on behalf of a write with .holds */
    bool glance;         /* a look whose reply nobody gets unless it has ended: nothing need be written */
    const char *subject; /* for audit: the id of what was touched; preset from the path */
    const char
        *audit_detail; /* a JSON object's text, or NULL: the parameters without secrets and long texts */
    const char *question_id, *prompt_id; /* what was asked, or NULL: while it is open the key is kept */
    const char *cookies[CALL_COOKIES];   /* Set-Cookie values; NULL behind the last */
    void *prepared;                      /* what .fetch and .before left, in the arena */
    struct login_try tried;              /* for rows with .limit_logins: what .fetch found */
    const char *door, *remote, *request_id;
    const char *base_url; /* for rows with .tells_url: how the caller has reached this server, "http://HOST";
                             NULL: not known */
    const char *device;   /* the browser's own cookie, or NULL */
    struct err err;
};

enum op_kind { OP_READ = 1, OP_WRITE };

/*
 * What a row reaches, which is what binds a token that is bound to a project (ops/reach.h): where the path
 * has an {id}, it names one of these, and another project's is not there; a list holds what the caller sees.
 * A token that is bound to an agent has the role agent at most (core/caller/caller.h), so `needs` binds it.
 */
enum reach {
    REACH_WORKSPACE = 1, /* the workspace as such, its people, what is made for all of it: not for a token
                            that is bound to a project */
    REACH_PROJECT,       /* a project and what is in it */
    REACH_JOB,           /* a job; one without a project is the workspace's */
    REACH_QUESTION,      /* a question of a job, likewise */
    REACH_SQUAD,         /* a prompt, or the chat. What is about no project's task is common ground, which a
                            bound token shares: agents could not confer without it */
    REACH_DISCUSSION, /* a discussion, by its id or its project's; one without a project is the workspace's */
    REACH_INBOX,      /* a notification. Being called in the squad's talk is common ground, too */
    REACH_OWN,        /* the caller: who that is, its preferences and tickets. Nobody else's are shown */
};

/* A reply that is a text of its own and no JSON, when the parameter `format` has this value. */
struct reply_document {
    const char *format;
    const char *type; /* of its content, "text/plain; charset=utf-8" */
    const char *file; /* the name under which it is saved */
};

struct op {
    const char *name;      /* "prompt_respond" */
    const char *http;      /* "POST /api/discussion/{id}" */
    const char *http_also; /* a second path for the same thing, or NULL */
    const char *tag;       /* the heading in the reference: "Discussion prompts" */
    const char *help;
    unsigned needs;     /* set of enum role; zero does not start */
    enum reach reaches; /* zero does not start */
    enum op_kind kind;
    bool quick;   /* a point read: may run on the HTTP thread */
    bool heavy;   /* a read of much: others than heavy ones never wait behind it */
    bool waits;   /* takes ?wait=SECONDS and holds the reply until call->ended */
    bool holds;   /* a write whose reply is held, as with ?wait=55, until what it began has ended: GET of its
                     path looks   (call->held) */
    bool pieces;  /* may be long: takes after_seq and limit, and is run once for each piece (more_after) */
    bool by_link; /* the cookie of a link to what `id` names stands in for credentials */
    bool tells_url;      /* the reply holds an address of this server */
    bool secret_reply;   /* never stored for idempotent repeats */
    bool count_errors;   /* failures are counted for the alert on asking */
    bool limit_logins;   /* tries a password: counted before .before */
    bool hashes;         /* .before hashes a password: on the workers for that */
    bool no_audit;       /* a write too small to be worth a row (such as marking read) */
    int status;          /* 0: 200 */
    int status_made;     /* a PUT that made the thing answers this instead; 0: it never does */
    size_t body_max;     /* 0: settings()->limits_body */
    const char *cli;     /* "prompt answer", or NULL: offered under `witan call` only */
    const char *tool;    /* its name at the MCP door, or NULL */
    const char *missing; /* the sentence when required fields are missing; NULL: the general one */
    bool (*fetch)(struct call *call);  /* what .before needs from the store; in a read transaction */
    bool (*before)(struct call *call); /* CPU work without a database, on a worker, once admitted */
    bool (*run)(struct call *call);
    const char *example; /* its parameters but for the path's, as a JSON object (ops/example.h), or NULL */
    const struct field *reply;              /* members of the reply object; NULL: no body (204) */
    const char *reply_type;                 /* content type when it is not JSON ("application/x-ndjson") */
    const struct reply_document *documents; /* in which formats the reply is a document; with any other it is
                                         `reply`. Ends with one without a format; or NULL */
    struct field params[LIMIT_PARAMS];
};

/* Every row, in the order of the reference. Ends with a NULL. */
const struct op *const *op_all(void);
const struct op *op_find(const char *name); /* or NULL */

/* Where a parameter travels. */
enum param_place { IN_PATH, IN_QUERY, IN_BODY };

#define NO_PARAM SIZE_MAX

/*
 * What follows from a row alone, worked out once, when the table is first asked for. Places of parameters are
 * those in .params and in call->args, or NO_PARAM.
 */
struct op_facts {
    const struct op *op;
    size_t at;        /* in op_all(); at the NULL behind the last: in no table */
    const char *path; /* "/api/..." */
    bool has_body;    /* its method takes one */
    bool repeats;     /* its method may be sent again under an idempotency key */
    enum param_place places[LIMIT_PARAMS];
    size_t path_params[PATH_PARAMS + 1]; /* those in the path, in the order of the row; ends with NO_PARAM */
    size_t id;                           /* `id` in the path */
    size_t page_limit;                   /* `limit` of a row that reads by pages */
    unsigned char named[PARAM_SLOTS];    /* for op_param */
};
/* Of a row that is in no table, as tests have, until this thread asks for another of those. */
const struct op_facts *op_facts(const struct op *op);
/* The place of the parameter with this name, as the row spells it. */
size_t op_param(const struct op_facts *facts, const char *name);
enum param_place op_param_place(const struct op *op, const struct field *param);
/* The method ("GET") and the path ("/api/...") of a row's http text. */
const char *op_method(const struct op *op, struct arena *arena);
const char *op_path(const struct op *op);

/*
 * Whether the table makes sense: names unique, paths unique, every path parameter declared and required,
 * a role, a reach and a reply on every row. The server does not start and the tests do not pass without it.
 */
CHECKED bool op_check_table(const struct op *const *ops, struct err *err);

/* The document that the reply to this call is; NULL: it is JSON, or what reply_type says. */
const struct reply_document *op_document(const struct call *call);

/* For handlers. A name that is not in the row's params is a bug and aborts. */
const struct arg *arg(const struct call *call, const char *name);
bool arg_given(const struct call *call, const char *name);
bool arg_null(const struct call *call, const char *name);        /* sent as null */
const char *arg_text(const struct call *call, const char *name); /* NULL when not given */
/* Of a T_ENUM whose words these are, or are among these; 0 when not given. */
unsigned arg_word(const struct call *call, const char *name, const char *const words[]);
int64_t arg_int(const struct call *call, const char *name);
bool arg_bool(const struct call *call, const char *name);
const json_t *arg_json(const struct call *call, const char *name);

/*
 * The parameters of every list: limit and cursor. The dispatcher also ends a page that gets large
 * (LIMIT_PAGE_BYTES), by asking the handler for fewer, in memory of its own; so a handler reads no more rows
 * than `limit` asks for, and one to see whether others follow.
 */
#define PAGE_PARAMS PAGE_PARAMS_UP_TO(LIMIT_PAGE)
#define PAGE_PARAMS_UP_TO(most) \
    { "limit",  T_INT,         OPTIONAL,        "How many at most; a page of large entries ends earlier.", \
      .min = 1, .max = (most), .fallback = "50" }, \
    { \
        "cursor", T_CURSOR, OPTIONAL, "Where the page before ended (its nextCursor)." \
    }
/* The last member of every list's reply. */
#define PAGE_REPLY \
    { \
        "nextCursor", T_TEXT, REQUIRED, "Give this as cursor for the next page; null on the last.", \
            .flags = F_NULL \
    }

#endif
