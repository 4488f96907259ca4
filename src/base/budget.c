/*
 * One atomic number. Taking is a loop of compare and swap, so that two who ask at once cannot both get the
 * last bytes.
 */
#include "base/budget.h"

#include "base/limits.h"

void budget_init(struct budget *budget, size_t limit)
{
    budget->limit = limit;
    atomic_init(&budget->used, 0);
    atomic_init(&budget->peak, 0);
    atomic_init(&budget->refused, 0);
}

static size_t ceiling(const struct budget *budget, size_t whole)
{
    if (budget->limit == 0)
        return SIZE_MAX;
    return whole > BUDGET_SMALL ? budget->limit - budget->limit / 4 : budget->limit;
}

static void note_peak(struct budget *budget, size_t used)
{
    size_t peak = atomic_load_explicit(&budget->peak, memory_order_relaxed);

    while (used > peak && !atomic_compare_exchange_weak(&budget->peak, &peak, used))
        ;
}

bool budget_grow(struct budget *budget, size_t from, size_t to)
{
    size_t more = to - from, most = ceiling(budget, to);
    size_t used = atomic_load_explicit(&budget->used, memory_order_relaxed);

    do {
        if (used > most || more > most - used) {
            atomic_fetch_add_explicit(&budget->refused, 1, memory_order_relaxed);
            return false;
        }
    } while (!atomic_compare_exchange_weak(&budget->used, &used, used + more));
    note_peak(budget, used + more);
    return true;
}

void budget_force(struct budget *budget, size_t bytes)
{
    note_peak(budget, atomic_fetch_add(&budget->used, bytes) + bytes);
}

void budget_give(struct budget *budget, size_t bytes)
{
    atomic_fetch_sub(&budget->used, bytes);
}

size_t budget_used(const struct budget *budget)
{
    return atomic_load_explicit(&budget->used, memory_order_relaxed);
}

size_t budget_peak(const struct budget *budget)
{
    return atomic_load_explicit(&budget->peak, memory_order_relaxed);
}

uint64_t budget_refused(const struct budget *budget)
{
    return atomic_load_explicit(&budget->refused, memory_order_relaxed);
}
