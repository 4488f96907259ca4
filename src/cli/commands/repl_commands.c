/*
 * `witan chat`: questions one after the other. With specialists on each is a discussion, with specialists off
 * a moderator answers alone. Every question is a task of the session, in the project Chat unless one is
 * named, and gets the discussion's result: so what was said can be found again by the session's id.
 */
#include "base/str.h"
#include "base/uuid.h"
#include "cli/client/chat_memory.h"
#include "cli/client/chat_project.h"
#include "cli/client/council_call.h"
#include "cli/client/discussion_follow.h"
#include "cli/client/interrupt.h"
#include "cli/client/patience.h"
#include "cli/client/rehearsal.h"
#include "cli/commands/tables.h"
#include "cli/line_editor.h"
#include "cli/state_folder.h"
#include "cli/term.h"
#include "core/council/cast.h"

#include <stdio.h>
#include <string.h>

#define TITLE_CHARS 80
#define WORDS_MAX   64

struct repl_session {
    struct cli *cli;
    struct line_editor *editor;
    const char *id, *project_id;
    bool project_made; /* for the question that is about to be asked */
    const char *last;  /* the discussion before this moment, or NULL */
    struct chat_memory memory;
    bool specialists, over;
    bool told_no_model; /* how to get one is said once */
    int64_t rounds;     /* 0: as configured */
    int code;           /* of the first thing that failed */
};

static void note_failure(struct repl_session *session, int code)
{
    if (session->code == CLI_OK)
        session->code = code;
}

static void fail(struct repl_session *session, const struct err *err)
{
    note_failure(session, cli_fail(session->cli, err));
}

/* A question that nobody has a model for. What to do about it is said with the first, for all of them. */
static void say_no_model(struct repl_session *session)
{
    if (!session->told_no_model)
        cli_note(session->cli, "`witan chat --rehearse` shows how it goes without a model.");
    session->told_no_model = true;
}

static void refuse(struct repl_session *session, struct err *err)
{
    if (!council_lacks_model(err)) {
        note_failure(session, council_refused(session->cli, err));
        return;
    }
    err->hint[0] = '\0';
    if (!session->told_no_model)
        err_hint(err,
                 "Start Ollama, or name a model in config.yaml; `witan model list` shows what there is.");
    cli_fail(session->cli, err);
    say_no_model(session);
    note_failure(session, CLI_ERROR);
}

/* Where questions go */

/* The id of what a reply holds, for longer than the reply; NULL: it holds none. */
static const char *id_of(struct cli *cli, const json_t *object)
{
    const char *id = json_string_value(json_object_get(object, "id"));

    return id ? arena_text(cli->arena, id) : NULL;
}

static bool find_project(struct repl_session *session, struct err *err)
{
    session->project_id = cli_get(session->cli, "project");
    return session->project_id ||
           chat_project(session->cli, &session->project_id, &session->project_made, err);
}

static bool make_task(struct repl_session *session, const char *question, const char **task_id,
                      struct err *err)
{
    struct arena *arena = session->cli->arena;
    JSON_AUTO *params = json_pack("{s:s, s:s, s:s, s:s}", "id", session->project_id, "title",
                                  str_beginning(arena, str_plain_line(arena, question), TITLE_CHARS),
                                  "description", question, "session_id", session->id);
    JSON_AUTO *made = NULL;
    struct client_reply reply;

    if (!invoke_json(session->cli, op_find("task_create"), params, 0, &reply, &made, err))
        return false;
    *task_id = id_of(session->cli, made);
    return *task_id || err_set(err, ERR_INTERNAL, "The reply of %s holds no task; is it witan?",
                               session->cli->target.url);
}

static void close_task(struct repl_session *session, const char *task_id)
{
    JSON_AUTO *params =
        json_pack("{s:s, s:s, s:s}", "id", session->project_id, "tid", task_id, "status", "closed");
    JSON_AUTO *changed = NULL;
    struct client_reply reply;
    struct err err = { 0 };

    if (!invoke_json(session->cli, op_find("task_update"), params, 0, &reply, &changed, &err))
        fail(session, &err);
}

/* Of a question that nobody can discuss nothing is left; nor of the project that was made for it. */
static void drop_task(struct repl_session *session, const char *task_id, bool made)
{
    JSON_AUTO *params = json_pack("{s:s, s:s}", "id", session->project_id, "tid", task_id);
    struct client_reply reply;
    struct err ignored = { 0 };

    (void)!invoke(session->cli, op_find("task_delete"), params, 0, &reply, &ignored);
    if (!made)
        return;
    chat_project_drop(session->cli, session->project_id);
    session->project_id = NULL;
}

/* A question */

/* What goes with it beside the topic: whether it is a rehearsal, and what was asked before. */
static void add_options(struct repl_session *session, json_t *wish)
{
    const char *past = chat_memory_text(&session->memory, session->cli->arena);
    json_t *options = json_object();

    if (cli_has(session->cli, "rehearse"))
        json_object_set_new(options, "rehearse", json_true());
    if (past)
        json_object_set_new(options, "context", json_string(past));
    json_object_set_new(wish, "options", options);
}

static bool start(struct repl_session *session, const char *question, const char **task_id, struct err *err)
{
    struct cli *cli = session->cli;
    bool made = session->project_made; /* only the question that it was made for may take it away again */
    JSON_AUTO *wish = json_pack("{s:s, s:s, s:s, s:s, s:s}", "topic", question, "mode", "rounds", "cast",
                                cast_word(session->specialists ? CAST_SPECIALISTS : CAST_MODERATOR),
                                "projectId", session->project_id, "sessionId", session->id);

    session->project_made = false;
    if (!make_task(session, question, task_id, err))
        return false;
    json_object_set_new(wish, "taskId", json_string(*task_id));
    if (!session->specialists || session->rounds > 0)
        json_object_set_new(wish, "rounds", json_integer(session->specialists ? session->rounds : 1));
    add_options(session, wish);
    if (council_start(cli, wish, &session->last, err))
        return true;
    if (err->code == ERR_INVALID)
        drop_task(session, *task_id, made);
    return false;
}

/* Ctrl-C stops what is being discussed; other signals are for the program. */
static void stop(struct repl_session *session)
{
    if (!interrupted_by_person()) {
        session->over = true;
        session->code = interrupt_exit();
        return;
    }
    council_stop(session->cli, session->last);
    interrupt_forget();
}

static void watch(struct repl_session *session, const char *question, const char *task_id)
{
    struct discussion_view view;
    JSON_AUTO *state = NULL;
    struct err err = { 0 };

    view_open(&view, session->cli, stdout);
    switch (discussion_follow(session->cli, session->last, &view, &state, &err)) {
    case FOLLOW_ENDED:
        if (council_found_no_model(state))
            say_no_model(session);
        chat_memory_add(&session->memory, session->cli->arena, question, json_object_get(state, "result"));
        note_failure(session, discussion_exit(state));
        if (discussion_exit(state) == CLI_OK)
            close_task(session, task_id);
        break;
    case FOLLOW_RESTS: break;
    case FOLLOW_INTERRUPTED: stop(session); break;
    case FOLLOW_FAILED: fail(session, &err); break;
    }
    view_close(&view);
}

static void ask(struct repl_session *session, const char *question)
{
    const char *task_id = NULL;
    struct err err = { 0 };

    if ((session->project_id || find_project(session, &err)) && start(session, question, &task_id, &err))
        watch(session, question, task_id);
    else if (interrupted_by_person())
        interrupt_forget();
    else
        refuse(session, &err);
}

/* Words that are no questions */

static void do_specialists(struct repl_session *session, const char *rest)
{
    if (strcmp(rest, "on") != 0 && strcmp(rest, "off") != 0) {
        cli_note(session->cli, "`specialists on` or `specialists off`; they are %s.",
                 session->specialists ? "on" : "off");
        return;
    }
    session->specialists = strcmp(rest, "on") == 0;
    cli_note(session->cli, session->specialists ? "Divergent, Convergent and Critical discuss your questions."
                                                : "The moderator answers alone.");
}

static void do_rounds(struct repl_session *session, const char *rest)
{
    int64_t number;

    if (!str_to_int(rest, &number) || number < 1 || number > LIMIT_ROUNDS) {
        cli_note(session->cli, "`rounds N` takes a number from 1 to %d.", LIMIT_ROUNDS);
        note_failure(session, CLI_USAGE);
        return;
    }
    session->rounds = number;
    cli_note(session->cli, "At most %lld round(s) from the next question on.", (long long)number);
}

static void do_status(struct repl_session *session, const char *rest)
{
    const struct cli *cli = session->cli;
    const char *rounds =
        session->rounds > 0 ? arena_format(cli->arena, "%lld", (long long)session->rounds) : "as configured";
    const char *text = arena_format(cli->arena,
                                    "session      %s\nserver       %s\nspecialists  %s\nrounds       "
                                    "%s\nremembers    %zu question(s)\nlast         %s\n%s",
                                    session->id, cli->target.url, session->specialists ? "on" : "off",
                                    session->specialists ? rounds : "1", session->memory.count,
                                    session->last ? session->last : "-",
                                    cli_has(cli, "rehearse") ? REHEARSAL_NOTICE "\n" : "");

    (void)rest;
    cli_print(text, strlen(text));
}

static void do_clear(struct repl_session *session, const char *rest)
{
    (void)rest;
    session->memory = (struct chat_memory){ 0 };
    cli_note(session->cli, "The next question stands for itself.");
}

static void do_transcript(struct repl_session *session, const char *rest)
{
    const char *text;
    struct err err = { 0 };

    (void)rest;
    if (session->last && cli_has(session->cli, "rehearse"))
        cli_note(session->cli, REHEARSAL_NOTICE);
    if (!session->last)
        cli_note(session->cli, "Nothing was discussed yet.");
    else if (council_transcript(session->cli, session->last, "transcript", &text, &err))
        cli_print_text(session->cli, text);
    else
        fail(session, &err);
}

/* A command of the program, as if it had been called with these words. */
static void run_command(struct repl_session *session, char *words[], int count)
{
    struct cli *outer = session->cli, *inner = arena_new(outer->arena, struct cli);
    struct err err = { 0 };

    *inner = (struct cli){ .arena = outer->arena, .commands = outer->commands };
    if (!cli_parse(inner, count, words, &err)) {
        fail(session, &err);
        return;
    }
    inner->target = outer->target;
    inner->colour = outer->colour;
    int code = inner->command->run(inner);

    if (interrupted_by_person())
        interrupt_forget();
    else
        note_failure(session, code);
}

static void do_inbox(struct repl_session *session, const char *rest)
{
    char *words[] = { "inbox" };

    (void)rest;
    run_command(session, words, 1);
}

/* "answer N words of the answer": the words are one, unless they are options. */
static void do_answer(struct repl_session *session, const char *rest)
{
    struct arena *arena = session->cli->arena;
    size_t len = strcspn(rest, " ");
    char *words[WORDS_MAX] = { "answer", arena_copy(arena, rest, len) };
    char *answer = str_trim(arena, rest + len);
    int count = 2;

    if (!*rest) {
        cli_note(session->cli, "`answer N ...`; `inbox` lists what waits under its numbers.");
        return;
    }
    for (; str_starts(answer, "--") && count < WORDS_MAX - 1; count++) {
        size_t word = strcspn(answer, " ");

        words[count] = arena_copy(arena, answer, word);
        answer = str_trim(arena, answer + word);
    }
    if (*answer)
        words[count++] = answer;
    run_command(session, words, count);
}

static void do_quit(struct repl_session *session, const char *rest)
{
    (void)rest;
    session->over = true;
}

static void do_help(struct repl_session *session, const char *rest);

static const struct repl_word {
    const char *name, *args, *help;
    void (*run)(struct repl_session *session, const char *rest);
    bool alone; /* more words behind it make it a question */
} known[] = {
    { "specialists", " on|off", "Three specialists discuss your questions, or the moderator answers alone.",
      do_specialists, false },
    { "rounds", " N", "How many rounds they have at most.", do_rounds, false },
    { "status", "", "Where you are: session, server, settings.", do_status, true },
    { "clear", "", "Forget the earlier questions; else the next one is asked with the last few in mind.",
      do_clear, true },
    { "transcript", "", "The last discussion, whole.", do_transcript, true },
    { "inbox", "", "What waits for your answer.", do_inbox, true },
    { "answer", " N ...", "Answers what stands under N in the inbox.", do_answer, false },
    { "help", "", "This list.", do_help, true },
    { "quit", "", "Ends, as do exit and Ctrl-D. Ctrl-C stops a discussion.", do_quit, true },
    { "exit", NULL, NULL, do_quit, true },
};

static void do_help(struct repl_session *session, const char *rest)
{
    BUF_AUTO text = { 0 };

    (void)rest;
    buf_init(&text, 0);
    for (size_t i = 0; i < sizeof(known) / sizeof(*known) && known[i].help; i++)
        buf_format(&text, "  %-20s %s\n",
                   arena_format(session->cli->arena, "%s%s", known[i].name, known[i].args), known[i].help);
    buf_text(&text, "  Anything else is a question.\n");
    cli_print(text.bytes, text.len);
}

/*
 * "rounds" is a word; "Rounds of what?" is a question, and so is "status of the build". Who knows other chats
 * may type "/status".
 */
static bool is_word(const struct repl_word *word, const char *line, const char **rest)
{
    size_t len = strlen(word->name);

    line += *line == '/';
    if (strncmp(line, word->name, len) != 0 || (line[len] != '\0' && line[len] != ' '))
        return false;
    *rest = line + len + strspn(line + len, " ");
    return !word->alone || !**rest;
}

static void take_line(struct repl_session *session, const char *line)
{
    const char *rest;

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (is_word(&known[i], line, &rest)) {
            known[i].run(session, rest);
            return;
        }
    if (*line && *line != '#')
        ask(session, line);
}

static void greet(const struct repl_session *session)
{
    cli_note(session->cli, "Session %s. Type a question, or `help`.", session->id);
    if (cli_has(session->cli, "rehearse"))
        cli_note(session->cli, REHEARSAL_NOTICE);
}

static int talk(struct cli *cli)
{
    const char *history = state_folder_path(cli->arena, "chat_history"), *line = "";
    struct repl_session session = { .cli = cli,
                                    .id = uuid_new(cli->arena),
                                    .specialists = cli_has(cli, "specialists") };

    if (history)
        state_folder_make(cli->arena, state_folder_path(cli->arena, "."));
    interrupt_catch();
    session.editor = line_editor_new("You: ", history);
    greet(&session);
    while (!session.over) {
        enum line_read got = line_editor_read(session.editor, cli->arena, &line);

        if (got == LINE_END || (interrupted() && !line_editor_is_terminal(session.editor)))
            break;
        if (got == LINE_READ)
            take_line(&session, line);
    }
    bool at_terminal = line_editor_is_terminal(session.editor);

    line_editor_free(session.editor);
    /* A script tells how it went; a person has seen it. */
    return interrupted() ? interrupt_exit() : at_terminal ? CLI_OK : session.code;
}

static int run_chat(struct cli *cli)
{
    struct cli_rehearsal rehearsal = { 0 };
    struct err err = { 0 };
    int code;

    if (cli_has(cli, "rehearse") && !rehearsal_open(cli, &rehearsal, &err))
        return cli_fail(cli, &err);
    code = talk(cli);
    rehearsal_close(cli, &rehearsal);
    return code;
}

const struct cli_command repl_commands[] = {
    {
        .name = "chat",
        .help = "Ask one question after the other, with line editing and a history. "
                "Each is asked with the last few and what came of them in mind, until `clear`. "
                "`specialists on` has three agents discuss each; `help` lists the other words. "
                "When standard input is not a terminal, its lines are run as a script.",
        .examples = "witan chat\nwitan chat --rehearse --specialists\n"
                    "printf 'specialists on\\nREST or GraphQL?\\n' | witan chat",
        .uses = CLI_SERVER,
        .options = {
            { "specialists", .help = "Begin with specialists on." },
            { "project", "PROJECT", .help = "The project whose tasks the questions are: its id or name. "
                                            "Default: Chat, which is made if it does not exist." },
            { "rehearse", .help = "With scripted lines instead of models; without a server, on a store that is thrown away." },
            PATIENCE_OPTION,
        },
        .run = run_chat,
    },
    { 0 },
};
