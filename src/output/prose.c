/*
 * Output without a result that ends in asking a person.
 *
 * Only the end counts: a question in the middle of prose was answered by what follows it, and one in code, in
 * a quotation or in a log was never put to the reader. So the lines are sorted into blocks, and the last
 * paragraph has to end in a question that is meant for the reader; a list of options may stand beside it, and
 * a closing line or two ("Let me know!") may follow.
 */
#include "output/parts.h"

#include "base/limits.h"
#include "output/sentence.h"

#include <ctype.h>
#include <string.h>

enum kind { BLANK, TEXT, LIST, CODE, QUOTED };

struct prose_line {
    size_t start, end;
    enum kind kind;
};

struct prose_block {
    enum kind kind;
    size_t start, end;
};

struct prose {
    struct arena *arena;
    const char *text;
    size_t len;
    struct prose_line lines[OUTPUT_TAIL_LINES];
    size_t line_count; /* of the whole text; the last OUTPUT_TAIL_LINES are kept */
    struct prose_block blocks[OUTPUT_TAIL_LINES];
    size_t block_count;
    char fence;
    size_t fence_len;
};

/* "- a", "* a", "1. a", "2) a", "a) a", "(b) a", "Option A: a". */
static bool is_item(const char *at, size_t len)
{
    static const char bullet[] = "\xe2\x80\xa2";
    size_t i = 0;

    if (len >= 2 && strchr("-*+", at[0]) && at[1] == ' ')
        return true;
    if (len > 3 && memcmp(at, bullet, 3) == 0)
        return true;
    while (i < len && (at[i] == '*' || at[i] == '('))
        i++;
    if (len - i > 8 && strncasecmp(at + i, "option ", 7) == 0)
        return len - i > 9 && (at[i + 8] == ':' || at[i + 8] == ')' || at[i + 8] == '.' || at[i + 8] == ' ');
    size_t first = i;

    while (i < len && i - first < 3 && isdigit((unsigned char)at[i]))
        i++;
    if (i == first && i < len && isalpha((unsigned char)at[i]))
        i++;
    return i > first && i + 1 < len && (at[i] == ')' || at[i] == '.') &&
           (at[i + 1] == ' ' || at[i + 1] == '*');
}

/* What a shell, a log or a package manager printed. */
static bool is_log(const char *at, size_t len)
{
    static const char *const starts[] = { ">",     "$ ",    "[",    "INFO", "WARN", "ERROR",
                                          "DEBUG", "TRACE", "+++ ", "--- ", "@@ ",  NULL };
    size_t digits = 0;

    while (digits < len && digits < 5 && isdigit((unsigned char)at[digits]))
        digits++;
    if (len > 10 && ((digits == 4 && at[4] == '-') || (digits == 2 && at[2] == ':')))
        return true;
    if (len >= 5 && at[len - 1] == ']' && (at[len - 3] == '/') && at[len - 5] == '[')
        return true;
    for (size_t i = 0; starts[i]; i++)
        if (len >= strlen(starts[i]) && memcmp(at, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

/* Follows fences of backticks or tildes; true while the line belongs to one. */
static bool in_fence(struct prose *prose, const char *at, size_t len)
{
    char mark = len >= 3 && (at[0] == '`' || at[0] == '~') ? at[0] : '\0';
    size_t run = 0;

    while (mark && run < len && at[run] == mark)
        run++;
    if (prose->fence) {
        if (mark == prose->fence && run >= prose->fence_len && run == len)
            prose->fence = '\0';
        return true;
    }
    if (run < 3)
        return false;
    if (mark == '~' || !memmem(at + run, len - run, "```", 3)) {
        prose->fence = mark;
        prose->fence_len = run;
    }
    return true;
}

static enum kind kind_of(struct prose *prose, size_t start, size_t end, enum kind before)
{
    const char *at = prose->text + start;
    size_t len = end - start, indent = 0;

    while (indent < len && (unsigned char)at[indent] <= ' ')
        indent++;
    while (len > indent && (unsigned char)at[len - 1] <= ' ')
        len--;
    bool deep = indent >= 4 || (indent > 0 && at[0] == '\t');

    at += indent;
    len -= indent;
    if (in_fence(prose, at, len))
        return CODE;
    if (len == 0)
        return BLANK;
    if (is_item(at, len))
        return LIST;
    if (before == LIST && indent > 0)
        return LIST;
    if (deep || strchr("{}]\"", at[0]))
        return CODE;
    return is_log(at, len) ? QUOTED : TEXT;
}

static void split_lines(struct prose *prose)
{
    enum kind before = BLANK;

    for (size_t start = 0; start < prose->len;) {
        const char *newline = memchr(prose->text + start, '\n', prose->len - start);
        size_t end = newline ? (size_t)(newline - prose->text) : prose->len;

        before = kind_of(prose, start, end, before);
        prose->lines[prose->line_count++ % OUTPUT_TAIL_LINES] = (struct prose_line){ start, end, before };
        start = end + 1;
    }
}

static void join_blocks(struct prose *prose)
{
    size_t first = prose->line_count > OUTPUT_TAIL_LINES ? prose->line_count - OUTPUT_TAIL_LINES : 0;
    bool apart = true;

    for (size_t i = first; i < prose->line_count; i++) {
        const struct prose_line *line = &prose->lines[i % OUTPUT_TAIL_LINES];
        struct prose_block *last = prose->block_count ? &prose->blocks[prose->block_count - 1] : NULL;

        if (line->kind == BLANK) {
            apart = true;
            continue;
        }
        /* Items of a list may have empty lines between them; paragraphs have not. */
        if (last && last->kind == line->kind && (!apart || line->kind != TEXT))
            last->end = line->end;
        else
            prose->blocks[prose->block_count++] = (struct prose_block){ line->kind, line->start, line->end };
        apart = false;
    }
}

static bool block_asks(const struct prose *prose, const struct prose_block *block, bool requests)
{
    return sentences_ask(prose->arena, prose->text + block->start, block->end - block->start, requests);
}

static bool block_closes(const struct prose *prose, const struct prose_block *block)
{
    size_t len = block->end - block->start;

    return block->kind == TEXT && len <= OUTPUT_CLOSING_BYTES &&
           sentence_closes(sentence_plain(prose->arena, prose->text + block->start, len));
}

/* Whether the paragraph announces questions: then those in the list after it are meant. */
static bool announces(const struct prose *prose, const struct prose_block *intro,
                      const struct prose_block *list)
{
    const char *words = sentence_plain(prose->arena, prose->text + intro->start, intro->end - intro->start);
    size_t len = strlen(words);

    return len > 0 && words[len - 1] == ':' && (strstr(words, "question") || strstr(words, "clarif")) &&
           memchr(prose->text + list->start, '?', list->end - list->start);
}

/* The part of the text that asks, given the block in which it ends. */
static bool find_part(const struct prose *prose, size_t last, bool requests, size_t *start, size_t *end)
{
    const struct prose_block *block = &prose->blocks[last], *before = last ? block - 1 : NULL;
    bool intro = before && before->kind == TEXT;

    *start = block->start;
    *end = block->end;
    if (block->kind == TEXT && block_asks(prose, block, requests)) {
        if (before && before->kind == LIST)
            *start = before->start;
        return true;
    }
    if (block->kind != LIST)
        return false;
    if (intro && (block_asks(prose, before, requests) || announces(prose, before, block))) {
        *start = before->start;
        return true;
    }
    if (!block_asks(prose, block, false))
        return false;
    if (intro)
        *start = before->start;
    return true;
}

const char *output_prose_question(struct arena *arena, const char *text, size_t len)
{
    struct prose *prose = arena_new(arena, struct prose);
    size_t start, end, last, closings = 0;

    prose->arena = arena;
    prose->text = text;
    prose->len = len;
    split_lines(prose);
    join_blocks(prose);
    if (prose->block_count == 0)
        return NULL;
    last = prose->block_count - 1;
    while (last > 0 && closings < OUTPUT_CLOSINGS && block_closes(prose, &prose->blocks[last])) {
        closings++;
        last--;
    }
    /* Something to look at, such as a patch, may stand after the question. */
    if (last > 0 && closings == 0 && prose->blocks[last].kind == CODE && prose->blocks[last - 1].kind == TEXT)
        last--;
    if (!find_part(prose, last, true, &start, &end) &&
        !find_part(prose, prose->block_count - 1, true, &start, &end))
        return NULL;
    return value_decode(arena, text + start, end - start, false);
}
