/*
 * Sentences are compared word by word with patterns, after short forms were written out and what may stand
 * before or after the sentence was taken off. A word of a pattern is a list of alternatives; '?' behind it:
 * it may be left out; '*': it may also stand several times. Patterns are few and short, so each is tried.
 */
#include "core/council/rules/pass.h"

#include "base/str.h"

#include <string.h>
#include <strings.h>

#define WORDS_MAX 32  /* of one sentence; a longer one says something */
#define REPLY_MAX 600 /* bytes; a longer reply says something, unless it is marked */
#define WORD_MAX  32

/* clang-format off */
#define OTHER  " else|more|further|new|left|other|additional* "
#define SAY    " to add|say|contribute|offer|share "
#define THINGS " comments|comment|thoughts|points|input|remarks|additions|contributions "
/* clang-format on */

static const char *const sentences[] = {
    "i|we pass",
    "i|we will|would|must pass",
    "i|we choose|decide|prefer|want|wish to pass",
    "no response",
    "i|we? have got? nothing" OTHER SAY,
    "i|we do|have not have|got? anything" OTHER SAY,
    "there is nothing" OTHER "for? me?" SAY,
    "there is not anything" OTHER "for? me?" SAY,
    "nothing" OTHER SAY,
    "nothing" OTHER "from|on me|my|our side|end?",
    "i|we have no" OTHER THINGS,
    "i|we have no" OTHER THINGS SAY,
    "i|we do not have any" OTHER THINGS,
    "i|we do not have any" OTHER THINGS SAY,
    "no further|more|other|additional" THINGS,
    "no further|more|other|additional" THINGS "from me|my|our side|end?",
};

/* What may stand behind such a sentence without saying anything. */
static const char *const endings[] = {
    "at this|the|that time|point|stage|moment",
    "at present",
    "right? now",
    "for now",
    "for? the? moment",
    "in|for|on? this round|turn|time",
    "to|in this|the|our discussion|conversation|debate|topic",
    "here",
    "yet",
    "thanks",
    "thank you",
};

static const char *const openings[] = {
    "no", "ok|okay", "thanks", "thank you", "sorry", "at this|the time|point|stage|moment", "for now", "then",
};

static const char *const fillers[] = { "thanks", "thank you", "ok|okay", "no" };

/* Short forms, written out as two words; the second may be missing. */
static const struct {
    const char *form, *first, *second;
} forms[] = {
    { "i've", "i", "have" },      { "we've", "we", "have" },    { "i'll", "i", "will" },
    { "we'll", "we", "will" },    { "i'd", "i", "would" },      { "don't", "do", "not" },
    { "dont", "do", "not" },      { "haven't", "have", "not" }, { "isn't", "is", "not" },
    { "there's", "there", "is" }, { "theres", "there", "is" },  { "really", NULL, NULL },
    { "currently", NULL, NULL },  { "just", NULL, NULL },       { "simply", NULL, NULL },
    { "honestly", NULL, NULL },   { "ive", "i", "have" },
};

const char *const pass_kinds[] = { "mark", "word", "sentence", "empty", "failed", "late", NULL };
WORDS_FIT(pass_kinds, PASS_END);

struct words {
    char at[WORDS_MAX][WORD_MAX];
    size_t first, count; /* words before `first` were taken off */
    bool many;           /* there were more, or longer ones, than such a sentence has */
};

void pass_members(const struct pass *pass, struct json_out *out)
{
    json_bool(out, "pass", true);
    json_text(out, "passKind", pass_kind_word(pass->kind));
    json_text(out, "reason", pass->reason);
}

static void add_word(struct words *words, const char *word, size_t len)
{
    if (words->count == WORDS_MAX || len >= WORD_MAX) {
        words->many = true;
        return;
    }
    memcpy(words->at[words->count], word, len);
    words->at[words->count++][len] = '\0';
}

static void add_written_out(struct words *words, const char *word, size_t len)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++)
        if (strlen(forms[i].form) == len && memcmp(forms[i].form, word, len) == 0) {
            if (forms[i].first)
                add_word(words, forms[i].first, strlen(forms[i].first));
            if (forms[i].second)
                add_word(words, forms[i].second, strlen(forms[i].second));
            return;
        }
    add_word(words, word, len);
}

/* The next token of a pattern. */
struct pattern_word {
    const char *at;
    size_t len;
    bool optional, repeats;
};

static bool next_pattern_word(const char **pattern, struct pattern_word *word)
{
    const char *at = *pattern + strspn(*pattern, " ");

    word->at = at;
    word->len = strcspn(at, " ?*");
    word->repeats = at[word->len] == '*';
    word->optional = word->repeats || at[word->len] == '?';
    *pattern = at + word->len + word->optional;
    return word->len > 0;
}

static bool fits(const struct pattern_word *pattern, const char *word)
{
    const char *at = pattern->at, *end = at + pattern->len;

    while (at < end) {
        size_t len = strcspn(at, "| ?*");

        if (strlen(word) == len && memcmp(at, word, len) == 0)
            return true;
        at += len + 1;
    }
    return false;
}

/* Where the pattern ends that starts at this word; 0 when it does not match, or matches nothing. */
static size_t match(const struct words *words, size_t at, const char *pattern)
{
    struct pattern_word word;

    while (next_pattern_word(&pattern, &word)) {
        if (at < words->count && fits(&word, words->at[at])) {
            at++;
            while (word.repeats && at < words->count && fits(&word, words->at[at]))
                at++;
        } else if (!word.optional) {
            return 0;
        }
    }
    return at;
}

static bool matches_whole(const struct words *words, const char *const *patterns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (match(words, words->first, patterns[i]) == words->count)
            return true;
    return false;
}

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

static bool take_opening(struct words *words)
{
    for (size_t i = 0; i < COUNT(openings); i++) {
        size_t end = match(words, words->first, openings[i]);

        if (end > words->first && end < words->count) {
            words->first = end;
            return true;
        }
    }
    return false;
}

/* The longest that stands there. */
static bool take_ending(struct words *words)
{
    for (size_t at = words->first + 1; at < words->count; at++)
        for (size_t i = 0; i < COUNT(endings); i++)
            if (match(words, at, endings[i]) == words->count) {
                words->count = at;
                return true;
            }
    return false;
}

/* What a sentence is, by its words. */
enum sentence { SENTENCE_SAYS, SENTENCE_FILLS, SENTENCE_WORD, SENTENCE_PASSES };

static enum sentence judge(struct words *words)
{
    if (words->many)
        return SENTENCE_SAYS;
    if (words->count == 0 || matches_whole(words, fillers, COUNT(fillers)))
        return SENTENCE_FILLS;
    if (words->count == 1 && strcmp(words->at[0], "pass") == 0)
        return SENTENCE_WORD;
    do {
        if (matches_whole(words, sentences, COUNT(sentences)))
            return SENTENCE_PASSES;
    } while (take_opening(words));
    while (take_ending(words))
        if (matches_whole(words, sentences, COUNT(sentences)) ||
            (words->count == words->first + 1 && strcmp(words->at[words->first], "pass") == 0))
            return SENTENCE_PASSES;
    return SENTENCE_SAYS;
}

/* Bytes of a typographic sign that stands for this ASCII one; 0: none does. */
static size_t read_sign(const char *at, char *sign)
{
    static const struct {
        const char *bytes;
        char sign;
    } signs[] = { { "\xE2\x80\x99", '\'' }, { "\xE2\x80\x98", '\'' }, { "\xE2\x80\x9C", '"' },
                  { "\xE2\x80\x9D", '"' },  { "\xE2\x80\x93", '-' },  { "\xE2\x80\x94", '-' },
                  { "\xE2\x80\xA6", '.' } };

    for (size_t i = 0; i < COUNT(signs); i++)
        if (str_starts(at, signs[i].bytes)) {
            *sign = signs[i].sign;
            return strlen(signs[i].bytes);
        }
    return 0;
}

/* Folded, and with plain signs only. */
static char *plain(struct arena *arena, const char *text)
{
    char *folded = str_lower(arena, text), *to = folded;

    for (const char *from = folded; *from;) {
        char sign;
        size_t len = read_sign(from, &sign);

        *to++ = len ? sign : *from;
        from += len ? len : 1;
    }
    *to = '\0';
    return folded;
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '\'' || (c & 0x80);
}

/* A quote that is no apostrophe belongs to no word. */
static void read_word(struct words *words, const char *word, size_t len)
{
    while (len > 0 && *word == '\'')
        word++, len--;
    while (len > 0 && word[len - 1] == '\'')
        len--;
    if (len > 0)
        add_written_out(words, word, len);
}

static struct pass pass_by_sentences(struct arena *arena, const char *text)
{
    struct pass pass = { .kind = PASS_NOT, .reason = "" };
    bool word_only = true, passed = false;
    const char *at = plain(arena, text);

    while (*at) {
        struct words words = { 0 };

        for (; *at && !strchr(".!?;-:\n", *at);) {
            size_t len = 0;

            while (at[len] && is_word_byte(at[len]))
                len++;
            read_word(&words, at, len);
            /* Marks around words say nothing; signs such as '=' or '#' may. */
            if (len == 0 && !strchr(" \t,*_\"'`()>", *at))
                words.many = true;
            at += len ? len : 1;
        }
        at += *at != '\0';
        enum sentence kind = judge(&words);

        if (kind == SENTENCE_SAYS)
            return pass;
        passed = passed || kind != SENTENCE_FILLS;
        word_only = word_only && kind != SENTENCE_PASSES;
    }
    if (passed)
        pass = (struct pass){ word_only ? PASS_WORD : PASS_SENTENCE, word_only ? "" : str_trim(arena, text) };
    return pass;
}

/* Past what may stand around a mark, or before its reason. */
static const char *skip_signs(const char *at, const char *set)
{
    for (char sign; *at;) {
        size_t len = read_sign(at, &sign);

        if (!strchr(set, len ? sign : *at))
            break;
        at += len ? len : 1;
    }
    return at;
}

/* The rest of a text that starts with a mark, or NULL. */
static const char *behind_mark(const char *text)
{
    static const char *const marks[] = { "pass", "no response", "no_response", "no-response", "noresponse" };
    const char *at = skip_signs(text, " \t\n*_`\"'>");

    if (*at++ != '[')
        return NULL;
    at += strspn(at, " ");
    for (size_t i = 0; i < COUNT(marks); i++) {
        size_t len = strlen(marks[i]);

        if (strncasecmp(at, marks[i], len) == 0 && at[len + strspn(at + len, " ")] == ']')
            return at + len + strspn(at + len, " ") + 1;
    }
    return NULL;
}

bool pass_is_marked(const char *text)
{
    return behind_mark(text) != NULL;
}

static const char *reason_of(struct arena *arena, const char *rest)
{
    char *reason = str_trim(arena, skip_signs(rest, " \t\n*_`\"'>-:;,."));
    size_t len = strlen(reason);

    if (len > 2 && reason[0] == '(' && strchr(reason, ')') == reason + len - 1) {
        reason[len - 1] = '\0';
        reason++;
    }
    return str_trim(arena, reason);
}

struct pass pass_of_text(struct arena *arena, const char *text)
{
    const char *rest = behind_mark(text);

    if (rest)
        return (struct pass){ PASS_MARK, reason_of(arena, rest) };
    if (strlen(text) > REPLY_MAX)
        return (struct pass){ PASS_NOT, "" };
    return pass_by_sentences(arena, text);
}

struct pass pass_of_reply(struct arena *arena, const struct reply *reply)
{
    const char *rest = behind_mark(reply->whole);

    if (rest && (reply->stop || reply->other)) {
        const char *reason = reason_of(arena, rest), *end = strstr(reason, "\n\n");

        return (struct pass){ PASS_MARK, end ? arena_copy(arena, reason, (size_t)(end - reason)) : reason };
    }
    if (rest)
        return (struct pass){ PASS_MARK, reason_of(arena, rest) };
    if (reply->lack != LACK_NONE)
        return (struct pass){ PASS_EMPTY, reply_lack_sentence(reply->lack) };
    return pass_of_text(arena, reply->text);
}
