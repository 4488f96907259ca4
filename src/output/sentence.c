/*
 * What a sentence wants from its reader.
 *
 * Whether a paragraph ends in asking is told by the words people and models use for it, on a text made plain
 * first: a question mark alone is not enough, since questions are also quoted, and asked of nobody.
 */
#include "output/sentence.h"

#include "output/parts.h"

#include <ctype.h>
#include <string.h>

/*
 * The length of a picture that stands here, or 0: arrows, dingbats and symbols (U+2190 to U+2BFF), emoji
 * (U+1F000 to U+1FFFF), and what joins or varies them (U+200D, U+20E3, U+FE0F, tags from U+E0000 on).
 */
static size_t picture(const char *text, size_t len)
{
    const unsigned char *at = (const unsigned char *)text;

    if (len >= 4 && ((at[0] == 0xF0 && at[1] == 0x9F) || (at[0] == 0xF3 && at[1] == 0xA0)))
        return 4;
    if (len < 3)
        return 0;
    if (at[0] == 0xE2 && at[1] >= 0x86 && at[1] <= 0xAF)
        return 3;
    return memcmp(at, "\xe2\x80\x8d", 3) == 0 || memcmp(at, "\xe2\x83\xa3", 3) == 0 ||
                   memcmp(at, "\xef\xb8\x8f", 3) == 0
               ? 3
               : 0;
}

/* Lower case, spaces collapsed, pictures and marks of emphasis gone, apostrophes made plain. */
char *sentence_plain(struct arena *arena, const char *text, size_t len)
{
    char *copy = arena_alloc(arena, len + 1, 1), *to = copy;

    for (size_t i = 0; i < len; i++) {
        size_t drawn = picture(text + i, len - i);
        char c = drawn ? ' ' : text[i];

        if (len - i > 2 && memcmp(text + i, "\xe2\x80\x99", 3) == 0) {
            c = '\'';
            i += 2;
        }
        i += drawn ? drawn - 1 : 0;
        if (c == '*' || c == '_' || c == '#' || c == '\0')
            continue;
        if ((unsigned char)c <= ' ') {
            if (to > copy && to[-1] != ' ')
                *to++ = ' ';
        } else {
            *to++ = (char)tolower((unsigned char)c);
        }
    }
    while (to > copy && to[-1] == ' ')
        to--;
    *to = '\0';
    return copy;
}

static bool starts_any(const char *text, const char *const *starts)
{
    for (; *starts; starts++)
        if (strncmp(text, *starts, strlen(*starts)) == 0)
            return true;
    return false;
}

static bool has_phrase(const char *text, const char *phrase)
{
    size_t len = strlen(phrase);

    for (const char *at = strstr(text, phrase); at; at = strstr(at + 1, phrase))
        if ((at == text || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[len]))
            return true;
    return false;
}

/* Whether a sentence that ends in a question mark is put to the reader. */
static bool is_for_reader(const char *sentence)
{
    static const char *const phrases[] = {
        "should i",        "should we",     "shall i",         "shall we",        "do you want",
        "do you prefer",   "do you need",   "do you have a",   "do you have any", "do you think",
        "would you",       "could you",     "can you",         "will you",        "did you want",
        "did you mean",    "do you mean",   "are you ok",      "are you okay",    "are you sure",
        "are you happy",   "are you fine",  "is it ok",        "is it okay",      "is that ok",
        "is that okay",    "is this ok",    "is this okay",    "may i",           "can i",
        "could i",         "how do you",    "how should",      "what should",     "what would you",
        "what do you",     "which option",  "which one",       "which approach",  "which of",
        "which do you",    "which should",  "where should",    "where do you",    "when should",
        "who should",      "want me to",    "like me to",      "you'd like",      "you prefer",
        "your preference", "ok to proceed", "okay to proceed", "how to proceed",  "please confirm",
        "please clarify",  "need me to",    "you want to",     "how shall",       NULL
    };
    static const char *const starts[] = { "which ",     "can we ", "could we ", "may we ", "proceed",
                                          "or should ", "ok to ",  "okay to ",  NULL };

    if (strstr(sentence, "anything else"))
        return false;
    if (starts_any(sentence, starts))
        return true;
    for (size_t i = 0; phrases[i]; i++)
        if (has_phrase(sentence, phrases[i]))
            return true;
    return false;
}

/* A request to decide something, put without a question mark. */
static bool is_request(const char *sentence)
{
    static const char *const starts[] = { "please clarify",
                                          "please specify",
                                          "please advise",
                                          "please choose",
                                          "please confirm whether",
                                          "please confirm which",
                                          "please confirm how",
                                          "please let me know which",
                                          "please let me know how",
                                          "please let me know whether",
                                          "please let me know what",
                                          "please tell me which",
                                          "please tell me how",
                                          "please tell me whether",
                                          "let me know which",
                                          "let me know how you",
                                          "let me know whether",
                                          "let me know what you",
                                          NULL };

    return starts_any(sentence, starts);
}

/* What people say after a question without adding anything to it. */
bool sentence_closes(const char *sentence)
{
    static const char *const starts[] = { "let me know",
                                          "please let me know",
                                          "just let me know",
                                          "thanks",
                                          "thank you",
                                          "looking forward",
                                          "i look forward",
                                          "i'll wait",
                                          "i will wait",
                                          "i'm waiting",
                                          "i am waiting",
                                          "waiting for",
                                          "awaiting",
                                          "happy to",
                                          "i'm happy to",
                                          "please advise",
                                          "please reply",
                                          "please respond",
                                          "once you",
                                          "once i have",
                                          "i recommend",
                                          "i'd recommend",
                                          "i would recommend",
                                          "my recommendation",
                                          "i suggest",
                                          "i'd suggest",
                                          "i would suggest",
                                          "i lean",
                                          "i'm leaning",
                                          "feel free",
                                          "cheers",
                                          "best",
                                          "no rush",
                                          "take your time",
                                          "either way",
                                          "(y/n)",
                                          "(yes/no)",
                                          "i'll proceed",
                                          "i will proceed",
                                          "i can proceed",
                                          "regards",
                                          "kind regards",
                                          "sorry",
                                          "please confirm",
                                          "please choose",
                                          "i'll hold",
                                          "i have not",
                                          "i haven't",
                                          "no changes",
                                          "reply with",
                                          "please tell me",
                                          "your input",
                                          "appreciate",
                                          "i appreciate",
                                          NULL };

    return *sentence == '\0' || starts_any(sentence, starts);
}

/* The end of a sentence: its mark, with quotes and brackets after it, then space or the end. */
static bool ends_sentence(const char *text, size_t at)
{
    if (!strchr(".!?", text[at]) || text[at] == '\0')
        return false;
    do
        at++;
    while (text[at] && strchr(".!?)\"']`", text[at]));
    return text[at] == '\0' || text[at] == ' ' || (unsigned char)text[at] >= 0x80;
}

/* Inside quotes or code the question is somebody else's. */
static bool is_quoted(const char *text, size_t at)
{
    bool quote = false, code = false;
    int curly = 0;

    for (size_t i = 0; i < at; i++) {
        quote ^= text[i] == '"';
        code ^= text[i] == '`';
        curly += strncmp(text + i, "\xe2\x80\x9c", 3) == 0;
        curly -= strncmp(text + i, "\xe2\x80\x9d", 3) == 0;
    }
    return quote || code || curly > 0;
}

/* Faces made of signs (":-)", "^^", "<3") and names of pictures (":pray:"), as the last word of a text. */
static bool is_face(const char *word, size_t len)
{
    static const char *const faces[] = { ":d", ":-d", ":p", ":-p", ":o", ":3", "<3", "xd", "^^", ":s", NULL };

    for (size_t i = 0; faces[i]; i++)
        if (strlen(faces[i]) == len && memcmp(faces[i], word, len) == 0)
            return true;
    if (len < 2 || !strchr(":;=", word[0]))
        return false;
    if (word[0] == ':' && len > 2 && word[len - 1] == ':')
        return true;
    return len <= 4 && strspn(word + 1, "-'^)(/|]\\") >= len - 1;
}

static size_t before_faces(const char *text, size_t end)
{
    for (;;) {
        size_t start;

        while (end > 0 && text[end - 1] == ' ')
            end--;
        for (start = end; start > 0 && !strchr(" ?!", text[start - 1]);)
            start--;
        if (start == end || !is_face(text + start, end - start))
            return end;
        end = start;
    }
}

/* The sentence before `end` in a plain text, cut off there; NULL when none is left. */
static char *last_sentence(char *text, size_t *end, size_t *mark)
{
    size_t at = before_faces(text, *end), start;

    if (at == 0)
        return NULL;
    text[at] = '\0';
    *mark = at - 1;
    while (*mark > 0 && strchr(")\"']`", text[*mark]))
        --*mark;
    start = *mark;
    while (start > 0 && !(text[start] == ' ' && ends_sentence(text, start - 1)))
        start--;
    *end = start;
    while (text[start] == ' ' || text[start] == '-' || text[start] == '>')
        start++;
    return text + start;
}

/*
 * Whether a paragraph ends in asking. Sentences are looked at from the last backwards: closing ones are
 * passed over, then at least one of the questions that stand together must be for the reader.
 */
bool sentences_ask(struct arena *arena, const char *text, size_t len, bool requests)
{
    size_t skip = len > OUTPUT_ASK_BYTES ? len - OUTPUT_ASK_BYTES : 0, mark;
    char *words = sentence_plain(arena, text + skip, len - skip), *sentence;
    size_t end = strlen(words);
    bool asked = false;

    for (unsigned seen = 0; seen < OUTPUT_SENTENCES && (sentence = last_sentence(words, &end, &mark));
         seen++) {
        if (words[mark] == '?') {
            if (is_quoted(words, mark))
                return false;
            if (is_for_reader(sentence))
                return true;
            asked = true;
        } else if (asked || (!sentence_closes(sentence) && !is_request(sentence))) {
            return false;
        } else if (requests && is_request(sentence)) {
            return true;
        }
    }
    return false;
}
