#include "cli/commands/commands.h"

int main(int argc, char **argv)
{
    return commands_run(argc - 1, argv + 1);
}
