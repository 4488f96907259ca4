/*
 * What a judge says; doubt ends nothing.
 */
#include "core/council/rules/judgement.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

static void judgements_are_read(void **state)
{
    static const struct {
        const char *reply;
        bool understood, go_on;
        const char *reason;
    } rows[] = {
        { "{\"go_on\": false, \"reason\": \"All is said.\"}", true, false, "All is said." },
        { "{\"go_on\": true, \"reason\": \"An objection stands.\"}", true, true, "An objection stands." },
        { "Well.\n```json\n{go_on: False, 'reason': 'Done.'}\n```", true, false, "Done." },
        { "{\"go_on\":true} no, {\"go_on\":\"no\"}", true, false, "" },
        { "{\"go_on\": false", true, false, "" },
        { "{\"go_on\": \"perhaps\"}", false, true, "" },
        { "{\"go_on\": null}", false, true, "" },
        { "{\"go_on\": [false]}", false, true, "" },
        { "Stop it.", false, true, "" },
        { "", false, true, "" },
        { "{{{{{{", false, true, "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        ARENA_AUTO arena = { 0 };
        struct judgement judgement = judgement_read(&arena, rows[i].reply);

        if (judgement.understood != rows[i].understood || judgement.go_on != rows[i].go_on ||
            strcmp(judgement.reason, rows[i].reason) != 0)
            fail_msg("%s: understood %d, go on %d, \"%s\"", rows[i].reply, judgement.understood,
                     judgement.go_on, judgement.reason);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(judgements_are_read) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
