/*
 * log.h - what the operator reads: text or JSON lines on stderr.
 *
 * Only the edge, the engine and the server log; core and db return errors instead. Secrets, bodies
 * and answers are never logged. Each line has a time, a level, a sentence, and key=value pairs.
 *
 * Thread: any. A line is written with one write(2).
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <stdbool.h>

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };

void log_setup(enum log_level least, bool json);
bool log_level_parse(const char *text, enum log_level *level);
bool log_wants(enum log_level level);

/*
 * Pairs are key, value text, ..., NULL. Values may be NULL (written as null or left out).
 *   log_line(LOG_INFO, "listening", "address", "127.0.0.1:7117", NULL);
 */
void log_line(enum log_level level, const char *message, ...) __attribute__((sentinel));

#endif
