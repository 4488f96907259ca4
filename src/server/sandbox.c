/*
 * The list of paths and ports is derived from the settings before anything is opened. What fails here fails
 * the start, since a server that believes itself locked in and is not would be worse than one that says it
 * cannot.
 */
#include "server/sandbox.h"

#include "base/landlock.h"
#include "base/log.h"
#include "base/sanitized.h"
#include "base/str.h"
#include "db/needs.h"
#include "edge/hosts.h"
#include "llm/local.h"
#include "server/syscalls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Libraries that are loaded late, names of hosts, certificates, time zones; what the process is using. */
static const char *const system_paths[] = { "/usr",
                                            "/lib",
                                            "/lib64",
                                            "/etc",
                                            "/run/systemd/resolve",
                                            "/proc",
                                            "/sys/devices/system/cpu",
                                            "/sys/fs/cgroup",
                                            "/dev/null",
                                            "/dev/urandom",
                                            "/dev/random" };

/* Where names of hosts are looked up is often written down elsewhere, behind a link. */
static bool allow_resolver(struct landlock *landlock)
{
    char *real = realpath("/etc/resolv.conf", NULL), *slash = real ? strrchr(real, '/') : NULL;
    bool good = true;

    if (slash && slash != real) {
        *slash = '\0';
        good = landlock_allow_read(landlock, real);
    }
    free(real);
    return good;
}

/*
 * Whether names of hosts are looked up by somebody whom one reaches by a socket of the machine, as names in
 * .local are by Avahi. Those that are known to need none, or to be passed over when there is none, are
 * listed.
 */
static bool resolver_needs_sockets(void)
{
    static const char *const harmless[] = { "files", "dns", "resolve", "myhostname", "mymachines", "db" };
    FILE *file = fopen("/etc/nsswitch.conf", "re");
    char line[512];
    bool needs = false;

    while (file && fgets(line, sizeof(line), file)) {
        char *rest = NULL,
             *word = strncmp(line, "hosts:", 6) == 0 ? strtok_r(line + 6, " \t\r\n", &rest) : NULL;

        for (; word && *word != '#'; word = strtok_r(NULL, " \t\r\n", &rest)) {
            bool known = strpbrk(word, "[]=!") != NULL; /* "[NOTFOUND=return]" */

            for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless) && !known; i++)
                known = strcmp(word, harmless[i]) == 0;
            needs = needs || !known;
        }
    }
    if (file)
        fclose(file);
    return needs;
}

/* A sanitizer reads the program itself to name the places it reports. */
static const char *const everything[] = { "/" };

static bool allow_reads(struct landlock *landlock, const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!landlock_allow_read(landlock, paths[i]))
            return false;
    return true;
}

static bool allow_store(struct landlock *landlock, const struct needs *needs)
{
    if (!allow_reads(landlock, needs->files, needs->file_count) ||
        (needs->folder && !landlock_allow_write(landlock, needs->folder)))
        return false;
    for (size_t i = 0; i < needs->port_count; i++)
        if (!landlock_allow_connect(landlock, needs->ports[i]))
            return false;
    return true;
}

/* DNS answers that are too long for UDP, and where models of others usually are. */
static const int usual_ports[] = { 53, 80, 443, 11434 };

static int port_of_url(const char *url)
{
    const char *host = strstr(url, "://"), *end = host ? host + 3 + strcspn(host + 3, "/") : NULL;
    struct authority authority;
    char text[256];

    if (!host || (size_t)(end - host) >= sizeof(text))
        return 0;
    snprintf(text, sizeof(text), "%.*s", (int)(end - host - 3), host + 3);
    return hosts_parse(text, &authority) ? authority.port : 0;
}

static bool allow_ports_named(struct landlock *landlock, const char *list)
{
    if (strcmp(list, "any") == 0)
        return true; /* connecting is not held to ports then */
    for (char *end; *list; list = end + (*end == ',')) {
        if (!landlock_allow_connect(landlock, (int)strtol(list, &end, 10)))
            return false;
    }
    return true;
}

/* Where servers of models on this machine usually are, if the owner may have agents speak with them. */
static bool allow_local(struct landlock *landlock, const struct settings *settings)
{
    int ports[LOCAL_PORTS];
    size_t count = local_is_open(settings) ? local_ports(settings, ports) : 0;

    for (size_t i = 0; i < count; i++)
        if (!landlock_allow_connect(landlock, ports[i]))
            return false;
    return true;
}

/* Models: their ports, and the files that hold their keys and lines. */
static bool allow_models(struct landlock *landlock, const struct settings *settings)
{
    for (size_t i = 0; i < sizeof(usual_ports) / sizeof(*usual_ports); i++)
        if (!landlock_allow_connect(landlock, usual_ports[i]))
            return false;
    for (size_t i = 0; i < models()->count; i++) {
        const struct llm_model *model = &models()->list[i];
        int port = port_of_url(model->base_url);

        if ((port != 0 && !landlock_allow_connect(landlock, port)) ||
            (*model->api_key_file && !landlock_allow_read(landlock, model->api_key_file)) ||
            (*model->script && !landlock_allow_read(landlock, model->script)))
            return false;
    }
    int ollama = port_of_url(settings->council_ollama);

    return (ollama == 0 || landlock_allow_connect(landlock, ollama)) && allow_local(landlock, settings) &&
           allow_ports_named(landlock, settings->server_connect_ports);
}

/* MCP servers that are reached by a URL; their keys were read before. */
static bool allow_servers(struct landlock *landlock, const struct toolbox_setup *tools)
{
    for (size_t i = 0; tools && i < tools->server_count; i++) {
        int port = tools->servers[i].url ? port_of_url(tools->servers[i].url) : 0;

        if (port != 0 && !landlock_allow_connect(landlock, port))
            return false;
    }
    return true;
}

/* The port in "127.0.0.1:7117"; 0 stands for any that is free, in Landlock's rules too. */
static int listen_port(const char *listen)
{
    struct authority authority;

    return hosts_parse(listen, &authority) ? authority.port : 0;
}

static bool hold_to(const struct needs *needs, const struct settings *settings,
                    const struct toolbox_setup *tools, const char *tasks, int *version)
{
    struct landlock landlock;
    bool any_port = needs->any_port || strcmp(settings->server_connect_ports, "any") == 0;

    if (!landlock_open(&landlock, any_port ? LANDLOCK_LISTENS : LANDLOCK_LISTENS_AND_CONNECTS) ||
        !allow_reads(&landlock, system_paths, sizeof(system_paths) / sizeof(*system_paths)) ||
        !allow_resolver(&landlock) || (SANITIZED && !allow_reads(&landlock, everything, 1)) ||
        !allow_store(&landlock, needs) || (tasks && !landlock_allow_write(&landlock, tasks)) ||
        !allow_models(&landlock, settings) || !allow_servers(&landlock, tools) ||
        !landlock_allow_listen(&landlock, listen_port(settings->server_listen)) ||
        !landlock_enforce(&landlock))
        return false;
    *version = landlock.version;
    return true;
}

void sandbox_say(const struct sandbox *sandbox)
{
    if (!sandbox->on) {
        log_line(LOG_INFO, "sandbox: switched off (server.sandbox)", NULL);
        return;
    }
    if (sandbox->landlock == 0)
        log_line(LOG_WARN,
                 "sandbox: this kernel cannot hold the server to its own files and ports (Landlock)", NULL);
    if (!sandbox->calls)
        log_line(LOG_WARN, "sandbox: this kernel takes no filter of system calls (seccomp)", NULL);
    if (sandbox->landlock > 0 || sandbox->calls)
        log_line(LOG_INFO, "sandbox", "writes", sandbox->landlock > 0 ? sandbox->folder : "not held", "ports",
                 sandbox->landlock >= 4 ? "its own, its store's and its models'" : "not held", "programs",
                 sandbox->calls && !SANITIZED ? "none" : "not held", "sockets",
                 sandbox->calls && !sandbox->sockets ? "of the network" : "of the network and the machine",
                 NULL);
}

bool sandbox_enter(const struct settings *settings, const struct toolbox_setup *tools, const char *tasks,
                   struct sandbox *sandbox, struct err *err)
{
    ARENA_AUTO arena = { 0 };
    struct needs needs;

    *sandbox = (struct sandbox){ .on = settings->server_sandbox };
    if (!sandbox->on)
        return true;
    if (!needs_of_store(settings->store_url, &arena, &needs, err))
        return false;
    if (!hold_to(&needs, settings, tools, tasks, &sandbox->landlock)) {
        err_set(err, ERR_INTERNAL, "The server cannot lock itself in: %s.", strerror(errno));
        return err_hint(err, "server.sandbox: false starts it without.");
    }
    snprintf(sandbox->folder, sizeof(sandbox->folder), "%s", needs.folder ? needs.folder : "nothing");
    sandbox->sockets = needs.unix_sockets || resolver_needs_sockets();
    sandbox->calls = syscalls_give_up(sandbox->sockets);
    return true;
}
