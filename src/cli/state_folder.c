#include "cli/state_folder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *state_folder_path(struct arena *arena, const char *name)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

    if (state && *state == '/')
        return arena_format(arena, "%s/witan/%s", state, name);
    return home && *home == '/' ? arena_format(arena, "%s/.local/state/witan/%s", home, name) : NULL;
}

void state_folder_make(struct arena *arena, const char *path)
{
    char *text = arena_text(arena, path);

    for (char *slash = strchr(text + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(text, 0700);
        *slash = '/';
    }
    mkdir(text, 0700);
}
