/*
 * The stage moves once by each of two threads, and the swap of the second tells it that it is the second.
 */
#include "edge/parking.h"

enum stage { STAGE_SUBMITTED, STAGE_PARKED, STAGE_FINISHED };

void parking_park(struct parking *parking)
{
    if (parking->parked)
        return;
    parking->parked = true;
    http_park(parking->exchange);
}

bool parking_submit(struct parking *parking, struct store *store, struct request *request)
{
    int submitted = STAGE_SUBMITTED;

    request->here = true;
    dispatch_submit(store, request);
    if (atomic_load(&parking->stage) == STAGE_FINISHED)
        return true;
    parking_park(parking);
    return !atomic_compare_exchange_strong(&parking->stage, &submitted, STAGE_PARKED);
}

bool parking_finished(struct parking *parking)
{
    return atomic_exchange(&parking->stage, STAGE_FINISHED) == STAGE_PARKED;
}
