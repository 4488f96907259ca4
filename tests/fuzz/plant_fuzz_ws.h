/* Plants a bug behind fuzz_ws's parser from outside: read before the target when FUZZ_PLANT is on. */
#include "http/ws_session.h"
#include "tests/fuzz/fuzz.h"

static inline bool planted_send(struct ws_session *session, const char *text, size_t len)
{
    if (len > 0)
        plant((unsigned char)text[0], 'z');
    return ws_session_send(session, text, len);
}
#define ws_session_send planted_send
