/*
 * The program with what suites of other people's protocols call: build/tests/witan-fixtures. It is the same
 * but for that, and never released.
 */
#include "base/program.h"
#include "cli/commands/commands.h"
#include "tests/conformance/mcp.h"

int main(int argc, char **argv)
{
    mcp_add(&mcp_fixtures);
    program_started_as(argc > 0 ? argv[0] : NULL);
    return commands_run(argc - 1, argv + 1);
}
