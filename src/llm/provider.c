#include "llm/provider.h"

const struct provider *provider_of(enum llm_provider provider)
{
    static const struct provider *const providers[LLM_PROVIDERS] = {
        [LLM_OLLAMA] = &provider_ollama,
        [LLM_OPENAI] = &provider_openai,
        [LLM_ANTHROPIC] = &provider_anthropic,
        [LLM_SCRIPTED] = &provider_scripted,
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
