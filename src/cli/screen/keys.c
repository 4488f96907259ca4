/* Where text is typed, characters are text; everywhere else they are commands, of which the table says the
 * meaning. */
#include "cli/screen/keys.h"

#include <stdbool.h>
#include <stddef.h>

#define CONTROL(letter) ((letter)&0x1f)

static bool is_typing(enum screen_mode mode)
{
    return mode == SCREEN_ANSWER || mode == SCREEN_FILTER;
}

static enum act named(enum screen_mode mode, enum key_name name)
{
    switch (name) {
    case KEYNAME_UP: return is_typing(mode) ? ACT_NONE : ACT_UP;
    case KEYNAME_DOWN: return is_typing(mode) ? ACT_NONE : ACT_DOWN;
    case KEYNAME_PAGE_UP: return is_typing(mode) ? ACT_NONE : ACT_PAGE_UP;
    case KEYNAME_PAGE_DOWN: return is_typing(mode) ? ACT_NONE : ACT_PAGE_DOWN;
    case KEYNAME_HOME: return is_typing(mode) ? ACT_NONE : ACT_FIRST;
    case KEYNAME_END: return is_typing(mode) ? ACT_NONE : ACT_LAST;
    case KEYNAME_ENTER: return mode == SCREEN_LIST ? ACT_SHOW : mode == SCREEN_SHOW ? ACT_NONE : ACT_SEND;
    case KEYNAME_BACKSPACE: return is_typing(mode) ? ACT_RUB_OUT : mode == SCREEN_LIST ? ACT_NONE : ACT_BACK;
    case KEYNAME_ESCAPE: return ACT_BACK;
    case KEYNAME_RESIZED: return ACT_REDRAW;
    case KEYNAME_NONE:
    case KEYNAME_CHARACTER: break;
    }
    return ACT_NONE;
}

static struct deed typed(uint32_t code)
{
    if (code == CONTROL('u'))
        return (struct deed){ .act = ACT_CLEAR };
    if (code == CONTROL('h'))
        return (struct deed){ .act = ACT_RUB_OUT };
    return (struct deed){ .act = code < 0x20 || (code >= 0x7f && code < 0xa0) ? ACT_NONE : ACT_TYPE,
                          .code = code };
}

static struct deed commanded(enum screen_mode mode, uint32_t code)
{
    static const struct {
        uint32_t code;
        enum act act;
    } meanings[] = {
        { 'k', ACT_UP },
        { 'j', ACT_DOWN },
        { 'g', ACT_FIRST },
        { 'G', ACT_LAST },
        { 'a', ACT_YES },
        { 'r', ACT_NO },
        { CONTROL('b'), ACT_PAGE_UP },
        { CONTROL('f'), ACT_PAGE_DOWN },
        { ' ', ACT_PAGE_DOWN },
        { CONTROL('l'), ACT_REDRAW },
    };

    if (code == '/' && mode == SCREEN_LIST)
        return (struct deed){ .act = ACT_FILTER };
    if (code == 'q')
        return (struct deed){ .act = mode == SCREEN_LIST ? ACT_QUIT : ACT_BACK };
    if (code >= '1' && code <= '9')
        return (struct deed){ .act = ACT_CHOOSE, .code = code - '0' };
    for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
        if (meanings[i].code == code)
            return (struct deed){ .act = meanings[i].act };
    return (struct deed){ .act = ACT_NONE };
}

struct deed keys_mean(enum screen_mode mode, struct press press)
{
    if (press.name != KEYNAME_CHARACTER)
        return (struct deed){ .act = named(mode, press.name) };
    return is_typing(mode) ? typed(press.code) : commanded(mode, press.code);
}

const char *keys_help(enum screen_mode mode)
{
    switch (mode) {
    case SCREEN_LIST: return "q quit  Enter show  a answer/approve  r reject  1-9 choose  j/k move  / filter";
    case SCREEN_SHOW: return "q back  a answer/approve  r reject  1-9 choose  j/k scroll";
    case SCREEN_CONFIRM: return "Enter send  Esc take back  j/k scroll";
    case SCREEN_ANSWER: return "Enter send  Esc take back  Ctrl-U begin again";
    case SCREEN_FILTER: return "Enter keep  Esc all";
    }
    return "";
}
