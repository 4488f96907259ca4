/*
 * secret.h - secrets: made, hashed, compared.
 *
 * Tokens, sessions and tickets are 32 random bytes behind a prefix that says what they are. Only their
 * SHA-256 is stored: with that much randomness a slow hash would add nothing. Passwords are people's and
 * get argon2id, which costs about 0.1 s and 64 MB on purpose: on a compute worker, never in a transaction.
 *
 * Thread: any.
 */
#ifndef CORE_CALLER_SECRET_H
#define CORE_CALLER_SECRET_H

#include "base/arena.h"
#include "base/err.h"

#define SECRET_TOKEN   "witan_"
#define SECRET_SESSION "witans_"
#define SECRET_TICKET  "witant_"
#define SECRET_SETUP   "witano_"

/* The prefix and 43 characters of base64url. */
char *secret_make(struct arena *arena, const char *prefix);
/* SHA-256 in lower-case hex: what is stored, and looked up, instead of the secret. */
char *secret_hash(struct arena *arena, const char *secret);

CHECKED bool secret_password_hash(struct arena *arena, const char *password, char **hash, struct err *err);
/* A NULL hash (no such user, or no password set) takes as long as a real one and never matches. */
bool secret_password_matches(const char *hash, const char *password);

#endif
