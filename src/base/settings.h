/*
 * settings.h - what an operator may change, said once.
 *
 * One table. Each row is a key of config.yaml (`server.listen`), an environment variable
 * (`WITAN_SERVER_LISTEN`) and a member of struct settings, with its default and its help. server/config.c
 * fills the struct at start; everybody else reads it through settings() and never changes it.
 */
#ifndef BASE_SETTINGS_H
#define BASE_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

/* Kinds: TEXT, INT (least, most), BOOL, TIME (a duration, in ms; least, most), SIZE (bytes; least, most),
 * MONEY (an amount such as 0.50, in millionths; least, most). */
#define SETTINGS(TEXT, INT, BOOL, TIME, SIZE, MONEY) \
    TEXT(server_listen, "server.listen", "127.0.0.1:7117", "Address and port to listen on.") \
    TEXT(server_public_url, "server.public_url", "", "How people reach this server; used in links.") \
    TEXT(server_allowed_hosts, "server.allowed_hosts", "", \
         "Further host names accepted in Host and Origin, separated by commas.") \
    TEXT(server_trusted_proxies, "server.trusted_proxies", "", \
         "Addresses or networks of proxies whose X-Forwarded-For is believed, separated by commas.") \
    BOOL(server_require_auth, "server.require_auth", false, "Demand a token or a login even on loopback.") \
    BOOL(server_setup, "server.setup", false, \
         "While nobody can log in: print a link, good once, by which a browser makes the owner's account.") \
    INT(server_threads, "server.threads", 0, 0, 64, "HTTP threads; 0 means one for each core, at most 8.") \
    INT(server_connections, "server.connections", 65536, 16, 1000000, "Open connections at most.") \
    BOOL(server_sandbox, "server.sandbox", true, \
         "Give up files, ports and system calls that the server does not need, where the kernel can.") \
    TEXT( \
        server_connect_ports, "server.connect_ports", "", \
        "Further TCP ports that models may be on, beside 80, 443, 11434, council.local_ports and `models`; or any.") \
    TIME(server_send_timeout, "server.send_timeout", "30s", 1000, 3600000, \
         "How long a client may read nothing of a reply or stream before it is cut off.") \
    TIME(server_stop_grace, "server.stop_grace", "10s", 0, 600000, \
         "How long a stop waits for requests that are under way. Tools and coders that run then are ended.") \
    TEXT(store_url, "store.url", "", \
         "sqlite:PATH or postgres://...; empty means the embedded store in the data folder.") \
    INT(store_workers, "store.workers", 16, 1, 256, \
        "PostgreSQL connections for operations; one more for every eight of them runs reports.") \
    TIME(store_timeout, "store.timeout", "10s", 100, 3600000, \
         "How long PostgreSQL may take to answer a statement; after that the call gets 503.") \
    INT(store_readers, "store.readers", 2, 1, 64, "SQLite read threads; one more runs reports.") \
    INT(store_queue, "store.queue", 4096, 16, 1000000, "Operations waiting before new ones get 503.") \
    TIME(store_wait, "store.wait", "5s", 100, 600000, \
         "How long an operation waits for its turn before it gets 503.") \
    SIZE(store_wal, "store.wal", "256MB", 33554432, 68719476736, \
         "SQLite's write-ahead log; when it grows larger, reads are held back for a moment to empty it.") \
    TEXT(log_level, "log.level", "info", "debug, info, warn or error.") \
    TEXT(log_format, "log.format", "text", "text or json.") \
    SIZE(limits_body, "limits.body", "1MB", 1024, 104857600, "The largest request body.") \
    SIZE(limits_memory, "limits.memory", "256MB", 16777216, 1099511627776, \
         "What bodies, replies and the calls in hand may take together before new ones get 503.") \
    SIZE(limits_message, "limits.message", "64KB", 256, 1048576, \
         "The largest chat message, prompt or answer.") \
    INT(limits_token_rate, "limits.token_rate", 100, 1, 1000000, "Requests a second for each token.") \
    INT(limits_token_burst, "limits.token_burst", 200, 1, 1000000, "Requests at once for each token.") \
    INT(limits_login_rate, "limits.login_rate", 5, 1, 1000, \
        "Password attempts a minute, for each address and account.") \
    INT(limits_streams, "limits.streams", 32768, 1, 1000000, "Open event streams and WebSockets at most.") \
    INT(limits_token_streams, "limits.token_streams", 1000, 0, 1000000, \
        "Event streams and waits that one token or user may have open; 0: any number.") \
    INT(limits_workspace_streams, "limits.workspace_streams", 20000, 0, 1000000, \
        "Event streams and waits of one workspace; 0: any number.") \
    INT(limits_address_streams, "limits.address_streams", 4000, 0, 1000000, \
        "Event streams and waits from one address other than this machine; 0: any number.") \
    SIZE(limits_token_stored, "limits.token_stored", "2GB", 0, 1125899906842624, \
         "What one token or user may store in a day; 0: any amount.") \
    SIZE(limits_workspace_stored, "limits.workspace_stored", "20GB", 0, 1125899906842624, \
         "What may be stored in one workspace in a day; 0: any amount.") \
    SIZE(limits_address_stored, "limits.address_stored", "4GB", 0, 1125899906842624, \
         "What one address other than this machine may store in a day; 0: any amount.") \
    INT(limits_address_connections, "limits.address_connections", 4000, 0, 1000000, \
        "Connections from one address other than this machine or a trusted proxy; 0: any number.") \
    INT(consensus_discussion_rounds, "consensus.discussion_rounds", 3, 1, 50, \
        "Rounds of a discussion, unless it says otherwise itself.") \
    TEXT(consensus_agreement_threshold, "consensus.agreement_threshold", "all", \
         "When a vote counts as agreement: all, majority, or a share such as 0.75.") \
    INT(consensus_max_rounds, "consensus.max_rounds", 10, 1, 100, "How often a vote is taken at most.") \
    TIME(questions_min_timeout, "questions.min_timeout", "5m", 1, 86400000, \
         "The shortest deadline that a question may be given.") \
    TIME(questions_max_timeout, "questions.max_timeout", "24h", 60000, 2592000000, \
         "The longest deadline that a question may be given, extensions included.") \
    INT(questions_rate, "questions.rate", 10, 1, 100000, "Questions a minute for each job.") \
    INT(questions_open, "questions.open", 50, 1, 10000, "Open questions of one job at most.") \
    BOOL( \
        council_drive, "council.drive", true, \
        "Whether this server calls models for discussions; false where another one of the same store does.") \
    TEXT(council_ollama, "council.ollama", "http://127.0.0.1:11434", \
         "Where an Ollama is looked for, whose models speak while `models` names none; off: nowhere.") \
    TEXT( \
        council_local_ports, "council.local_ports", "1234,8000,8080", \
        "Ports of this machine that servers of models are looked for on, and that the owner of a server in solo mode may name for an agent; off: none but Ollama's.") \
    TIME(council_turn_deadline, "council.turn_deadline", "10m", 1000, 2592000000, \
         "How long an agent of the API, or a person, has for a turn in a discussion.") \
    SIZE( \
        council_window, "council.window", "96KB", 1024, 1048576, \
        "How much of what was said a model is shown as it is; a summary takes the place of older parts. Of runs, where their model has no window.") \
    BOOL(runner_drive, "runner.drive", true, \
         "Whether this server runs agents; false where another one of the same store does.") \
    INT(runner_steps, "runner.steps", 50, 1, 100000, \
        "How often the model of a job that witan runs is asked at most, unless the job says otherwise.") \
    INT(runner_tokens, "runner.tokens", 200000, 1, 1000000000, \
        "Tokens that such a job may take, unless it says otherwise.") \
    INT(runner_seconds, "runner.seconds", 3600, 1, 2592000, \
        "Seconds that it may take, without those in which it waits for others, unless it says otherwise.") \
    MONEY(runner_money, "runner.money", 0, 0, 1000000000, \
          "What it may cost, in the money in which models have their prices; 0: any amount.") \
    INT(runner_project_tokens, "runner.project_tokens", 0, 0, 1000000000000, \
        "Tokens that all such jobs of a project may take in a day; 0: any number.") \
    MONEY(runner_project_money, "runner.project_money", 0, 0, 1000000000, \
          "What all such jobs of a project may cost in a day; 0: any amount.") \
    INT(runner_project_steps, "runner.project_steps", 0, 0, 1000000000, \
        "How often the models of all such jobs of a project are asked in a day at most; 0: any number.") \
    INT(runner_project_seconds, "runner.project_seconds", 0, 0, 1000000000, \
        "Seconds that all such jobs of a project may take in a day, as runner.seconds counts them; 0: any number.") \
    TIME( \
        runner_answer_within, "runner.answer_within", "7d", 300000, 2592000000, \
        "How long people have for what such a job asks without its agent: approvals, advice on errors, and what a tool asks in the middle of its call.") \
    TEXT( \
        orchestrator_folder, "orchestrator.folder", "", \
        "Where the tasks that orchestrators take have their folders; empty means tasks in the folder of the embedded store, or where that would be.") \
    TIME(sessions_lifetime, "sessions.lifetime", "30d", 60000, 31536000000, "How long a login lasts.") \
    TIME(tokens_notice, "tokens.notice", "7d", 60000, 31536000000, \
         "How long before a token expires people are told.") \
    TIME(tickets_lifetime, "tickets.lifetime", "60s", 1000, 3600000, "How long a stream ticket lasts.") \
    TIME( \
        idempotency_lifetime, "idempotency.lifetime", "24h", 60000, 604800000, \
        "How long replies are kept for repeats; those to what was asked are kept at least as long as it is open.") \
    TIME(events_keep, "events.keep", "30d", 3600000, 315360000000, "How long events stay in the log.") \
    TIME(logs_keep, "logs.keep", "0s", 0, 315360000000, \
         "How long the log lines of ended jobs stay; 0s means for ever.") \
    TIME(notifications_keep, "notifications.keep", "0s", 0, 315360000000, \
         "How long notifications stay that were read or are settled; 0s means for ever.") \
    TIME(discussions_keep, "discussions.keep", "0s", 0, 315360000000, \
         "How long discussions stay that have ended, with what was said; 0s means for ever.") \
    TIME(audit_keep, "audit.keep", "0s", 0, 315360000000, \
         "How long rows stay in the audit log; 0s means for ever.") \
    TEXT( \
        audit_key_file, "audit.key_file", "", \
        "The key that signs anchors of the audit log; empty means audit.key in the folder of the settings.")

struct settings {
#define TEXT(member, key, fallback, help)               const char *member;
#define INT(member, key, fallback, least, most, help)   int64_t member;
#define BOOL(member, key, fallback, help)               bool member;
#define TIME(member, key, fallback, least, most, help)  int64_t member##_ms;
#define SIZE(member, key, fallback, least, most, help)  int64_t member;
#define MONEY(member, key, fallback, least, most, help) int64_t member##_millionths;
    SETTINGS(TEXT, INT, BOOL, TIME, SIZE, MONEY)
#undef TEXT
#undef INT
#undef BOOL
#undef TIME
#undef SIZE
#undef MONEY
};

/* The settings in force. Before settings_use they are the defaults. */
const struct settings *settings(void);
/* Once, before threads start. The struct and its texts stay the caller's and outlive every reader. */
void settings_use(const struct settings *in_force);

#endif
