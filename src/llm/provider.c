#include "llm/provider.h"

const struct provider *provider_of(enum llm_provider provider)
{
    static const struct provider *const providers[LLM_PROVIDERS] = {
#define X(value, word) [LLM_##value] = &provider_##word,
        LLM_PROVIDER_LIST(X)
#undef X
    };

    return providers[provider];
}

const char *llm_kind_name(enum llm_kind kind)
{
    static const char *const names[] = {
#define X(value, name) [value] = name,
        LLM_KINDS(X)
#undef X
    };

    return names[kind];
}

const char *llm_finish_name(enum llm_finish finish)
{
    static const char *const names[] = {
#define X(value, name) [value] = name,
        LLM_FINISHES(X)
#undef X
    };

    return names[finish];
}
