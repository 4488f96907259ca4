/*
 * C has no way to leave ten frames and run their cleanups, but the unwinder of C++ has: a forced unwind walks
 * to the frame of memory_try, and the compiler's cleanup attributes run on the way (-fexceptions). The frame
 * is found by its address on the stack.
 */
#include "base/memory.h"

#include <setjmp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unwind.h>

#define RESERVE_PIECES 16

/* Work that can be ended: where it began, and the work around it. */
struct trial {
    jmp_buf begin;
    uintptr_t frame;
    struct trial *outer;
};

static _Thread_local struct trial *under_way;
static _Thread_local struct _Unwind_Exception leaving;
/*
 * In pieces, of which a moment of need takes one: what it leaves of it may go to work that is under way,
 * which would use up all at once. Mapped and not from malloc, which would keep a piece for the thread that
 * gave it back.
 */
static void *_Atomic reserve[RESERVE_PIECES];
static _Atomic int missing; /* of them */
static size_t piece_size;

/* What was used up in need is set aside again when there is some. */
static void refill_reserve(void)
{
    if (atomic_load_explicit(&missing, memory_order_relaxed) <= 0)
        return;
    for (size_t i = 0; i < RESERVE_PIECES; i++) {
        void *none = NULL, *piece;

        if (atomic_load(&reserve[i]))
            continue;
        piece = mmap(NULL, piece_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (piece == MAP_FAILED)
            return;
        if (atomic_compare_exchange_strong(&reserve[i], &none, piece))
            atomic_fetch_sub(&missing, 1);
        else
            munmap(piece, piece_size);
    }
}

void memory_reserve(size_t size)
{
    piece_size = size / RESERVE_PIECES;
    atomic_store(&missing, RESERVE_PIECES);
    refill_reserve();
}

/* Frames further in lie lower on the stack; the first that does not is memory_try's own. */
static _Unwind_Reason_Code stop_at_trial(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                                         struct _Unwind_Exception *exception, struct _Unwind_Context *context,
                                         void *arg)
{
    struct trial *trial = arg;

    (void)version;
    (void)class;
    (void)exception;
    if ((actions & _UA_END_OF_STACK) || _Unwind_GetCFA(context) > trial->frame)
        longjmp(trial->begin, 1);
    return _URC_NO_REASON;
}

_Noreturn void memory_gone(size_t size)
{
    if (under_way)
        _Unwind_ForcedUnwind(&leaving, stop_at_trial, under_way);
    fprintf(stderr, "out of memory: %zu bytes\n", size);
    abort();
}

bool memory_can_be_gone(void)
{
    return under_way != NULL;
}

bool memory_try(void (*run)(void *arg), void *arg)
{
    struct trial trial = { .frame = (uintptr_t)__builtin_frame_address(0), .outer = under_way };

    refill_reserve();
    if (setjmp(trial.begin) == 0) {
        under_way = &trial;
        run(arg);
        under_way = trial.outer;
        return true;
    }
    under_way = under_way->outer;
    refill_reserve();
    return false;
}

/* Only where nothing can be ended. */
static bool use_reserve(void)
{
    for (size_t i = 0; !under_way && i < RESERVE_PIECES; i++) {
        void *piece = atomic_exchange(&reserve[i], NULL);

        if (!piece)
            continue;
        munmap(piece, piece_size);
        atomic_fetch_add(&missing, 1);
        return true;
    }
    return false;
}

void *memory_take(size_t size)
{
    void *memory = size < SIZE_MAX / 2 ? malloc(size) : NULL;

    while (!memory && use_reserve())
        memory = malloc(size);
    if (!memory)
        memory_gone(size);
    return memory;
}

void *memory_resize(void *memory, size_t size)
{
    void *grown = size < SIZE_MAX / 2 ? realloc(memory, size) : NULL;

    while (!grown && use_reserve())
        grown = realloc(memory, size);
    if (!grown)
        memory_gone(size);
    return grown;
}
