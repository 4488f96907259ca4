#include "core/log/event_type.h"

#define EVENT_WORD(name, word) word,

const char *const event_types[] = { EVENT_TYPES(EVENT_WORD) NULL };
WORDS_FIT(event_types, EVENT_TYPE_END);

enum event_type event_type_of(const char *word)
{
    unsigned type = words_find(event_types, word);

    return type == WORD_UNKNOWN ? EVENT_UNKNOWN : type;
}
