/*
 * Texts become words between single spaces, after which each rule is a plain search. The rule errs towards
 * finding a confirmation: a question that is left out is reported, one too many teaches people to say yes
 * unread.
 */
#include "core/work/confirmation.h"

#include "base/str.h"

#include <ctype.h>
#include <string.h>

#define NEAR 8 /* words among which the three have to stand */

/* Letters and digits are kept, everything else becomes one space: "you're sure?!" is "you re sure". */
static char *words_of(struct arena *arena, const char *text)
{
    char *words = str_lower(arena, text), *to = words;

    for (const char *from = words; *from; from++) {
        if (isalnum((unsigned char)*from) || (unsigned char)*from >= 0x80)
            *to++ = *from;
        else if (to > words && to[-1] != ' ')
            *to++ = ' ';
    }
    while (to > words && to[-1] == ' ')
        to--;
    *to = '\0';
    return words;
}

static int part_of(const char *word, size_t len)
{
    static const char *const parts[] = { "are", "re", "you", "sure", "certain" };
    static const int numbers[] = { 0, 0, 1, 2, 2 };

    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        if (strlen(parts[i]) == len && memcmp(parts[i], word, len) == 0)
            return numbers[i];
    return -1;
}

/* Whether are, you and sure stand near each other; each is known by where it stood last. */
static bool asks_if_sure(const char *words)
{
    size_t last[3] = { 0, 0, 0 }, at = 0; /* places count from 1 */

    while (*words) {
        size_t len = strcspn(words, " ");
        int part = part_of(words, len);

        at++;
        if (part >= 0)
            last[part] = at;
        if (part >= 0 && last[0] && last[1] && last[2] && at - last[0] < NEAR && at - last[1] < NEAR &&
            at - last[2] < NEAR)
            return true;
        words += len + (words[len] == ' ');
    }
    return false;
}

bool confirmation_is(struct arena *arena, const struct output_question *question)
{
    static const char *const anywhere[] = { "can you confirm", "could you confirm", "please confirm",
                                            "do you confirm" };
    static const char *const whole[] = { "is that correct", "is this correct", "is that right",
                                         "is this right",   "confirm",         "shall i go ahead" };
    const char *words = words_of(arena, question->text);

    if (question->confirmation || asks_if_sure(words))
        return true;
    for (size_t i = 0; i < sizeof(anywhere) / sizeof(*anywhere); i++)
        if (strstr(words, anywhere[i]))
            return true;
    for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++)
        if (strcmp(words, whole[i]) == 0)
            return true;
    return false;
}
