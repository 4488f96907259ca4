#include "base/program.h"
#include "cli/commands/commands.h"

int main(int argc, char **argv)
{
    program_started_as(argc > 0 ? argv[0] : NULL);
    return commands_run(argc - 1, argv + 1);
}
