/*
 * The password is brought to a plain form (small letters, 0 for o, digits and signs around it gone) and
 * looked up in a list of words and in runs of keys, forwards and backwards. Guessing programs do the same,
 * which is the point.
 */
#include "core/identity/password.h"

#include "base/limits.h"
#include "base/str.h"

#include <ctype.h>
#include <string.h>

/* The words behind the commonest passwords, as plain() leaves them, each between spaces. */
static const char words[] =
    " aaron abcabc abcd abcdef abcdefg abcdefgh abcdefghi abcdefghij access admin administrator adminadmin aloha amanda andrew angel arsenal asdf asdfasdf asdfgh asdfghjk asdfghjkl ashley azerty azertyuiop babygirl bailey barcelona baseball basketball batman biteme blink buster butterfly changeit changeme charlie cheese chelsea chocolate company computer cookie default demo dragon dragonball facebook flower football freedom fuckyou ginger google guest hannah harley hello helloworld hockey hunter iamgod iloveu iloveyou internet jennifer jessica jordan joshua justin killer kjhgfdsa letmein liverpool login london lovely loveme lovers maggie manager manchester master matrix matthew maverick merlin michael michelle minecraft monkey mustang naruto newpassword nicole nothing pass passw passwd passwort password passport pepper playstation pokemon poiuytrewq princess purple qazwsx qazwsxedc qwaszx qweasd qweasdzxc qweqwe qwer qwerasdf qwert qwerty qwertyu qwertyui qwertyuiop ranger root samantha samsung secret server shadow slipknot snoopy soccer spiderman starwars summer sunshine superman superuser support sysadmin system temp test tester testing testtest thomas thunder tigger trustno unknown user welcome whatever william winner winter witan yankees zxcvbn zxcvbnm zxcvbnmasdfghjklqwertyuiop ";

/* Runs of keys and digits that are common without any word in them; also backwards, or a part of one. */
static const char *const runs[] = {
    "12345678901234567890",
    "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
    "qwertyuiopasdfghjklzxcvbnm",
    "qwertzuiopasdfghjklyxcvbnm",
    "1q2w3e4r5t6y7u8i9o0p",
    "1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p",
    "q1w2e3r4t5y6u7i8o9p0",
    "zaq12wsxcde34rfvbgt56yhnmju7",
    "qazwsxedcrfvtgbyhnujmikolp",
    "00112233445566778899",
    "112233445566778899001122334455",
    "123123123123123123123123",
    "123321123321123321",
    "147258369147258369",
    "789456123789456123",
    "3141592653589793238462643383279",
};

static char plain_letter(char byte)
{
    static const char from[] = "0134578@$!+", to[] = "oleastbasit";
    const char *found = strchr(from, byte);

    return found && byte ? to[found - from] : (char)tolower((unsigned char)byte);
}

/* Lower case, without what stands before the first letter and behind the last, with letters for their signs.
 */
static char *plain(struct arena *arena, const char *text)
{
    size_t len = strlen(text);

    while (len > 0 && (unsigned char)text[len - 1] < 0x80 && !isalpha((unsigned char)text[len - 1]))
        len--;
    while (len > 0 && (unsigned char)*text < 0x80 && !isalpha((unsigned char)*text))
        text++, len--;
    char *made = arena_copy(arena, text, len);

    for (char *at = made; *at; at++)
        *at = plain_letter(*at);
    return made;
}

/* "abcabc" is "abc" twice. */
static size_t period(const char *text, size_t len)
{
    for (size_t part = 1; part <= len / 2; part++)
        if (len % part == 0 && memcmp(text, text + part, len - part) == 0)
            return part;
    return len;
}

static bool is_word(struct arena *arena, const char *text)
{
    size_t len = strlen(text);
    const char *once = arena_format(arena, " %.*s ", (int)period(text, len), text);

    return len > 0 && !strchr(text, ' ') &&
           (strstr(words, once) || strstr(words, arena_format(arena, " %s ", text)));
}

static bool is_run(struct arena *arena, const char *folded)
{
    size_t len = strlen(folded);
    char *backwards = arena_copy(arena, folded, len);

    for (size_t i = 0; i < len; i++)
        backwards[i] = folded[len - 1 - i];
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++)
        if (strstr(runs[i], folded) || strstr(runs[i], backwards))
            return true;
    return false;
}

static size_t distinct(const char *text)
{
    bool seen[256] = { false };
    size_t count = 0;

    for (; *text; text++) {
        count += !seen[(unsigned char)*text];
        seen[(unsigned char)*text] = true;
    }
    return count;
}

/* How many characters are left when each occurrence of the name is taken out. */
static size_t beyond(const char *folded, const char *name)
{
    size_t left = 0, len = strlen(name);

    while (*folded) {
        if (len > 0 && strncmp(folded, name, len) == 0) {
            folded += len;
            continue;
        }
        left += ((unsigned char)*folded & 0xc0) != 0x80;
        folded++;
    }
    return left;
}

static bool is_mostly_name(struct arena *arena, const char *folded, const char *name)
{
    const char *wanted = name ? str_fold(arena, name) : "";
    size_t len = strlen(wanted);

    /* A name of one or two letters is in many a good password. */
    return len > 2 && strstr(folded, wanted) && beyond(folded, wanted) < PASSWORD_BEYOND_NAME;
}

static bool refuse(const char *field, const char *why, struct err *err)
{
    err_field(err, field, "%s", why);
    return err_hint(err, "Take three or four words that do not belong together.");
}

bool password_check(struct arena *arena, const char *field, const char *password, const char *name,
                    struct err *err)
{
    const char *folded = str_fold(arena, password);

    if (str_chars(password) < PASSWORD_MIN)
        return refuse(field, arena_format(arena, "A password has at least %d characters.", PASSWORD_MIN),
                      err);
    if (is_mostly_name(arena, folded, name))
        return refuse(field, "This password is hardly more than the user's name.", err);
    if (distinct(folded) < PASSWORD_DISTINCT)
        return refuse(field, "This password is the same few characters over and over.", err);
    if (is_word(arena, plain(arena, password)) || is_run(arena, folded))
        return refuse(field, "This password is one of those that are tried first.", err);
    return true;
}
