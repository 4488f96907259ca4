/*
 * What programs may write and read is held against what is the server's own and against each other, links
 * followed: a program that could put a link on the way to another one's folder would choose where that works.
 */
#include "server/config_tools_parts.h"

#include "base/str.h"
#include "programs/hold.h"
#include "programs/lookup.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINKS_MOST 40 /* on one way, as the kernel has it */

/* A path that an entry names. */
struct named_path {
    const struct tool_entry *entry;
    const char *section, *key;
    const char *path, *real; /* links followed */
    bool writes;             /* it is a folder */
};

struct named_paths {
    struct arena *arena;
    const struct config_own *own;
    struct named_path *list;
    size_t count;
};

/* Who may write these, or what lies in them, writes for everybody. */
static const char *const system_folders[] = { "/bin",  "/boot", "/dev", "/etc", "/lib",
                                              "/proc", "/sbin", "/sys", "/usr" };
/* The same of these, and of the folders that hold them; what else lies beside them may be anybody's. */
static const char *const everybodys[] = { "/home", "/root/.ssh", "/run/systemd", "/var/lib/systemd",
                                          "/var/spool/cron" };

static bool refuse(const struct named_paths *paths, const struct named_path *of, const char *what,
                   struct err *err)
{
    if (of->entry)
        return tool_entry_refuse(of->entry, paths->arena, of->section, of->key, what, err);
    return err_field(err, of->key, "%s: %s", of->key, what);
}

static const char *name_of(const struct named_paths *paths, const struct named_path *of)
{
    return of->entry ? arena_format(paths->arena, "%s.%s", of->section, of->entry->name) : of->key;
}

/* Files that are not there can be opened by nobody; folders are never opened for a word of argv. */
static void add(struct named_paths *paths, struct named_path named)
{
    bool of_argv = strcmp(named.key, "argv") == 0 || strcmp(named.key, "command") == 0;
    char *real = named.path && named.path[0] == '/' ? realpath(named.path, NULL) : NULL;
    struct stat info;

    if (real && (!of_argv || (stat(real, &info) == 0 && !S_ISDIR(info.st_mode)))) {
        named.real = arena_text(paths->arena, real);
        paths->list[paths->count++] = named;
    }
    free(real);
}

static size_t count_words(const char *const *list)
{
    size_t count = 0;

    while (list && list[count])
        count++;
    return count;
}

static void add_entry(struct named_paths *paths, const struct tool_entry *entry, const char *section)
{
    const char *argv = strcmp(section, "mcp") == 0 ? "command" : "argv";

    add(paths, (struct named_path){ entry, section, "folder", entry->folder, NULL, true });
    for (size_t i = 0; i < count_words(entry->argv); i++)
        add(paths, (struct named_path){ entry, section, argv, entry->argv[i], NULL, false });
    for (size_t i = 0; i < count_words(entry->reads); i++)
        add(paths, (struct named_path){ entry, section, "reads", entry->reads[i], NULL, false });
}

static void gather(struct named_paths *paths, const struct config_tools *tools)
{
    size_t most = 1;

    for (const struct tool_entry *entry = tools->commands; entry; entry = entry->next)
        most += 1 + count_words(entry->argv) + count_words(entry->reads);
    for (const struct tool_entry *entry = tools->servers; entry; entry = entry->next)
        most += 1 + count_words(entry->argv) + count_words(entry->reads);
    if (tools->coder)
        most += 1 + count_words(tools->coder->argv) + count_words(tools->coder->reads);
    paths->list = arena_array(paths->arena, struct named_path, most);
    for (const struct tool_entry *entry = tools->commands; entry; entry = entry->next)
        add_entry(paths, entry, "tools");
    for (const struct tool_entry *entry = tools->servers; entry; entry = entry->next)
        add_entry(paths, entry, "mcp");
    if (tools->coder)
        add_entry(paths, tools->coder, "coder");
    if (paths->own->tasks)
        add(paths,
            (struct named_path){ .key = "orchestrator.folder", .path = paths->own->tasks, .writes = true });
}

static bool is_of_the_system(const char *folder)
{
    for (size_t i = 0; i < sizeof(system_folders) / sizeof(*system_folders); i++)
        if (lookup_is_inside(system_folders[i], folder) || lookup_is_inside(folder, system_folders[i]))
            return true;
    for (size_t i = 0; i < sizeof(everybodys) / sizeof(*everybodys); i++)
        if (lookup_is_inside(everybodys[i], folder))
            return true;
    return false;
}

/* A folder of the server's inside of the store's is the operator's to give away; the store's file is not. */
static bool check_own(const struct named_paths *paths, const struct named_path *of, struct err *err)
{
    const struct config_own *own = paths->own;

    if (own->store_folder && lookup_is_inside(own->store_folder, of->real))
        return refuse(paths, of,
                      arena_format(paths->arena,
                                   "%s is or holds the folder of the store, %s, which is the server's alone.",
                                   of->path, own->store_folder),
                      err);
    if (own->store && !of->writes && str_starts(of->real, own->store))
        return refuse(paths, of,
                      arena_format(paths->arena, "%s is the store's, which is the server's alone.", of->path),
                      err);
    if (own->settings && lookup_is_inside(own->settings, of->real))
        return refuse(paths, of,
                      arena_format(paths->arena,
                                   "%s is or holds the settings, %s, which are the server's alone.", of->path,
                                   own->settings),
                      err);
    if (of->writes && is_of_the_system(of->real))
        return refuse(paths, of,
                      arena_format(paths->arena,
                                   "the folder %s would let a program write the system's files.", of->path),
                      err);
    return true;
}

/* Whether a name is looked up in this folder, or below it, on the way to a path. */
static bool leads_through(const char *path, const char *folder)
{
    char done[PATH_MAX] = "", rest[2 * PATH_MAX], next[2 * PATH_MAX], target[PATH_MAX];
    int links = 0;

    snprintf(rest, sizeof(rest), "%s", path);
    for (char *at = rest; links < LINKS_MOST;) {
        at += strspn(at, "/");
        size_t len = strcspn(at, "/"), before = strlen(done);

        if (len == 0)
            return false;
        if (len == 2 && strncmp(at, "..", 2) == 0 && before > 0)
            *strrchr(done, '/') = '\0';
        if (strspn(at, ".") >= len && len <= 2) {
            at += len;
            continue;
        }
        if (lookup_is_inside(before > 0 ? done : "/", folder))
            return true;
        if (snprintf(done + before, sizeof(done) - before, "/%.*s", (int)len, at) >=
            (int)(sizeof(done) - before))
            return false;
        at += len;
        ssize_t link = readlink(done, target, sizeof(target) - 1);

        if (link < 0)
            continue;
        target[link] = '\0';
        done[*target == '/' ? 0 : before] = '\0';
        if (snprintf(next, sizeof(next), "%s/%s", target, at) >= (int)sizeof(next))
            return false;
        memcpy(rest, next, sizeof(rest));
        at = rest;
        links++;
    }
    return false;
}

/* Two may share one folder; what one may write, the other's way must not lead through. */
static bool check_way(const struct named_paths *paths, const struct named_path *of,
                      const struct named_path *writer, struct err *err)
{
    if (!writer->writes || !leads_through(of->path, writer->real))
        return true;
    if (of->writes)
        return refuse(
            paths, of,
            arena_format(paths->arena,
                         "the way to %s leads through the folder of %s, %s, which could put a link there.",
                         of->path, name_of(paths, writer), writer->real),
            err);
    return lookup_is_inside(of->real, writer->real) || hold_is_system(of->real) ||
           refuse(paths, of,
                  arena_format(paths->arena,
                               "%s leads out of the folder of %s, %s, which could change where to.", of->path,
                               name_of(paths, writer), writer->real),
                  err);
}

bool config_tools_apart(const struct config_tools *tools, struct arena *arena, const struct config_own *own,
                        struct err *err)
{
    struct named_paths paths = { .arena = arena, .own = own };

    gather(&paths, tools);
    for (size_t i = 0; i < paths.count; i++) {
        if (!check_own(&paths, &paths.list[i], err))
            return false;
        for (size_t j = 0; j < paths.count; j++)
            if (!check_way(&paths, &paths.list[i], &paths.list[j], err))
                return false;
    }
    return true;
}
