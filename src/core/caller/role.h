/*
 * role.h - the roles of people and tokens, each said once.
 *
 * A role is one row: its bit, its word, what it may. The sets that rows of the operation table name, the
 * words of the store and of the API, what statements compare with and what the pages are told are made of the
 * rows. Everybody with a role may read.
 */
#ifndef CORE_CALLER_ROLE_H
#define CORE_CALLER_ROLE_H

#include <stdbool.h>

/*
 * ROLE(name, bit, word, owns, manages, answers, works, meaning)
 *
 * - bit: the next power of two. Bits are stored, so none ever changes its meaning.
 * - owns: makes and removes owners, and the workspace itself.
 * - manages: people, tokens, settings, what is kept.
 * - answers: what agents ask people, and decides for them.
 * - works: asks, writes, changes.
 * - meaning: for help texts.
 */
#define ALL_ROLES(ROLE) \
    ROLE(OWNER, 1, "owner", YES, YES, YES, YES, "everything, also deleting the workspace") \
    ROLE(ADMIN, 2, "admin", NO, YES, YES, YES, "everything but that") \
    ROLE(MEMBER, 4, "member", NO, NO, YES, YES, "answers, approves, writes") \
    ROLE(AGENT, 8, "agent", NO, NO, NO, YES, "asks, reports, hands in; answers nothing for people") \
    ROLE(VIEWER, 16, "viewer", NO, NO, NO, NO, "only looks")

/* One bit each; 0 is nobody. */
#define ROLE_BIT(name, bit, ...) ROLE_##name = (bit),
enum role {
    ALL_ROLES(ROLE_BIT) ROLE_ANYONE = 1 << 30, /* as a requirement: no credentials are needed at all */
};

#define ROLE_IF_YES(...) __VA_ARGS__
#define ROLE_IF_NO(...)
#define ROLE_THAT_MANAGES(name, bit, word, owns, manages, ...)          ROLE_IF_##manages(| ROLE_##name)
#define ROLE_THAT_ANSWERS(name, bit, word, owns, manages, answers, ...) ROLE_IF_##answers(| ROLE_##name)
#define ROLE_THAT_WORKS(name, bit, word, owns, manages, answers, works, meaning) \
    ROLE_IF_##works(| ROLE_##name)
#define ROLE_THAT_READS(name, ...) | ROLE_##name

#define ROLES_MANAGE (0 ALL_ROLES(ROLE_THAT_MANAGES))
#define ROLES_PEOPLE (0 ALL_ROLES(ROLE_THAT_ANSWERS))
#define ROLES_WRITE  (0 ALL_ROLES(ROLE_THAT_WORKS))
#define ROLES_READ   (0 ALL_ROLES(ROLE_THAT_READS))

/* For statements, which look for a role with LIKE: the words of those who manage, and of those who answer. */
#define ROLE_MANAGING_WORD(name, bit, word, owns, manages, ...)           ROLE_IF_##manages(word " ")
#define ROLE_ANSWERING_WORD(name, bit, word, owns, manages, answers, ...) ROLE_IF_##answers(word " ")
#define ROLES_MANAGE_WORDS                                                (" " ALL_ROLES(ROLE_MANAGING_WORD))
#define ROLES_PEOPLE_WORDS                                                (" " ALL_ROLES(ROLE_ANSWERING_WORD))

/* For help texts: "owner: everything, also deleting the workspace; ", of each role. */
#define ROLE_MEANING(name, bit, word, owns, manages, answers, works, meaning) word ": " meaning "; "

extern const char *const role_names[];      /* ends with NULL; anyone has none */
extern const char *const answering_roles[]; /* the same of those who answer */
const char *role_name(enum role role);
bool role_parse(const char *name, enum role *role);
/* The role that may the most of what both may; 0, which is none, where one of them is none. */
enum role role_lesser(enum role a, enum role b);
/* All roles that may whatever this one may. */
unsigned roles_at_least(enum role role);

#endif
