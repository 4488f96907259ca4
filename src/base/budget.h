/*
 * budget.h - how much memory may be in flight at once, for everybody together.
 *
 * Each request's body and each reply is bounded by itself; thousands of them are not. A budget is one account
 * for all: whoever takes over bytes takes as many from it and gives them back when they are gone. When it is
 * used up, the newcomer is refused (503, come again) and nobody who is being served notices.
 *
 * The last quarter is kept for what is small (BUDGET_SMALL), so that a few who fill the rest with large
 * things and never read them do not shut out those who ask for little.
 *
 * Thread: any.
 */
#ifndef BASE_BUDGET_H
#define BASE_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct budget {
    size_t limit; /* 0: none, it only counts */
    atomic_size_t used, peak;
    _Atomic uint64_t refused;
};

void budget_init(struct budget *budget, size_t limit);
/* Takes what something that grows from `from` to `to` bytes needs more; false, and nothing is taken: no room.
 */
bool budget_grow(struct budget *budget, size_t from, size_t to);
/* Takes it even when there is no room, for what cannot be refused any more. */
void budget_force(struct budget *budget, size_t bytes);
void budget_give(struct budget *budget, size_t bytes);
size_t budget_used(const struct budget *budget);
size_t budget_peak(const struct budget *budget); /* the most that was used at once */
uint64_t budget_refused(const struct budget *budget);

#endif
