/* Plants a bug behind fuzz_query's parser from outside: read before the target when FUZZ_PLANT is on. */
#include "http/url.h"
#include "tests/fuzz/fuzz.h"

CHECKED static inline bool planted_parse(struct arena *arena, const char *raw, struct url_query *query,
                                         struct err *err)
{
    if (!url_parse_query(arena, raw, query, err))
        return false;
    for (size_t i = 0; i < query->count; i++)
        plant(strlen(query->pairs[i].value), 21);
    return true;
}
#define url_parse_query planted_parse
