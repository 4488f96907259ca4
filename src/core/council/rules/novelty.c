/*
 * Only hashes of word triples are kept, in a table with open addressing that doubles in the arena. Two
 * different triples may share a hash; with 64 bits that is rarer than any mistake of the measure itself.
 */
#include "core/council/rules/novelty.h"

#include "base/str.h"

#include <string.h>

#define FIRST_ROOM     256
#define WITHOUT_SPACES 0x2E80 /* from here on scripts are written without spaces, by and large */

static const uint64_t hash_start = 0xcbf29ce484222325u, hash_prime = 0x100000001b3u;

static uint64_t hash_more(uint64_t hash, uint64_t value)
{
    for (int i = 0; i < 8; i++, value >>= 8)
        hash = (hash ^ (value & 0xFF)) * hash_prime;
    return hash;
}

void novelty_begin(struct novelty *novelty, struct arena *arena)
{
    *novelty = (struct novelty){ .arena = arena, .room = FIRST_ROOM };
    novelty->slots = arena_array(arena, uint64_t, FIRST_ROOM);
}

/* Where the hash is, or belongs. */
static uint64_t *find_slot(const struct novelty *novelty, uint64_t hash)
{
    size_t at = hash & (novelty->room - 1);

    while (novelty->slots[at] != 0 && novelty->slots[at] != hash)
        at = (at + 1) & (novelty->room - 1);
    return &novelty->slots[at];
}

static void grow(struct novelty *novelty)
{
    struct novelty larger = { novelty->arena, NULL, novelty->used, novelty->room * 2 };

    larger.slots = arena_array(novelty->arena, uint64_t, larger.room);
    for (size_t i = 0; i < novelty->room; i++)
        if (novelty->slots[i] != 0)
            *find_slot(&larger, novelty->slots[i]) = novelty->slots[i];
    *novelty = larger;
}

static void put(struct novelty *novelty, uint64_t hash)
{
    uint64_t *slot = find_slot(novelty, hash);

    if (*slot != 0)
        return;
    *slot = hash;
    if (++novelty->used * 2 > novelty->room)
        grow(novelty);
}

static bool is_word_character(uint32_t code)
{
    if (code < 0x80)
        return (code >= '0' && code <= '9') || (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
    /* Typographic signs, spaces and symbols are between words. */
    return code >= 0xC0 && !(code >= 0x2000 && code < WITHOUT_SPACES) &&
           !(code >= 0x3000 && code <= 0x3004) && !(code >= 0x3008 && code <= 0x3020) &&
           !(code >= 0xFF00 && code <= 0xFF0F) && code < 0x1F000;
}

struct rest {
    const char *at;
    size_t len;
};

/* The hash of the next word; false at the end. */
static bool next_word(struct rest *rest, uint64_t *word)
{
    uint64_t hash = hash_start;
    bool inside = false;
    uint32_t code;

    while (rest->len > 0) {
        size_t size = str_decode(rest->at, rest->len, &code);
        bool counts = size > 0 && is_word_character(code);

        if (inside && (!counts || code >= WITHOUT_SPACES))
            break;
        rest->at += size ? size : 1;
        rest->len -= size ? size : 1;
        if (!counts)
            continue;
        inside = true;
        hash = hash_more(hash, code >= 'A' && code <= 'Z' ? code + 32 : code);
        if (code >= WITHOUT_SPACES)
            break;
    }
    *word = hash;
    return inside;
}

/* The hashes of a text's pieces: triples, or one shorter piece. */
static uint64_t *pieces_of(struct arena *arena, const char *text, size_t *count)
{
    struct rest rest = { text, strlen(text) };
    uint64_t *pieces = arena_array(arena, uint64_t, rest.len + 1), words[3] = { 0 };
    size_t seen = 0;

    *count = 0;
    while (next_word(&rest, &words[seen % 3])) {
        seen++;
        if (seen >= 3)
            pieces[(*count)++] =
                hash_more(hash_more(hash_more(hash_start, words[seen % 3]), words[(seen + 1) % 3]),
                          words[(seen + 2) % 3]);
    }
    if (seen == 1 || seen == 2)
        pieces[(*count)++] = hash_more(hash_more(hash_start, words[0]), words[1]);
    for (size_t i = 0; i < *count; i++)
        pieces[i] |= pieces[i] == 0;
    return pieces;
}

struct novelty_share novelty_add(struct novelty *novelty, const char *text)
{
    struct novelty_share share = { 0 };
    uint64_t *pieces = pieces_of(novelty->arena, text, &share.total);

    for (size_t i = 0; i < share.total; i++)
        share.shared += *find_slot(novelty, pieces[i]) != 0;
    for (size_t i = 0; i < share.total; i++)
        put(novelty, pieces[i]);
    return share;
}

bool novelty_is_old(struct novelty_share share)
{
    return share.shared * 100 >= share.total * NOVELTY_SHARED_PERCENT;
}

double novelty_ratio(struct novelty_share share)
{
    return share.total ? (double)share.shared / (double)share.total : 1;
}

struct novelty_round novelty_of_round(struct arena *arena, const struct council_entry *entries, size_t count,
                                      int round)
{
    struct novelty_round result = { 0 };
    struct novelty said;

    novelty_begin(&said, arena);
    for (size_t i = 0; i < count; i++) {
        if (entries[i].kind != ENTRY_SAID || entries[i].round > round)
            continue;
        struct novelty_share share = novelty_add(&said, entries[i].content);

        if (entries[i].round != round)
            continue;
        double ratio = novelty_ratio(share);

        if (result.contributions++ == 0 || ratio < result.least)
            result.least = ratio;
        result.old += novelty_is_old(share);
    }
    result.nothing_new = result.contributions > 0 && result.old == result.contributions;
    return result;
}
