#include "cli/screen/line.h"

#include "base/str.h"

#include <string.h>

static size_t encode(uint32_t code, char bytes[4])
{
    if (code < 0x80) {
        bytes[0] = (char)code;
        return 1;
    }
    size_t count = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char firsts[] = { 0, 0, 0xc0, 0xe0, 0xf0 };

    for (size_t i = count - 1; i > 0; i--, code >>= 6)
        bytes[i] = (char)(0x80 | (code & 0x3f));
    bytes[0] = (char)(firsts[count] | code);
    return count;
}

void line_add(struct screen_line *line, uint32_t code)
{
    char bytes[4];
    size_t count;

    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return;
    count = encode(code, bytes);
    if (line->len + count >= sizeof(line->text))
        return;
    memcpy(line->text + line->len, bytes, count);
    line->len += count;
    line->text[line->len] = '\0';
}

void line_rub_out(struct screen_line *line)
{
    while (line->len > 0 && ((unsigned char)line->text[--line->len] & 0xc0) == 0x80) {
    }
    line->text[line->len] = '\0';
}

void line_set(struct screen_line *line, const char *text)
{
    line->len = str_fitting(text, sizeof(line->text) - 1);
    memcpy(line->text, text, line->len);
    line->text[line->len] = '\0';
}
