/*
 * The commands in force are one pointer: readers take it once and copy what it leads to. The tools of MCP
 * servers come and go, so they are copied by whoever keeps them, who does not go while somebody reads.
 */
#include "toolbox/internal.h"

#include "base/str.h"

#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <string.h>

static const struct tool_list no_tools;
static _Atomic(const struct tool_list *) in_force = &no_tools;
static pthread_rwlock_t servers_lock = PTHREAD_RWLOCK_INITIALIZER;
static struct tool_source source_in_force;
static atomic_uint_fast64_t edition = 1;

static const char *const end_names[] = {
#define X(end, name) [end] = name,
    TOOL_ENDS(X)
#undef X
};

const char *tool_end_name(enum tool_end end)
{
    return end_names[end];
}

const char *const tool_reserved[] = { "ask_question", "report_progress", "ask_squad", "start_discussion",
                                      "finish",       "ask_form",        NULL };

bool tool_is_reserved(const char *name)
{
    for (size_t i = 0; tool_reserved[i]; i++)
        if (strcmp(tool_reserved[i], name) == 0)
            return true;
    return false;
}

bool tool_is_name(const char *name)
{
    size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");

    return len > 0 && len <= 64 && !name[len];
}

/* Both with their lengths, so that nothing can move from one to the other. */
const char *tool_digest(struct arena *arena, const char *description, const char *schema)
{
    unsigned char hash[crypto_hash_sha256_BYTES];
    crypto_hash_sha256_state state;
    const char *texts[] = { description, schema };
    char hex[2 * sizeof(hash) + 1];

    crypto_hash_sha256_init(&state);
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        uint64_t len = texts[i] ? strlen(texts[i]) : 0;
        unsigned char bytes[8];

        for (size_t at = 0; at < sizeof(bytes); at++)
            bytes[at] = (unsigned char)(len >> 8 * at);
        crypto_hash_sha256_update(&state, bytes, sizeof(bytes));
        if (len)
            crypto_hash_sha256_update(&state, (const unsigned char *)texts[i], len);
    }
    crypto_hash_sha256_final(&state, hash);
    return arena_text(arena, sodium_bin2hex(hex, sizeof(hex), hash, sizeof(hash)));
}

uint64_t tools_edition(void)
{
    return atomic_load(&edition);
}

void tools_have_changed(void)
{
    atomic_fetch_add(&edition, 1);
}

void tools_use(const struct tool_list *list)
{
    atomic_store(&in_force, list ? list : &no_tools);
    tools_have_changed();
}

size_t tools_of_commands(void)
{
    return atomic_load(&in_force)->count;
}

void tools_of_servers(const struct tool_source *source)
{
    pthread_rwlock_wrlock(&servers_lock);
    source_in_force = source ? *source : (struct tool_source){ 0 };
    pthread_rwlock_unlock(&servers_lock);
}

/* Whoever is asked takes memory, which may end the caller's work: the lock is let go of even then. */
static void let_go(pthread_rwlock_t **lock)
{
    pthread_rwlock_unlock(*lock);
}
#define READING __attribute__((cleanup(let_go), unused)) pthread_rwlock_t *

static void ask_for_tools(struct arena *arena, const struct tool **tools, size_t *count)
{
    pthread_rwlock_rdlock(&servers_lock);
    READING lock = &servers_lock;

    if (source_in_force.tools)
        source_in_force.tools(source_in_force.user, arena, tools, count);
}

const struct tool_list *tools_now(struct arena *arena)
{
    const struct tool_list *commands = atomic_load(&in_force);
    struct tool_list *copy = arena_new(arena, struct tool_list);
    const struct tool *more = NULL;
    struct tool *all;
    size_t count = 0;

    *copy = *commands;
    ask_for_tools(arena, &more, &count);
    if (count == 0)
        return copy;
    all = arena_array(arena, struct tool, commands->count + count);
    if (commands->count)
        memcpy(all, commands->tools, commands->count * sizeof(*all));
    memcpy(all + commands->count, more, count * sizeof(*all));
    *copy = (struct tool_list){ all, commands->count + count };
    return copy;
}

const struct tool *tool_named(const struct tool_list *list, const char *name)
{
    for (size_t i = 0; name && i < list->count; i++)
        if (strcmp(list->tools[i].name, name) == 0)
            return &list->tools[i];
    return NULL;
}

const struct tool *tool_awaited(struct arena *arena, const char *name, const char *digest)
{
    struct tool tool, *copy;

    pthread_rwlock_rdlock(&servers_lock);
    READING lock = &servers_lock;

    if (!name || !source_in_force.awaited || !source_in_force.awaited(source_in_force.user, name, &tool))
        return NULL;
    copy = arena_new(arena, struct tool);
    *copy = tool;
    copy->name = arena_text(arena, name);
    copy->digest = arena_text(arena, digest);
    return copy;
}

bool tools_are_settled(void)
{
    pthread_rwlock_rdlock(&servers_lock);
    READING lock = &servers_lock;

    return !source_in_force.settled || source_in_force.settled(source_in_force.user);
}

const struct tool_server *tool_servers_now(struct arena *arena, size_t *count)
{
    *count = 0;
    pthread_rwlock_rdlock(&servers_lock);
    READING lock = &servers_lock;

    return source_in_force.servers ? source_in_force.servers(source_in_force.user, arena, count) : NULL;
}
