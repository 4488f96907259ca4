/* The reader of .sql files: named blocks, comments, literals, parameters. */
#include "tests/fuzz/fuzz.h"
#include "tools/sqlblocks.h"

static const char *const marks[SQLBLOCK_ENGINES] = { "", " @sqlite", " @postgres" };

static void check_block(const struct sqlblock *block)
{
    size_t len = strlen(block->text);

    DEMAND(block->name[0] && strlen(block->name) <= SQLBLOCKS_NAME_MAX);
    DEMAND(len > 0 && len <= SQLBLOCKS_TEXT_MAX);
    DEMAND(block->text[len - 1] != '\n');
    DEMAND(block->params >= 0 && block->params <= SQLBLOCKS_PARAMS_MAX);
    plant((size_t)block->params, 12);
}

/* What was read is written as a file again; reading that must give the same blocks. */
static void check_again(const struct sqlblocks *blocks)
{
    struct sqlblocks again;
    struct sqlblocks_error err = { 0 };
    char *file = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&file, &len);

    DEMAND(to);
    for (size_t i = 0; i < blocks->count; i++)
        fprintf(to, "-- name: %s%s\n%s;\n", blocks->items[i].name, marks[blocks->items[i].engine],
                blocks->items[i].text);
    fclose(to);
    sqlblocks_init(&again);
    DEMAND(sqlblocks_parse(&again, "again.sql", file, len, &err));
    DEMAND(again.count == blocks->count);
    for (size_t i = 0; i < blocks->count; i++) {
        DEMAND(strcmp(again.items[i].name, blocks->items[i].name) == 0);
        DEMAND(strcmp(again.items[i].text, blocks->items[i].text) == 0);
        DEMAND(again.items[i].engine == blocks->items[i].engine);
        DEMAND(again.items[i].params == blocks->items[i].params);
    }
    sqlblocks_done(&again);
    free(file);
}

static void check_statements(const struct sqlblocks *blocks)
{
    for (size_t i = 0; i < blocks->count; i++) {
        struct sqlblocks_statement statement;
        struct sqlblocks_error err = { 0 };

        if (!sqlblocks_is_first(blocks, i))
            continue;
        if (sqlblocks_statement(blocks, i, &statement, &err))
            DEMAND(statement.sqlite && statement.postgres
                       ? statement.sqlite->params == statement.postgres->params
                       : blocks->items[i].only);
        else
            DEMAND(err.message[0] && err.file && err.line > 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct sqlblocks blocks;
    struct sqlblocks_error err = { 0 };

    sqlblocks_init(&blocks);
    bool good = sqlblocks_parse(&blocks, "fuzz.sql", (const char *)bytes, len, &err);

    DEMAND(good || (err.message[0] && err.line > 0));
    for (size_t i = 0; i < blocks.count; i++)
        check_block(&blocks.items[i]);
    if (good)
        check_again(&blocks);
    check_statements(&blocks);
    sqlblocks_done(&blocks);
    return 0;
}
