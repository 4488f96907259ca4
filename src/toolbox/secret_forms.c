/*
 * A value comes through as it was given; with other line ends, of a terminal, of Windows or of a program that
 * writes \n out; without what stands around it; quoted in JSON; or a line of it here and there. What was
 * given is bounded by the kernel as environments are, and so is what is made of it: some copies of each
 * value.
 */
#include "toolbox/secret_forms.h"

#include "base/buf.h"
#include "base/str.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static_assert(SECRET_LEAST == sizeof(uint64_t), "a form is found by its first bytes");

static uint64_t begin_of(const char *bytes)
{
    uint64_t begin;

    memcpy(&begin, bytes, sizeof(begin));
    return begin;
}

static size_t place_of(uint64_t begin)
{
    return (size_t)((begin * 0x9e3779b97f4a7c15U) >> 48);
}

/* Which forms there are. */

struct slice {
    const char *text;
    size_t len;
};

struct form_list {
    struct arena arena;
    struct buf forms; /* struct secret_form, some of them twice */
};

static void add_form(struct form_list *list, struct slice form)
{
    if (form.len < SECRET_LEAST)
        return;
    struct secret_form known = { begin_of(form.text), arena_copy(&list->arena, form.text, form.len),
                                 form.len };

    buf_add(&list->forms, &known, sizeof(known));
}

/* How JSON may be written. */
struct quoting {
    bool slashes, ascii;
};

static void quote_code(struct buf *out, uint32_t code)
{
    if (code > 0xffff)
        buf_format(out, "\\u%04x\\u%04x", 0xd800 + ((code - 0x10000) >> 10), 0xdc00 + (code & 0x3ff));
    else
        buf_format(out, "\\u%04x", code);
}

/* False: it is not UTF-8, and in no JSON. */
static bool quote(struct buf *out, struct slice text, struct quoting how)
{
    static const char special[] = "\"\\\n\r\t\b\f", letters[] = "\"\\nrtbf";
    uint32_t code;

    for (size_t at = 0, used; at < text.len; at += used) {
        const char *found = memchr(special, text.text[at], sizeof(special) - 1);

        used = str_decode(text.text + at, text.len - at, &code);
        if (used == 0)
            return false;
        if (found)
            buf_format(out, "\\%c", letters[found - special]);
        else if (how.slashes && code == '/')
            buf_text(out, "\\/");
        else if (code < ' ' || (how.ascii && code > 0x7f))
            quote_code(out, code);
        else
            buf_add(out, text.text + at, used);
    }
    return true;
}

static void add_written(struct form_list *list, struct slice form)
{
    add_form(list, form);
    if (form.len < SECRET_LEAST)
        return;
    for (unsigned way = 0; way < 4; way++) {
        BUF_AUTO quoted = { 0 };

        buf_init(&quoted, 0);
        if (quote(&quoted, form, (struct quoting){ .slashes = way & 1, .ascii = way & 2 }) &&
            quoted.len > form.len)
            add_form(list, (struct slice){ quoted.bytes, quoted.len });
    }
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct slice trimmed(struct slice text)
{
    while (text.len > 0 && is_blank(text.text[text.len - 1]))
        text.len--;
    while (text.len > 0 && is_blank(*text.text)) {
        text.text++;
        text.len--;
    }
    return text;
}

/* How long the end of a line is that stands there; 0: the line goes on. `written_out`: also a backslash and
 * an n, as keys have them that had to fit into one line. */
static size_t line_end(struct slice text, size_t at, bool written_out)
{
    char c = text.text[at], next = at + 1 < text.len ? text.text[at + 1] : '\0';

    if (c == '\r' && next == '\n')
        return 2;
    if (c == '\r' || c == '\n')
        return 1;
    return written_out && c == '\\' && next == 'n' ? 2 : 0;
}

static void add_with_line_ends(struct form_list *list, struct slice text, const char *end, bool written_out)
{
    BUF_AUTO out = { 0 };

    buf_init(&out, 0);
    for (size_t at = 0, skip; at < text.len; at += skip ? skip : 1) {
        skip = line_end(text, at, written_out);
        buf_add(&out, skip ? end : text.text + at, skip ? strlen(end) : 1);
    }
    add_written(list, trimmed((struct slice){ out.bytes, out.len }));
}

/* The first and the last line of a key in PEM say what it is, and no more. */
static void add_line(struct form_list *list, struct slice line)
{
    line = trimmed(line);
    if (line.len < 5 || memcmp(line.text, "-----", 5) != 0)
        add_written(list, line);
}

static void add_lines(struct form_list *list, struct slice text)
{
    size_t from = 0;

    for (size_t at = 0, skip; at < text.len; at += skip ? skip : 1) {
        skip = line_end(text, at, true);
        if (!skip)
            continue;
        add_line(list, (struct slice){ text.text + from, at - from });
        from = at + skip;
    }
    if (from > 0)
        add_line(list, (struct slice){ text.text + from, text.len - from });
}

/* What stands around it is no secret, and the lines beside it stay whole without; but it may be what makes it
 * long enough. */
static void add_value(struct form_list *list, const char *value)
{
    struct slice given = { value, strlen(value) }, text = trimmed(given);

    if (text.len < SECRET_LEAST) {
        add_written(list, given);
        return;
    }
    add_written(list, text);
    for (int written_out = 0; written_out < 2; written_out++) {
        add_with_line_ends(list, text, "\n", written_out);
        add_with_line_ends(list, text, "\r\n", written_out);
    }
    add_lines(list, text);
}

static int by_begin(const void *one, const void *other)
{
    const struct secret_form *a = one, *b = other;

    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    if (a->len != b->len)
        return a->len > b->len ? -1 : 1;
    return memcmp(a->text, b->text, a->len);
}

/* Sorted, and each once. */
static size_t in_order(struct secret_form *all, size_t count)
{
    size_t kept = 0;

    qsort(all, count, sizeof(*all), by_begin);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || by_begin(&all[kept - 1], &all[i]) != 0)
            all[kept++] = all[i];
    return kept;
}

static void list_done(struct form_list *list)
{
    buf_done(&list->forms);
    arena_done(&list->arena);
}

const struct secret_forms *secrets_known(struct arena *arena, const char *const *values)
{
    __attribute__((cleanup(list_done))) struct form_list list = { 0 };

    buf_init(&list.forms, 0);
    for (; values && *values; values++)
        add_value(&list, *values);
    if (list.forms.len == 0)
        return NULL;
    struct secret_form *rough = (struct secret_form *)(void *)list.forms.bytes, *all;
    size_t count = in_order(rough, list.forms.len / sizeof(*rough));
    struct secret_forms *known = arena_new(arena, struct secret_forms);

    all = arena_array(arena, struct secret_form, count);
    for (size_t i = 0; i < count; i++) {
        size_t place = place_of(rough[i].begin);

        all[i] = rough[i];
        all[i].text = arena_copy(arena, rough[i].text, rough[i].len);
        known->begins[place / 64] |= UINT64_C(1) << place % 64;
    }
    known->all = all;
    known->count = count;
    return known;
}

/* Where one is. */

size_t secret_forms_at(const struct secret_forms *forms, const char *bytes, size_t len)
{
    size_t low = 0, high = forms->count;

    if (len < SECRET_LEAST)
        return 0;
    uint64_t begin = begin_of(bytes);
    size_t place = place_of(begin);

    if (!(forms->begins[place / 64] >> place % 64 & 1))
        return 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (forms->all[middle].begin < begin)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < forms->count && forms->all[low].begin == begin; low++)
        if (forms->all[low].len <= len && memcmp(bytes, forms->all[low].text, forms->all[low].len) == 0)
            return forms->all[low].len;
    return 0;
}
