/*
 * keys.h - what a key means, by what is on the screen. Knows no terminal and no list.
 */
#ifndef CLI_SCREEN_KEYS_H
#define CLI_SCREEN_KEYS_H

#include <stdint.h>

/* What is on the screen. */
enum screen_mode {
    SCREEN_LIST,
    SCREEN_SHOW,    /* one thing, whole */
    SCREEN_CONFIRM, /* the same, with an answer that waits for Enter */
    SCREEN_ANSWER,  /* the same, with an answer being typed */
    SCREEN_FILTER,  /* the list, with a filter being typed */
};

/* A key that was pressed: one with a name, or the character that it gave. */
enum key_name {
    KEYNAME_NONE,
    KEYNAME_CHARACTER,
    KEYNAME_UP,
    KEYNAME_DOWN,
    KEYNAME_PAGE_UP,
    KEYNAME_PAGE_DOWN,
    KEYNAME_HOME,
    KEYNAME_END,
    KEYNAME_ENTER,
    KEYNAME_BACKSPACE,
    KEYNAME_ESCAPE,
    KEYNAME_RESIZED,
};
struct press {
    enum key_name name;
    uint32_t code; /* of a character */
};

enum act {
    ACT_NONE,
    ACT_QUIT,
    ACT_UP,
    ACT_DOWN,
    ACT_PAGE_UP,
    ACT_PAGE_DOWN,
    ACT_FIRST,
    ACT_LAST,
    ACT_SHOW,
    ACT_BACK,   /* from one thing to the list; what was typed or chosen is taken back */
    ACT_YES,    /* approve, yes, or type an answer */
    ACT_NO,     /* reject, no, or pass */
    ACT_CHOOSE, /* the option of that number */
    ACT_FILTER,
    ACT_SEND, /* what was typed or chosen */
    ACT_TYPE,
    ACT_RUB_OUT,
    ACT_CLEAR, /* all that was typed */
    ACT_REDRAW,
};
struct deed {
    enum act act;
    uint32_t code; /* the character typed, or the number of the option, from 1 */
};

struct deed keys_mean(enum screen_mode mode, struct press press);
/* What can be pressed, in one line; the most needed first. */
const char *keys_help(enum screen_mode mode);

#endif
