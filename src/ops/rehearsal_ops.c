#include "core/rehearsal/rehearsal.h"

#include "ops/identity.h"
#include "ops/tables.h"

#define TAG_REHEARSAL "Rehearsal"

static const struct field begin_reply[] = {
    { "workspace", T_OBJECT, REQUIRED, "Where it is held; X-Witan-Workspace leads there.",
      .fields = identity_workspace_fields },
    { "discussionId", T_UUID, REQUIRED, "Three scripted agents discuss for three rounds." },
    { "promptId", T_UUID, REQUIRED, "They ask the squad, and wait for your reply." },
    { "questionId", T_UUID, REQUIRED, "They ask you for an approval." },
    { 0 },
};

static bool run_begin(struct call *call)
{
    struct rehearsal rehearsal;

    if (!rehearsal_begin(&call->tx, &rehearsal))
        return false;
    call->subject = rehearsal.workspace.id;
    json_map(&call->out, NULL);
    identity_write_workspace(&call->out, "workspace", &rehearsal.workspace);
    json_text(&call->out, "discussionId", rehearsal.discussion_id);
    json_text(&call->out, "promptId", rehearsal.prompt_id);
    json_text(&call->out, "questionId", rehearsal.question_id);
    json_map_end(&call->out);
    return true;
}

static bool run_remove(struct call *call)
{
    return rehearsal_remove(&call->tx);
}

const struct op rehearsal_ops[] = {
    {
        .name = "rehearsal_begin",
        .http = "POST /api/rehearsal",
        .tag = TAG_REHEARSAL,
        .help =
            "Hold a rehearsal in a workspace of its own: scripted agents discuss, ask the squad, and ask for an approval. "
            "No model is called. One that is there already is removed first.",
        .needs = ROLE_OWNER,
        .reaches = REACH_WORKSPACE,
        .kind = OP_WRITE,
        .status = 201,
        .run = run_begin,
        .reply = begin_reply,
    },
    {
        .name = "rehearsal_remove",
        .http = "DELETE /api/rehearsal",
        .tag = TAG_REHEARSAL,
        .help = "Remove your rehearsal with everything in it.",
        .needs = ROLE_OWNER,
        .reaches = REACH_WORKSPACE,
        .kind = OP_WRITE,
        .status = 204,
        .run = run_remove,
    },
    { 0 },
};
