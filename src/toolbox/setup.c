#include "toolbox/setup.h"

#include "base/limits.h"

void toolbox_server_program(const struct mcp_setup *server, struct program *program)
{
    *program = (struct program){
        .argv = server->command,
        .environment = server->environment,
        .reads = server->reads,
        .folder = server->folder,
        .network = server->network,
        .memory_most = server->memory_most,
        .file_most = server->file_most,
        .cpu_seconds = server->cpu_seconds,
        .files_most = TOOL_FILES,
        .processes_most = TOOL_PROCESSES,
    };
}

const struct program *const *toolbox_programs(struct arena *arena, const struct toolbox_setup *setup,
                                              size_t *count)
{
    size_t most = setup->command_count + setup->server_count;
    const struct program **list = arena_array(arena, const struct program *, most + 1);

    *count = 0;
    for (size_t i = 0; i < setup->command_count; i++)
        list[(*count)++] = &setup->commands[i].program;
    for (size_t i = 0; i < setup->server_count; i++) {
        struct program *program;

        if (!setup->servers[i].command)
            continue;
        program = arena_new(arena, struct program);
        toolbox_server_program(&setup->servers[i], program);
        list[(*count)++] = program;
    }
    return list;
}

static bool coder_named;

void toolbox_name_coder(bool named)
{
    coder_named = named;
}

bool toolbox_has_coder(void)
{
    return coder_named;
}
