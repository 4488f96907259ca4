/*
 * window.h - the terminal as a screen: opened, written to in rows, read by keys, and given back as it was.
 *
 * It is given back on every way out of the program that lets it do anything: a return, exit(), a signal that
 * ends it, a crash. One at a time. Thread: the one that runs the command.
 */
#ifndef CLI_SCREEN_WINDOW_H
#define CLI_SCREEN_WINDOW_H

#include "cli/screen/keys.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether stdin and stdout are a terminal that can be drawn on; a dumb one cannot. */
bool window_possible(void);
/* False: the terminal is not known, or cannot do what is needed; nothing has changed then. */
bool window_open(bool colour);
void window_close(void);

/* The signal that asked to end, or 0. Requests end with it, too, by the pulse that cli->pulse may be set to.
 */
int window_signal(void);
struct cli;
bool window_pulse(struct cli *cli);

/* What was pressed; KEYNAME_NONE when nothing was. Does not wait. */
struct press window_key(void);

size_t window_rows(void);
size_t window_columns(void);

enum window_style { STYLE_PLAIN, STYLE_DIM, STYLE_BOLD, STYLE_CHOSEN, STYLE_URGENT };
void window_clear(void);
/* A whole row, cut at the edge. */
void window_row(size_t row, enum window_style style, const char *text);
void window_cursor(size_t row, size_t column, bool visible);
void window_show(void);

#endif
