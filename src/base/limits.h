/*
 * limits.h - every fixed limit on what somebody can do, send or be shown, in one place.
 *
 * What an operator may change is a setting instead, with its default and its range in base/settings.h. The
 * sizes and pauses that only a mechanism itself notices stand in its own file.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#define KB (1024)
#define MB (1024 * 1024)

/* Input. */
#define LIMIT_BODY            (1 * MB) /* a request's body, unless its operation says otherwise */
#define LIMIT_RESULT_BODY     (10 * MB)
#define LIMIT_RESULT_OUTPUT   (LIMIT_RESULT_BODY - 64 * KB) /* leaves room for what goes with it */
#define LIMIT_MESSAGE         (64 * KB)                     /* a chat message, an answer, a prompt */
#define LIMIT_MESSAGE_CEILING (1 * MB) /* what the setting limits.message may be raised to */
#define LIMIT_NAME            64       /* an agent's, user's or workspace's name, in characters */
#define LIMIT_TITLE           500
#define LIMIT_REF             200 /* free-text references such as task_id */
#define LIMIT_URL             (8 * KB)
#define LIMIT_CURSOR          512
#define LIMIT_LIST            1000 /* entries of a list that does not say otherwise */
#define LIMIT_JSON_DEPTH      32
#define LIMIT_JSON_VALUES     200000    /* in one text, keys not counted */
#define LIMIT_PARSE_HERE      (16 * KB) /* a larger body is parsed on a worker, once its sender is known */
#define LIMIT_PARAMS          24        /* fields of one operation or object */
#define LIMIT_IDEMPOTENCY_KEY 255
#define LIMIT_PASSWORD        256
#define LIMIT_TYPES_FILTER    32 /* event types named in one stream's filter */
#define CONFIG_DEPTH          8  /* of config.yaml */

/* Schemas and patterns of others. */
#define LIMIT_SHAPE_DEPTH    64      /* schemas within schemas, references followed among them */
#define LIMIT_SHAPE_WORK     2000000 /* steps of holding a value against a schema */
#define LIMIT_SHAPE_WORDS    160     /* characters of a value or a name that are told */
#define LIMIT_SHAPE_PATH     240     /* bytes of the path of a problem */
#define LIMIT_PATTERN_STEPS  4000    /* of a regular expression, its repetitions written out */
#define LIMIT_PATTERN_REPEAT 1000    /* times that it may count */
#define LIMIT_PATTERN_DEPTH  32      /* groups within groups */

/* Output. */
#define LIMIT_REPLY           (32 * MB)
#define LIMIT_PAGE            200
#define LIMIT_LOG_PAGE        2000     /* lines of a job's log: short ones, of which there are many */
#define LIMIT_PAGE_BYTES      (1 * MB) /* a page of a list ends here, with a nextCursor, if it has an entry */
#define LIMIT_PAGE_READ       (4 * MB) /* what is read for a page before it is tried with fewer entries */
#define LIMIT_READ            (64 * MB) /* and for a reply that has no pages before it is refused */
#define LIMIT_COLLECTED       (2 * MB)  /* the replies of one prompt together */
#define LIMIT_RESPONSES_SHOWN 1000      /* replies of one prompt shown by its GET */
#define LIMIT_LOG_VALUE       (1 * KB)  /* the rest of a longer value is left out of the log */
#define LIMIT_LOG_LINE        (16 * KB) /* no further pairs are added to a line past this */
#define GZIP_UP_TO            (1 * MB)  /* larger ones would hold up their HTTP thread for too long */
#define GZIP_FROM             (4 * KB)
#define BUDGET_SMALL          (64 * KB) /* a body or reply up to this may use the last quarter of the budget */
#define NOTIFICATION_CHARS    280       /* of a message or a question, shown in its notification */
#define ANSWER_SUMMARY_CHARS  200       /* of an answer, where it is told in one line */
#define DECISION_TITLE_BYTES  300       /* of a description in the title of a notification */
#define SET_BODY_BYTES        400       /* of the first question of a set, shown in the inbox */
#define SET_QUESTION_BYTES    2000      /* of a question that stand above its answer in the chat */

/* Prompts. */
#define PROMPT_RESPONSES_MAX 100
#define PROMPT_MINUTES_MAX   1440
#define LIMIT_MENTIONS       50 /* agents told by one message */

/* Questions to people. */
#define QUESTION_DRAFT_MS      (2 * 60000) /* what a person who is typing has left at least */
#define QUESTION_DRAFT_MOVES   3           /* how often that may move a deadline */
#define QUESTION_APPROVALS_MAX 20
#define QUESTION_WAKE_MS       (5 * 60000) /* before its deadline a question is not snoozed any more */
#define SNOOZE_MINUTES_MAX     (30 * 24 * 60)
#define LIMIT_SNOOZES          500  /* of one person at once */
#define LIMIT_CANDIDATES       2000 /* people who are looked at when a question is to be assigned */
#define LIMIT_CANDIDATES_SHOWN 200
#define LIMIT_OPTIONS          50
#define LIMIT_OPTION           500
#define LIMIT_OPTION_HELP      (4 * KB)
#define LIMIT_CONTEXT          (64 * KB) /* context, metadata, an action's args */
#define LIMIT_LATE_ANSWERS     100       /* kept on one question */
#define LIMIT_ANSWERS          200       /* in one batch */
#define LIMIT_PRECEDENTS       20
#define LIMIT_TEMPLATE         (64 * KB)
#define LINK_LOOK_MS           (7LL * 24 * 3600 * 1000) /* when a link is looked at: has its question ended? */
#define LIMIT_VISITS           20                       /* browsers in which one link is open */
#define SETUP_CODE_MS          (24LL * 3600 * 1000)     /* how long the first owner has, after a start */
#define VISIT_MS               (24LL * 3600 * 1000)     /* how long a browser keeps its cookie */
#define QUESTION_RATE_MS       60000                    /* the time in which limits.questions counts */

/* Discussions. */
#define DISCUSSION_ROUNDS        3         /* unless the discussion or config.yaml says otherwise */
#define TURN_ITERATIONS          20        /* places in the order that one message may set going */
#define HISTORY_ENTRIES          10        /* what a speaker of mode turns is shown */
#define LIMIT_DISCUSSION_CONTEXT (32 * KB) /* what speakers are told beside the topic */
#define LIMIT_TOPIC_SHOWN        100
#define LIMIT_PARTICIPANTS       64
#define LIMIT_ROUNDS             100
#define LIMIT_ENTRIES            20000     /* rows of one discussion's log that are read */
#define LIMIT_SPEAKERS           200       /* of one discussion whose figures are shown */
#define LIMIT_INTERJECTIONS      20        /* that wait for the end of one turn */
#define LIMIT_ENTRY_PAGE         1000      /* entries of one reply */
#define ENTRY_PAGE               "1000"    /* the same, as the fallback of a parameter */
#define LIMIT_ENTRY_BATCH        50        /* that are read at once for it */
#define LIMIT_WORDING            (32 * KB) /* a text that models are told */
#define LIMIT_DISCUSSION_DEPTH   3         /* of discussions that were split off from others */
#define TURN_ATTEMPTS            3         /* calls for one turn before it is passed */
#define LIMIT_FAILED_TEXT        (4 * KB)  /* of what a call that failed had brought, kept with the turn */
#define LIMIT_CHOICES            50
#define LIMIT_BUDGET             1000000000 /* calls, tokens or seconds */
#define LIMIT_STOPS              16
#define LIMIT_STOP               64 /* bytes of one stop sequence */

/* Runs. */
#define LIMIT_RUN_MISTAKES 5          /* replies in a row in which everything is wrong */
#define LIMIT_RUN_CALLS    64         /* of tools in one reply; more are told back as wrong */
#define LIMIT_RUN_OUTPUT   (256 * KB) /* of a tool's output that the model is told */
#define LIMIT_RUN_REPLY    (1 * MB)   /* of a model's words, and of the arguments of a call */
#define RUN_ENTRIES_READ   1000       /* of one run's log with one query */
#define LIMIT_RUN_TOOLS    256        /* of the operator's that one run is offered */
#define LIMIT_RUN_STEPS    100000     /* what a run may be given at most, as the settings */
#define LIMIT_RUN_TOKENS   1000000000
#define LIMIT_RUN_SECONDS  2592000
#define LIMIT_RUN_MONEY    1000000000
#define RUN_RETRIES_MOST   5       /* attempts of one call that may be repeated, before people are asked */
#define MONEY_MILLIONTHS   1000000 /* in one unit of the money that prices are in */

/* Search. */
#define LIMIT_SEARCH        (1 * KB) /* what somebody looks for */
#define LIMIT_SEARCH_WORDS  64       /* of one thing that it is found by */
#define LIMIT_SEARCH_WORD   48       /* bytes of a word; longer ones are found by their beginning */
#define LIMIT_SEARCH_TEXT   (8 * KB) /* of a text that words are taken from */
#define LIMIT_SEARCH_ASKED  4        /* words that somebody looks for at once; more are left out */
#define SEARCH_PREFIX_CHARS 2        /* from here on a word may be the beginning of one */
#define SEARCH_ENTRIES      20000    /* of the index, looked at for one search */
#define SEARCH_THINGS       1000     /* newest things that fit, put in order for one search */
#define SEARCH_BATCH        64       /* things whose words are taken in at once, when nobody waits for them */
#define SEARCH_BATCH_ASKED  256      /* the same on behalf of somebody who looks for something */
#define SEARCH_BEHIND       100000   /* things whose words may wait until writers leave the store some time */

/* Memory. */
#define MEMORY_RESERVE (4 * MB) /* for moments of need in which no call can be ended */
#define ADDRESS_SPACE_LEAST \
    (256 * MB)                      /* that a server starts with, beside what calls take (limits.memory) \
                                     */
#define THREAD_STACK_SMALL (1 * MB) /* of a thread's, where the address space is limited */

/* Store. */
#define WRITE_QUEUE          4096 /* operations waiting for the writer before 503 */
#define READ_QUEUE           4096
#define WRITE_BATCH          256
#define WRITE_BATCH_MS       20
#define STORE_WAIT_MOST      8    /* units that one caller waits for at once */
#define STORE_WAIT_MS        5000 /* how long a unit waits for its turn, unless store.wait says otherwise */
#define STORE_WAL_BYTES      (256 * MB)
#define STORE_PAGE           (8 * KB)
#define WAL_CHECKPOINT_PAGES 2000 /* 16 MB */
#define WAL_ROOM_MS          250  /* how long reads are held back at once so that the WAL can start over */
#define HEAVY_READERS        1    /* threads for heavy reads beside the other readers of SQLite */
#define HEAVY_WORKERS_PART   8    /* on PostgreSQL: one more connection for each so many workers */
#define READ_LIMIT_MS        5000
#define LIMIT_ROWS_BYTES     (1 * MB) /* of rows that one statement is given as a list; more take another */
#define SQLITE_BUSY_MS       2000     /* how long another program may hold the write lock */
#define SQLITE_START_MS      30000    /* the same at a start and for commands, behind whom nobody waits */
#define COMPUTE_QUEUE        1024
#define COMPUTE_THREADS      2
#define HASH_THREADS         2  /* for passwords; each hash takes 64 MB while it is made */
#define HASH_QUEUE           64 /* passwords waiting to be hashed before 503 */
#define POOL_RETRIES         5  /* runs of a unit after serialisation failures and deadlocks */
#define RECONNECT_MIN_MS     100
#define RECONNECT_MAX_MS     2000
#define CLOCK_JUMP_MS        2000 /* of the database's time; from here on it is told */
#define DEADLINE_BATCH       256
#define SEAL_BATCH           2000
#define SEAL_INTERVAL_MS     5
#define NUMBERING_LEASE_MS \
    1500 /* how long a session may hold up the numbering while it waits for its client */
#define TRANSACTION_IDLE_MS \
    3000                /* between two statements; a node that was stopped gives its locks back then */
#define READERS_MAX 64  /* threads that read SQLite */
#define WORKERS_MAX 256 /* connections to PostgreSQL */

/* Streams and waits. */
#define WAIT_SECONDS_MAX 55
#define HEARTBEAT_MS     15000
#define RING_EVENTS      16384 /* events kept in memory for streams that are up to date */
#define RING_BYTES       (32 * MB)
#define SAID_WORDS       4096 /* what was said and is in no log, kept for readers that are about to be woken */
#define SAID_BYTES       (4 * MB)

/* Discussions. */
#define COUNCIL_HELD      8192 /* turns in line in memory; above it discussions wait as rows */
#define COUNCIL_CLAIM     64   /* discussions taken at once */
#define COUNCIL_ELSEWHERE 256  /* turns that are spoken on other nodes and heard here */
#define HOLDER_LOOK_MS \
    1000 /* how late a row that another program made, or a node that died, may be noticed */
#define COUNCIL_SAVE_MS  1000 /* how often the text of a turn that is being spoken is saved */
#define HOLDER_TRIES_BAD 3    /* of a write that is refused for what is stored */
#define HOLDER_TRIES     8    /* of one that fails for no reason that is known: half a minute */
#define COUNCIL_SAVE_FIRST_MS \
    200 /* and when for the first time: a turn that is quicker is stored as a whole */

/* Runs of agents. */
#define RUNNER_HELD       512 /* runs in hand on one node; above it they wait as rows */
#define RUNNER_CLAIM      64  /* taken at once */
#define RUNNER_CALLS      64  /* of tools, out at once on one node */
#define RUN_CALLS_AT_ONCE 8   /* of one run */

/* Streams. */
#define STREAM_PAGE       256 /* events read from the store at once while catching up */
#define LIMIT_CONNECTIONS 65536
#define WS_MESSAGE_MAX    (64 * KB)
#define WS_BACKLOG_BYTES  (1 * MB) /* unsent bytes after which a slow WebSocket is cut off */
#define STREAM_PAGE_BYTES (1 * MB) /* of events read from the store at once: large ones make short pages */

/* HTTP. */
#define HTTP_HEAD_BYTES (16 * KB) /* request line and header fields together */
#define HTTP_FIELDS     100
#define CHUNK_DIGITS    8        /* of a chunk's size */
#define CHUNK_OVERHEAD  (8 * KB) /* of extensions and trailer fields in one body */
#define HTTP_IDLE_S     75
#define HTTP_SEND_S     30        /* a reader that takes nothing for so long is cut off */
#define HTTP_LINGER_MS  2000      /* what still comes after a refusal is taken for so long */
#define HTTP_BODY_S     30        /* a body that takes longer to arrive is cut off */
#define HTTP_BODY_ASK   (64 * KB) /* a larger one is read only once somebody has said that it may come */

/* Going out. */
#define NET_IDLE_CONNECTIONS 64       /* kept open for the next call */
#define NET_BUFFER           (4 * KB) /* of each call, for what is read */
#define LIMIT_SSE_ID         1024     /* bytes of an event's id; a longer one counts as none */

/* Tools of config.yaml. */
#define LIMIT_TOOLS            128 /* commands */
#define LIMIT_TOOL_SERVERS     32  /* MCP servers */
#define LIMIT_TOOL_DESCRIPTION (8 * KB)
#define LIMIT_TOOL_SCHEMA      (64 * KB)
#define LIMIT_TOOL_WORDS       256       /* entries of one list: argv, environment, projects... */
#define LIMIT_TOOL_WORD        (16 * KB) /* bytes of one of them */
#define LIMIT_TOOL_ERRORS      (8 * KB)  /* of what a command says on its standard error, told */
#define TOOL_FILES             1024      /* that a program of a tool may have open */
#define TOOL_PROCESSES         256       /* and so many processes at once */

/* MCP servers whose tools are used. */
#define LIMIT_MCP_MESSAGE     (4 * MB)   /* of one message of a server's */
#define LIMIT_MCP_TEXT        (256 * KB) /* of one result, unless its server's entry says otherwise */
#define LIMIT_MCP_TOOLS       256        /* of one server; further ones are left out */
#define LIMIT_MCP_PAGES       64         /* of its list of them */
#define LIMIT_MCP_DESCRIPTION (8 * KB)   /* the rest of a longer one is left out */
#define LIMIT_MCP_SCHEMA      (64 * KB)  /* a tool with a longer one is left out */
#define LIMIT_MCP_CALLS       64         /* of one server at once, with those that wait for it to start */
#define LIMIT_MCP_ROUNDS      16         /* how often one call may ask for something before it is done */
#define LIMIT_MCP_ASKED       8         /* things that one call asks for at once; further ones are declined */
#define LIMIT_MCP_ASKED_TEXT  (64 * KB) /* of such a question, with its schema */
#define LIMIT_MCP_STATE       (64 * KB) /* that a server hands out for the next round of a call */
#define LIMIT_MCP_FLOOD       (64 * MB) /* bytes of a server's within MCP_FLOOD_MS; more end it */
#define MCP_FLOOD_MS          10000
#define MCP_PROBE_MS          5000   /* after which a server that says nothing is taken for an older one */
#define MCP_START_MS          60000  /* until a server must have listed its tools */
#define MCP_STEADY_MS         600000 /* after so long without a fault its restarts are counted anew */
#define MCP_RELIST_MS         300000 /* how often a server that cannot tell of changes is asked for its tools */

/* Models. */
#define LIMIT_API_KEY           (4 * KB)
#define LIMIT_MODEL_LINE        (1 * MB)   /* of a stream; an event is no longer either */
#define LIMIT_MODEL_TOKENS      1000000000 /* that one call may say it took */
#define LIMIT_MODEL_TEXT        (1 * MB)   /* of one reply, and of its tool calls */
#define LIMIT_MODEL_WIRE        (32 * MB) /* bytes of one reply, with all that its events carry besides text */
#define LIMIT_MODEL_ERROR       (16 * KB) /* what is read of an error */
#define LIMIT_MODEL_TOOL_CALLS  256       /* of one reply; a run makes LIMIT_RUN_CALLS of them */
#define LIMIT_MODEL_TOOLS       272       /* offered with one request: LIMIT_RUN_TOOLS, and a run's own */
#define LIMIT_MODEL_REQUEST     (8 * MB)
#define LIMIT_MODEL_WAITING     16384 /* calls that wait for their turn before new ones are refused */
#define LIMIT_MODELS            100   /* in config.yaml */
#define LIMIT_SCRIPT            (1 * MB)
#define MODELS_IN_FLIGHT        256 /* calls at once, of all models */
#define MODELS_IN_FLIGHT_OF_ONE 8   /* of one discussion */
#define MODEL_TOKENS_USUAL      4096
#define RETRY_FIRST_MS          500
#define RETRY_MOST_MS           30000
#define RETRY_AFTER_MOST_MS     60000 /* a server that asks for a longer pause is not waited for */

/* Programs of the operator's. */
#define LIMIT_PROGRAMS        256      /* that run at once */
#define LIMIT_PROGRAM_WAITING (8 * MB) /* of input that one has not taken yet */
#define PROGRAM_GRACE_MS      2000     /* between asking one to end and making it */

/* Identity. */
#define LIMIT_PREFERENCES (16 * KB)
#define LIMIT_SETTINGS    (64 * KB) /* of a workspace */
#define LIMIT_SLUG        40
#define PASSWORD_MIN      10
#define LOGIN_SHARES      8                          /* parts of an account's tries, see edge/logins.h */
#define LOGIN_BURST       5                          /* tries at once of each part */
#define LIMIT_PLACES      32                         /* places remembered for one user */
#define PLACE_MS          (180LL * 24 * 3600 * 1000) /* how long one is remembered after its last login */
#define LIMIT_TABS        16                         /* of one person that are known to be open */
#define LIMIT_PRESENCE    2000                       /* and of all people of a workspace */
#define PRESENCE_MS       90000 /* how long a tab counts as open that says nothing more */
#define PRESENCE_ROWS     1000  /* tabs that are looked at in one go to tell who came and went */
#define PRESENCE_TOLD     20    /* people in one event */
#define PRESENCE_LOOK_MS  1000  /* how often it is looked */
#define AUDIT_VERIFY_PAGE 1000
#define LIMIT_EXPORT      10000 /* audit rows in one page of an export */
#define EXPORT_ROWS       500   /* and in one piece of it */
#define LIMIT_ANCHOR      (64 * MB)
#define PURGE_BATCH       500 /* rows that one transaction lets go of */
#define PURGE_ROWS_EACH   20  /* that a discussion is taken for in such a batch */
#define PURGE_AUDIT_BATCH \
    5000 /* of the audit log, each of whose batches adds a row to every chain it touches */
#define ERASE_BATCH          500       /* rows that are looked at, and changed, in one transaction */
#define ERASE_AUDIT_BATCH    2000      /* the same of the audit log */
#define ERASE_TRIES          8         /* of a page that others change at the same moment */
#define PURGE_JOBS           20        /* whose log lines are looked at in one batch */
#define REFUSAL_PLACES       256       /* kinds of refusals gathered at once */
#define REFUSAL_ROWS         64        /* audit rows written for them in one go */
#define REFUSAL_ROWS_HOUR    1000      /* and in an hour: less than 10 MB a day */
#define REFUSAL_PAUSE_MS     60000     /* between the first row of a kind and the second */
#define REFUSAL_REST_MS      600000    /* between two rows for those who have no place */
#define PASSWORD_DISTINCT    5         /* different characters of a password */
#define PASSWORD_BEYOND_NAME 8         /* characters of it beside the user's name */
#define LIMIT_AUDIT_TEXT     512       /* of a parameter in the audit row; what was changed has it whole */
#define LIMIT_AUDIT_JSON     (64 * KB) /* a larger value that is no text is only named there */

/* Tokens. */
#define TOKEN_OVERLAP_USUAL 1440 /* minutes for which a replaced secret stays good */
#define TOKEN_OVERLAP_MAX   (30 * 1440)
#define LIMIT_OLD_SECRETS   5                    /* of one token that are still good */
#define TOKEN_BRIEF_MS      (24LL * 3600 * 1000) /* of a token that lives no longer the end is not told */
#define TOKEN_TOUCH_MS      60000 /* how old a token's last use may get before it is written again */

/* Analytics and alerts. */
#define ANALYTICS_EXACT      1000  /* questions or jobs of a range that a report still counts one by one */
#define ANALYTICS_AGENT      10000 /* of one agent, of whom there are no figures: all that is counted */
#define ANALYTICS_NAMES      200   /* agents that a report names */
#define TALLIES_DAY          200   /* the most frequent questions of a day that are added up */
#define TALLIES_READ         10000 /* of all days of a range together */
#define FOLD_BATCH           2000  /* changes that are added to the figures at once */
#define FOLD_INTERVAL_MS     1000
#define ANALYTICS_DAYS       7     /* the range when none is given */
#define ANALYTICS_TOP        10    /* questions named as common, or as often unanswered */
#define WATCH_ROWS           10000 /* questions that the metrics of the last 24 hours count */
#define WATCH_INTERVAL_MS    5000
#define ALERT_INTERVAL_MS    15000
#define ALERT_RATE_MS        (24 * 3600000LL)
#define ALERT_RATE_ROWS      10000
#define ALERT_RATE_MIN       10 /* questions below which a rate says nothing */
#define ALERT_RATE_PERCENT   20
#define ALERT_OPEN_MS        3600000LL /* how long a job may be held up */
#define ALERT_ERRORS_MS      (15 * 60000LL)
#define ALERT_ERRORS_REFUSED 5 /* mistakes of callers within that time */
#define ALERT_KEEP_MINUTES   1440

/* Results of agents. */
#define LIMIT_QUESTIONS      100 /* open questions of one result */
#define LIMIT_OPEN_QUESTIONS 500 /* questions about one source that wait for people at once */
#define LIMIT_RESULT_TASKS   500 /* tasks of one result */
#define LIMIT_DEPENDS        100 /* dependencies of one such task */
/* values of one result beside its questions: all tasks with all dependencies, and some members of their own
 */
#define LIMIT_RESULT_VALUES  (LIMIT_RESULT_TASKS * (LIMIT_DEPENDS + 28))
#define LIMIT_ASKED_VALUES   (16 * KB) /* and of its questions */
#define LIMIT_PROBLEMS       50        /* sentences about what was passed over; the rest is counted */
#define OUTPUT_BRACE_TRIES   16  /* opening braces before a key that are tried as the start of its object */
#define OUTPUT_REPAIR_KEYS   8   /* keys for which an object is looked for */
#define OUTPUT_REPAIR_TIMES  8   /* repairs read at most so many times the length of the text */
#define OUTPUT_STREAM_LINES  20  /* of the end of a stream that are looked through for words */
#define OUTPUT_KEY_BYTES     256 /* a longer key is not looked through to its colon */
#define OUTPUT_DEPTH         1024 /* an object nested deeper is left to the repairs, which pass over its depths */
#define OUTPUT_TAIL_LINES    400  /* of the end of prose that are looked at */
#define OUTPUT_ASK_BYTES     4000 /* of a paragraph's end that are searched for the question */
#define OUTPUT_CLOSING_BYTES 300  /* a longer paragraph is more than a closing line */
#define OUTPUT_CLOSINGS      2    /* closing lines behind a question */
#define OUTPUT_SENTENCES     16   /* of a paragraph's end that may be questions or closing words */

/* Projects and tasks. */
#define TASK_PRIORITY_MAX     1000
#define TASK_PRIORITY_DEFAULT "2"
#define DEPENDENCY_WALK       5000       /* tasks looked at before a dependency is refused as unprovable */
#define LIMIT_ANSWERERS       100        /* who may answer for a project */
#define LIMIT_CONTEXT_CHAT    200        /* messages of a task in its agent's next prompt */
#define LIMIT_CONTEXT_SETS    200        /* sets of answered questions there */
#define LIMIT_DOCUMENT        (512 * KB) /* a section of the PRD, a plan */
#define LIMIT_DOCUMENTS       1000       /* sections, and plans, of one project */
#define LIMIT_HISTORY         50         /* versions of a document shown with it */
#define LIMIT_CLEAR           1000       /* notifications dismissed by one call */
#define LIMIT_PARALLEL        16         /* tasks that one project's orchestrator has out at a time */
#define ORCHESTRATED_AT_ONCE  100        /* projects in which one look takes tasks */
#define LIMIT_CODER_REASON    500        /* characters of why a coder failed, in the question about it */
#define CODER_ERRORS          (16 * KB) /* kept of what a coder's command prints, and of what it says of errors */
#define CODER_LAST_WORDS      300       /* bytes of it that people are shown */
#define ORCHESTRATOR_HELD     64        /* tasks that one node has in hand: folders, commands */

/* The command line. */
#define CLIENT_CONNECT_S    5L          /* until the command line gives up reaching the server */
#define CLIENT_REQUEST_S    30L         /* until it gives up waiting for an answer that is due at once */
#define CLIENT_PATIENCE_MS  (5 * 60000) /* how long a wait outlasts a server that is gone */
#define LIMIT_UNIT          (1 * MB)    /* bytes of a systemd unit, or of a file of variables that it names */
#define LIMIT_TOKEN_FILE    512         /* bytes of a token's file that are read */
#define LIMIT_NUMBERS       99999       /* questions numbered in one terminal; later ones go by their ids */
#define INBOX_SHOWN         200         /* entries of a list, unless --limit says otherwise */
#define INBOX_SHOWN_MAX     2000
#define QUESTION_NAME_BYTES 200 /* of a question, where it is only named */
#define ANSWERS_SENT        100 /* answers that `witan answer` sends in one request */

#endif
