#include "edge/cli/listed.h"

#include "base/str.h"
#include "base/uuid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *folder_of(struct cli *cli)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

    if (state && *state == '/')
        return arena_format(cli->arena, "%s/witan", state);
    return home && *home == '/' ? arena_format(cli->arena, "%s/.local/state/witan", home) : NULL;
}

static const char *path_of(struct cli *cli)
{
    const char *folder = folder_of(cli);
    const char *workspace = cli->target.workspace ? cli->target.workspace : "";

    if (!folder)
        return NULL;
    return arena_format(cli->arena, "%s/inbox-%s-%s", folder, str_url_encode(cli->arena, cli->target.url),
                        str_url_encode(cli->arena, workspace));
}

static void make_folders(struct cli *cli, const char *path)
{
    char *text = arena_text(cli->arena, path);

    for (char *slash = strchr(text + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(text, 0700);
        *slash = '/';
    }
}

bool listed_keep(struct cli *cli, const char *const ids[], size_t count)
{
    const char *path = path_of(cli);
    const char *fresh = path ? arena_format(cli->arena, "%s.%ld", path, (long)getpid()) : NULL;
    FILE *file;

    if (!path)
        return false;
    make_folders(cli, path);
    file = fopen(fresh, "w");
    if (!file)
        return false;
    for (size_t i = 0; i < count; i++)
        fprintf(file, "%s\n", ids[i]);
    /* Whole or not at all: half a list would give numbers to the wrong questions. */
    bool written = !ferror(file);

    written = fclose(file) == 0 && written && rename(fresh, path) == 0;
    if (!written)
        unlink(fresh);
    return written;
}

static bool nth_line(const char *path, int64_t number, char *line, size_t size)
{
    FILE *file = fopen(path, "r");
    bool found = false;

    if (!file)
        return false;
    for (int64_t at = 1; at <= number; at++)
        found = fgets(line, (int)size, file) != NULL && at == number;
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return found && uuid_valid(line);
}

bool listed_id(struct cli *cli, const char *word, const char **id, struct err *err)
{
    const char *path = path_of(cli);
    char line[UUID_SIZE + 2] = "";
    int64_t number;

    if (strlen(word) > 6 || !str_to_int(word, &number)) {
        *id = word;
        return true;
    }
    if (path && number > 0 && nth_line(path, number, line, sizeof(line))) {
        *id = arena_text(cli->arena, line);
        return true;
    }
    err_set(err, ERR_NOT_FOUND, "The last inbox had no number %s.", word);
    return err_hint(err, "`witan inbox` shows what is open, with numbers.");
}
