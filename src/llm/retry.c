/*
 * Pauses double from half a second to half a minute, and a part of each is left to chance, so that those who
 * were turned away together do not come back together. A server that says when to come is believed, within
 * reason.
 */
#include "llm/retry.h"

#include "base/limits.h"
#include "base/str.h"

#include <curl/curl.h>

static bool may_pass(enum llm_kind kind)
{
    return kind == LLM_UNREACHABLE || kind == LLM_BUSY || kind == LLM_TOO_SLOW || kind == LLM_GARBLED ||
           kind == LLM_BROKE_OFF;
}

int64_t retry_pause_ms(const struct retry *retry)
{
    int64_t pause = RETRY_FIRST_MS;

    if (!may_pass(retry->kind) || retry->attempts > retry->retries ||
        retry->retry_after_ms > RETRY_AFTER_MOST_MS)
        return -1;
    for (int i = 1; i < retry->attempts && pause < RETRY_MOST_MS; i++)
        pause *= 2;
    if (pause > RETRY_MOST_MS)
        pause = RETRY_MOST_MS;
    pause = pause / 2 + (int64_t)(retry->random % 1024) * (pause / 2) / 1024;
    if (pause < retry->retry_after_ms)
        pause = retry->retry_after_ms + pause / 8; /* never earlier than was asked for, nor all at once */
    return pause < retry->left_ms ? pause : -1;
}

int64_t retry_after_ms(const char *header, int64_t now_s)
{
    int64_t seconds;

    if (!header)
        return -1;
    if (!str_to_int(header, &seconds)) {
        time_t date = curl_getdate(header, NULL);

        if (date < 0)
            return -1;
        seconds = (int64_t)date - now_s;
        if (seconds < 0)
            seconds = 0;
    }
    return seconds < 0 ? -1 : seconds > 86400 ? 86400000 : seconds * 1000;
}
