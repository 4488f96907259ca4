/*
 * wire.h - pieces of requests and replies that more than one provider writes or reads in the same way.
 */
#ifndef LLM_WIRE_H
#define LLM_WIRE_H

#include "base/json.h"
#include "llm/llm.h"

/* A number, unless it is not set. */
void wire_real(struct json_out *out, const char *key, double number);
void wire_int(struct json_out *out, const char *key, int64_t number);
/* Tools as OpenAI and Ollama take them: {"type": "function", "function": {...}}. */
void wire_tools(struct json_out *out, const struct llm_request *request);
/* The arguments of a call that a model has made, as JSON text: an empty object in place of what is none,
 * which would break the request or be refused. What was wrong stands in the call's result. */
const char *wire_arguments(const struct llm_tool_call *call);
/* A list of stop sequences: at most `most` of them, and no blank ones unless `blank`. Nothing when there are
 * none. */
void wire_stops(struct json_out *out, const char *key, const struct llm_request *request, size_t most,
                bool blank);
/* The text of a member, or NULL. */
const char *wire_text(const json_t *object, const char *key);
/* What an error says: {"error": {"message": ...}}, {"error": "..."} or {"message": ...}; or NULL. */
const char *wire_complaint(const json_t *reply);

/* A provider's word for why a reply ended, and ours; the last has none. */
struct wire_reason {
    const char *word;
    enum llm_finish finish;
};
enum llm_finish wire_finish(const struct wire_reason reasons[], const char *word);

#endif
