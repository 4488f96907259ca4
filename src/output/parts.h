/*
 * parts.h - what the parts of the reader of agents' output share.
 *
 * scan.c finds complete objects without building anything; value.c builds values from a place
 * in the text and repairs what it can, with decode.c for the text of strings; repair.c looks
 * for the object around a key where no complete one was found. questions.c and fields.c turn
 * values into what callers get, object.c feeds them from an object that was handed in, and
 * prose.c looks for a question where there is no object. output.c decides between them.
 *
 * Internal to this folder.
 */
#ifndef OUTPUT_PARTS_H
#define OUTPUT_PARTS_H

#include "base/limits.h"
#include "output/output.h"
#include "output/value.h"

#define OUTPUT_MAX_BYTES ((size_t)1024 * MB)

/* Sentences about what was passed over; past LIMIT_PROBLEMS only their number is kept. */
struct problems {
    struct arena *arena;
    const char *items[LIMIT_PROBLEMS + 1];
    size_t count, more;
};

void problems_add(struct problems *problems, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void problems_hand_over(struct problems *problems, struct output *out);
size_t output_line(const char *text, size_t at); /* 1-based line of an offset */

/* The keys that make an object a result. */
enum known_key {
    KEY_OTHER,
    KEY_QUESTIONS,       /* open_questions */
    KEY_QUESTIONS_CAMEL, /* openQuestions */
    KEY_STATUS,
    KEY_SUMMARY,
    KEY_TASKS,
    KEY_PRD,
    KEY_PLAN,
    KEY_COUNT,
};

enum known_key known_key(const char *name, size_t len);
const char *known_key_name(enum known_key key);

static inline bool is_questions_key(enum known_key key)
{
    return key == KEY_QUESTIONS || key == KEY_QUESTIONS_CAMEL;
}

/* Where the parts of an object stand that the scan found complete. */
struct scan_object {
    size_t start, end;
    size_t holder;  /* start of the object that holds the field, or the keys of a result */
    size_t holders; /* objects in it that hold the field themselves */
    bool field;     /* open_questions or openQuestions is in it */
    unsigned rank;  /* how much it looks like a result: 0 not at all, 1 a little, 2 surely */
    bool outermost; /* no object around it was tried */
};

struct scan_mark {
    size_t at; /* where the key starts, with its quote and backslash */
    bool escaped, read;
};

#define SCAN_MARKS    32
#define SCAN_QUEUE    16
#define OUTPUT_LEVELS 3 /* strings in strings in strings are read */

struct scan {
    struct arena *arena;
    const char *text;
    size_t len;
    /* Found by scan_open. */
    struct scan_mark fields[SCAN_MARKS]; /* the first places that name the field */
    size_t field_count;
    struct scan_mark result; /* the last place that names another key of a result */
    bool has_result, has_known, has_escaped;
    size_t last_known; /* no object that starts after this is of interest */
    size_t steps;      /* bytes that were looked at so far */
    /* Of scan_next. */
    size_t at;
    unsigned char *tried; /* a bit for each brace that an attempt has been at */
    struct skim_frame *frames;
    struct scan_object queue[SCAN_QUEUE + 1];
    size_t queued, taken;
};

/* Room for one attempt, which scans of one thread may share: attempts do not overlap. */
struct skim_frame *scan_frames(struct arena *arena);
void scan_open(struct scan *scan, struct arena *arena, struct skim_frame *frames, const char *text,
               size_t len);
/* The next complete object, in order; anchors inside it are marked as read. */
bool scan_next(struct scan *scan, struct scan_object *object);

/* An object that may be the result. Its text lives in the input or in the arena. */
struct pick {
    const char *text;
    size_t len;
    struct scan_object object;
    unsigned level;
};

/* Everything one reading of an output knows. */
struct search {
    struct arena *arena;
    struct problems *problems;
    struct output *out;
    struct pick field, result; /* found when text is not NULL */
    struct pick example;       /* the first that only shows what questions look like */
    struct value *repaired;    /* a map that had to be repaired, when there is one */
    bool repaired_full;        /* and it has more values than are kept */
    size_t later, later_line;  /* further objects with the field */
    size_t budget;             /* steps that repairs may still take */
    size_t steps;              /* what out->steps will say */
    unsigned repairs;          /* keys whose objects were repaired, or tried to be */
    bool repairing;            /* the second pass: complete objects are known, the others are repaired */
    bool named;                /* a known key stands somewhere */
    struct skim_frame *frames; /* shared by all scans */
    bool unread;               /* something that looks like a result could not be read */
};

/* Looks for objects in a text: the output itself, or at a higher level a string of it. */
void search_text(struct search *search, const char *text, size_t len, unsigned level);
/* The second pass over a text in which no complete object holds the field. */
void search_repair(struct search *search, const struct scan *scan, unsigned level);

/*
 * The one normaliser of questions. Reads the members open_questions (or else openQuestions) of the map, and
 * fills in the questions of the output.
 */
void output_questions_read(struct arena *arena, const struct value *map, struct output *out,
                           struct problems *problems);
/*
 * Whether the field is only shown, by a JSON Schema or by a list of nothing but "..." or "<question>": agents
 * repeat their instructions before they follow them. The value may be NULL.
 */
bool output_is_example(const struct value *field);
bool output_is_schema(const struct value *field);
/* Whether reading the map would give a question, or an empty list that is whole. */
bool output_questions_there(struct arena *arena, const struct value *map);

/* The result has more values than are read, so it cannot be applied. */
void output_too_many_values(struct arena *arena, struct output *out);
/* Status, summary, tasks, prd and plan; `outer` gives what the holder lacks, and may be NULL. */
void output_fields_read(struct arena *arena, const struct value *holder, const struct value *outer,
                        bool coder, struct output *out, struct problems *problems);

/* The paragraph in which the text ends in asking a person, or NULL. */
const char *output_prose_question(struct arena *arena, const char *text, size_t len);

#endif
