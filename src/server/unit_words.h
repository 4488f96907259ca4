/*
 * unit_words.h - how systemd writes words, and files of variables.
 *
 * Words are parted by spaces and may be quoted; in them "\" escapes and "%" stands for something that systemd
 * fills in. What is filled in here is what is the same for every system service; another % is not guessed.
 */
#ifndef SERVER_UNIT_WORDS_H
#define SERVER_UNIT_WORDS_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>

/* Texts that grow in an arena; always followed by a NULL. */
struct word_list {
    char **items; /* NULL while there are none */
    size_t count, room;
};

void word_list_add(struct word_list *list, struct arena *arena, char *item);
/* One "NAME=VALUE" takes the place of another of the same name. */
void word_list_set(struct word_list *list, struct arena *arena, char *pair);
/* Takes out what is called NAME, or is exactly this "NAME=VALUE". */
void word_list_unset(struct word_list *list, const char *name);

/* The words of a line of a unit, for the unit `name` ("witan.service"). */
CHECKED bool unit_words(struct arena *arena, const char *name, const char *line, struct word_list *into,
                        struct err *err);
/* A value that is one whole: only what % stands for is filled in. */
CHECKED bool unit_value(struct arena *arena, const char *name, const char *text, char **value,
                        struct err *err);
/* The text of an EnvironmentFile=. */
void unit_variables(struct arena *arena, const char *text, struct word_list *into);

#endif
