/*
 * line.h - a line of text being typed at the end.
 */
#ifndef CLI_SCREEN_LINE_H
#define CLI_SCREEN_LINE_H

#include <stddef.h>
#include <stdint.h>

#define LINE_SIZE 4096

struct screen_line {
    char text[LINE_SIZE]; /* UTF-8 */
    size_t len;
};

void line_add(struct screen_line *line, uint32_t code); /* nothing when it is full */
void line_rub_out(struct screen_line *line);            /* a whole character */
void line_set(struct screen_line *line, const char *text);

#endif
