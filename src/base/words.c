#include "base/words.h"

#include <string.h>

unsigned words_find(const char *const words[], const char *text)
{
    if (!text)
        return 0;
    for (unsigned i = 0; words[i]; i++)
        if (strcmp(words[i], text) == 0)
            return i + 1;
    return WORD_UNKNOWN;
}
