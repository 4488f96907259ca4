/*
 * wire.h - what the server and its helper say to each other, and what they agree on.
 *
 * Packets over a pair of sockets; both are the same program, so members are as they are in memory. The server
 * gives a program one of a fixed number of slots and has it back when the helper has told that nothing of it
 * is left.
 */
#ifndef PROGRAMS_WIRE_H
#define PROGRAMS_WIRE_H

#include "programs/programs.h"

#include "base/limits.h"

#define PACKET_MOST (16 * KB)
#define PIPES       3 /* standard input, output, error */

/* Server to helper. ASK_START carries the three ends of pipes that are the program's. */
enum ask_kind { ASK_START = 1, ASK_END, ASK_KILL };

/* Of ASK_START: a text follows, the folder, then variables, each with its NUL. An empty folder is none. */
struct ask {
    uint32_t kind, slot, entry, variables;
};

struct ask_packet {
    struct ask ask;
    char text[PACKET_MOST];
};

/* What could not be done when one was started. */
enum stage {
    STAGE_NONE,
    STAGE_PROCESS,
    STAGE_OWN_FOLDER, /* one of its own */
    STAGE_FOLDER,
    STAGE_OUTSIDE, /* its folder is */
    STAGE_CHANGED, /* its folder is another one than at the start */
    STAGE_NAMED,   /* what argv or reads names is; the status says which */
    STAGE_PROGRAM, /* finding it */
    STAGE_HOLD,    /* to its bounds */
    STAGE_RUN,
};

/* Helper to server. TELL_READY comes first. */
enum tell_kind { TELL_READY = 1, TELL_EXITED, TELL_SIGNALLED, TELL_FAILED };

struct tell {
    uint32_t kind, slot;
    int32_t status;                /* exit status or signal */
    uint32_t stage;                /* of TELL_FAILED */
    int32_t error;                 /* errno of that */
    struct programs_bounds bounds; /* of TELL_READY */
};

#endif
