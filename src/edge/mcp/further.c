#include "edge/mcp/further.h"

static const struct mcp_further *added;

void mcp_add(const struct mcp_further *further)
{
    added = further;
}

const struct mcp_further *mcp_further(void)
{
    return added;
}

const struct op *mcp_further_resource(const char *uri)
{
    return added && added->has_resource(uri) ? added->row : NULL;
}
