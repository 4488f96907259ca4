/*
 * event_type.h - the types of events, named once.
 *
 * Whoever appends or compares one uses the enum. Its word stands in the log's rows, in streams and in
 * filters; some are words that a stream says for itself, and stand in no log (ops/event_types.c says what
 * each of them is). Triggers of the store append a few with the word itself, which
 * tests/unit/db/test_states.c holds against this list.
 */
#ifndef CORE_LOG_EVENT_TYPE_H
#define CORE_LOG_EVENT_TYPE_H

#include "base/words.h"

/* In the order of the reference. */
#define EVENT_TYPES(EVENT) \
    EVENT(QUESTION_ASKED, "question_asked") \
    EVENT(QUESTION_ANSWERED, "question_answered") \
    EVENT(QUESTION_APPROVAL, "question_approval") \
    EVENT(QUESTION_TIMEOUT, "question_timeout") \
    EVENT(QUESTION_CANCELLED, "question_cancelled") \
    EVENT(QUESTION_DRAFT, "question_draft") \
    EVENT(QUESTION_EXTENDED, "question_extended") \
    EVENT(QUESTION_ASSIGNED, "question_assigned") \
    EVENT(QUESTION_SNOOZED, "question_snoozed") \
    EVENT(QUESTION_LATE_ANSWER, "question_late_answer") \
    EVENT(JOB_CREATED, "job.created") \
    EVENT(JOB_STATUS, "status") \
    EVENT(JOB_LOG, "job.log") \
    EVENT(JOB_PROGRESS, "job.progress") \
    EVENT(JOB_ENDED, "job.ended") \
    EVENT(RUN_MOVED, "run.moved") \
    EVENT(CHAT_MESSAGE, "chat.message") \
    EVENT(PROMPT_CREATED, "prompt.created") \
    EVENT(PROMPT_RESPONDED, "prompt.responded") \
    EVENT(PROMPT_ENDED, "prompt.ended") \
    EVENT(NOTIFICATION_ADDED, "notification.added") \
    EVENT(NOTIFICATION_UPDATED, "notification.updated") \
    EVENT(NOTIFICATION_RESOLVED, "notification.resolved") \
    EVENT(NOTIFICATION_READ, "notification.read") \
    EVENT(TASK_UPDATED, "task.updated") \
    EVENT(TASK_DELETED, "task.deleted") \
    EVENT(FEEDBACK_ADDED, "feedback.added") \
    EVENT(PRD_UPDATED, "prd.updated") \
    EVENT(PLAN_UPDATED, "plan.updated") \
    EVENT(DISCUSSION_CREATED, "discussion.created") \
    EVENT(DISCUSSION_MESSAGE, "discussion.message") \
    EVENT(DISCUSSION_INTERJECTED, "discussion.interjected") \
    EVENT(TURN_STARTED, "turn.started") \
    EVENT(TURN_WAITING, "turn.waiting") \
    EVENT(TURN_FINISHED, "turn.finished") \
    EVENT(DISCUSSION_ROUND, "discussion.round") \
    EVENT(VOTE_COUNTED, "vote.counted") \
    EVENT(DISCUSSION_WAITING, "discussion.waiting") \
    EVENT(DISCUSSION_PAUSED, "discussion.paused") \
    EVENT(DISCUSSION_RESUMED, "discussion.resumed") \
    EVENT(DISCUSSION_ENDED, "discussion.ended") \
    EVENT(ALERT, "alert") \
    EVENT(AGENT_CHANGED, "agent.changed") \
    EVENT(TEMPLATE_CHANGED, "template.changed") \
    EVENT(USER_CHANGED, "user.changed") \
    EVENT(TOKEN_CHANGED, "token.changed") \
    EVENT(WORKSPACE_CHANGED, "workspace.changed") \
    EVENT(TURN_DELTA, "turn.delta") \
    EVENT(PRESENCE_CHANGED, "presence.changed") \
    EVENT(SERVER_STOPPING, "server.stopping") \
    EVENT(STREAM_ENDED, "stream.ended") \
    EVENT(STREAM_CUT, "stream.cut") \
    EVENT(STREAM_GAP, "stream.gap")

#define EVENT_VALUE(name, word) EVENT_##name,

enum event_type {
    EVENT_UNKNOWN, /* of another version, or of a program that writes with plain SQL */
    EVENT_TYPES(EVENT_VALUE) EVENT_TYPE_END
};

WORDS_OF(event_type, event_types);

/* EVENT_UNKNOWN when the list has no such word, or there is none (NULL). */
enum event_type event_type_of(const char *word);

#endif
