/*
 * The table of events. A member that is OPTIONAL is missing in some of them; its help says in which.
 */
#include "ops/event_type.h"

#include "core/chat/prompt.h"
#include "core/council/rules/state.h"
#include "core/inbox/alert.h"
#include "core/inbox/notification.h"
#include "core/questions/job.h"
#include "core/runs/rules/loop.h"
#include "core/work/question_set.h"
#include "core/work/task.h"
#include "gen/nouns/task_fields.h"
#include "ops/discussion.h"
#include "ops/fields.h"
#include "ops/identity.h"
#include "ops/presence.h"
#include "ops/question_fields.h"

#define QUESTION_MEMBERS \
    { "questionId", T_UUID, REQUIRED, "The question." }, \
    { \
        "jobId", T_UUID, REQUIRED, "The job that asked." \
    }
#define OUTCOME_MEMBER \
    { \
        "outcome", T_OBJECT, REQUIRED, "How it ended, by whom, when.", .fields = outcome_fields \
    }

const struct field event_fields[] = {
    { "type", T_TEXT, REQUIRED, "What happened." },
    { "at", T_TIME, REQUIRED, "When." },
    { "workspaceId", T_ID, REQUIRED, "Where." },
    { 0 },
};

static const struct field asked_fields[] = {
    { "question", T_TEXT, REQUIRED, "What is asked." },
    { "type", T_ENUM, REQUIRED, "How the job waits.", .values = question_types },
    { "responseType", T_ENUM, REQUIRED, "What an answer looks like.", .values = response_types },
    { "timeoutAt", T_TIME, REQUIRED, "When the default holds or the job fails.", .flags = F_NULL },
    { "options", T_LIST, OPTIONAL, "What to choose from, if anything.", .items = T_OBJECT,
      .fields = option_fields },
    { "context", T_OBJECT, OPTIONAL, "What the asker told about it, if anything.", .flags = F_OPEN },
    { 0 },
};

static const struct field question_asked[] = {
    QUESTION_MEMBERS,
    { "question", T_OBJECT, REQUIRED, "The question itself.", .fields = asked_fields },
    { 0 },
};

static const struct field question_answered[] = {
    QUESTION_MEMBERS,
    { "response", T_OBJECT, REQUIRED, "The answer.", .fields = response_fields },
    OUTCOME_MEMBER,
    { 0 },
};

static const struct field question_ended[] = { QUESTION_MEMBERS, OUTCOME_MEMBER, { 0 } };

static const struct field have_need_fields[] = {
    { "have", T_INT, REQUIRED, "How many have approved." },
    { "need", T_INT, REQUIRED, "How many must." },
    { 0 },
};

static const struct field question_approval[] = {
    QUESTION_MEMBERS,
    { "by", T_TEXT, REQUIRED, "Who approved." },
    { "approvals", T_OBJECT, REQUIRED, "How many of how many.", .fields = have_need_fields },
    { 0 },
};

static const struct field question_moved[] = {
    QUESTION_MEMBERS,
    { "by", T_TEXT, REQUIRED, "Who it was." },
    { "timeoutAt", T_TIME, REQUIRED, "The deadline as it now is.", .flags = F_NULL },
    { 0 },
};

static const struct field question_assigned[] = {
    QUESTION_MEMBERS,
    { "by", T_TEXT, REQUIRED, "Who it was." },
    { "assignedTo", T_TEXT, REQUIRED, "The user who is to answer; null: whoever may.", .flags = F_NULL },
    { "assignee", T_TEXT, REQUIRED, "That user's name.", .flags = F_NULL },
    { "note", T_TEXT, REQUIRED, "What was said about it.", .flags = F_NULL },
    { 0 },
};

static const struct field question_snoozed[] = {
    QUESTION_MEMBERS,
    { "until", T_TIME, REQUIRED, "When it wakes by itself; null: it is awake.", .flags = F_NULL },
    { 0 },
};

static const struct field question_late[] = {
    QUESTION_MEMBERS,
    { "response", T_OBJECT, REQUIRED, "The answer that came too late.", .fields = response_fields },
    { "by", T_TEXT, REQUIRED, "Whose it is." },
    { 0 },
};

static const struct field status_fields[] = {
    { "jobId", T_UUID, REQUIRED, "The job." },
    { "status", T_ENUM, REQUIRED, "Where it stands now.", .values = job_statuses },
    { "previousStatus", T_ENUM, REQUIRED, "Where it stood.", .values = job_statuses },
    { 0 },
};

static const struct field job_created[] = {
    { "jobId", T_UUID, REQUIRED, "The job." },
    { "kind", T_TEXT, REQUIRED, "What kind of job it is." },
    { "agent", T_TEXT, REQUIRED, "Who works on it.", .flags = F_NULL },
    { "projectId", T_ID, REQUIRED, "Its project.", .flags = F_NULL },
    { "taskId", T_ID, REQUIRED, "The task it works on.", .flags = F_NULL },
    { "status", T_ENUM, REQUIRED, "Where it stands.", .values = job_statuses },
    { "restartOf", T_UUID, REQUIRED, "The job it starts again.", .flags = F_NULL },
    { 0 },
};

static const struct field job_line[] = {
    { "jobId", T_UUID, REQUIRED, "The job." },
    { "line", T_INT, REQUIRED, "The line's number in the job's log." },
    { "level", T_ENUM, REQUIRED, "How serious it is.", .values = line_levels },
    { "message", T_TEXT, REQUIRED, "What happened." },
    { "data", T_JSON, REQUIRED, "The same for machines.", .flags = F_NULL },
    { 0 },
};

static const struct field run_moved[] = {
    { "jobId", T_UUID, REQUIRED, "The job." },
    { "phase", T_ENUM, REQUIRED, "Where it stands.", .values = run_phases },
    { "step", T_INT, REQUIRED, "How often its model has replied." },
    { "lastSeq", T_INT, REQUIRED, "The number of the last entry of its trace." },
    { 0 },
};

static const struct field job_progress[] = {
    { "jobId", T_UUID, REQUIRED, "The job." },
    { "progress", T_OBJECT, REQUIRED, "How far it is.", .fields = job_progress_fields },
    { 0 },
};

static const struct field job_ended[] = {
    { "jobId", T_UUID, REQUIRED, "The job." },
    { "status", T_ENUM, REQUIRED, "completed, failed or cancelled.", .values = job_statuses },
    { "error", T_TEXT, REQUIRED, "Why it failed or was cancelled.", .flags = F_NULL },
    OUTCOME_MEMBER,
    { 0 },
};

static const struct field chat_message[] = {
    { "id", T_UUID, REQUIRED, "The message." },
    { "agent_name", T_TEXT, REQUIRED, "Who wrote it; \"system\" for the server itself." },
    { "message", T_TEXT, REQUIRED, "What was said." },
    { "is_human", T_BOOL, REQUIRED, "Whether a person wrote it." },
    { "message_type", T_ENUM, REQUIRED, "What kind of message it is.", .values = message_types },
    { "discussion_prompt_id", T_UUID, REQUIRED, "The prompt whose thread it stands in.", .flags = F_NULL },
    { "task_ref", T_TEXT, REQUIRED, "The task it refers to.", .flags = F_NULL },
    { "created_at", T_TIME, REQUIRED, "When it was written." },
    { 0 },
};

static const struct field prompt_created[] = {
    { "promptId", T_UUID, REQUIRED, "The prompt." },
    { "task_id", T_TEXT, REQUIRED, "The task it is about, as the asker names it.", .flags = F_NULL },
    { "requester_agent", T_TEXT, REQUIRED, "Who asks." },
    { "prompt_message", T_TEXT, REQUIRED, "The question." },
    { "required_responses", T_INT, REQUIRED, "Replies of different agents that resolve it." },
    { "timeout_minutes", T_INT, REQUIRED, "Minutes after which it times out." },
    { "status", T_ENUM, REQUIRED, "Where it stands.", .values = prompt_statuses },
    { "count_all", T_BOOL, REQUIRED, "Whether every reply counts." },
    { "squad_chat_id", T_UUID, REQUIRED, "The message that shows it in the chat.", .flags = F_NULL },
    { "created_at", T_TIME, REQUIRED, "When it was asked." },
    { 0 },
};

#define COUNT_MEMBERS \
    { "responseCount", T_INT, REQUIRED, "The replies that count." }, \
    { \
        "requiredResponses", T_INT, REQUIRED, "The replies that resolve it." \
    }

static const struct field prompt_responded[] = {
    { "promptId", T_UUID, REQUIRED, "The prompt." },
    { "chatId", T_UUID, REQUIRED, "The reply." },
    { "agent_name", T_TEXT, REQUIRED, "Who replied." },
    { "counted", T_BOOL, REQUIRED, "Whether it counts." },
    { "status", T_ENUM, REQUIRED, "Where the prompt stands.", .values = prompt_statuses },
    COUNT_MEMBERS,
    { 0 },
};

static const struct field prompt_ended[] = {
    { "promptId", T_UUID, REQUIRED, "The prompt." },
    { "status", T_ENUM, REQUIRED, "resolved, timed_out or cancelled.", .values = prompt_statuses },
    OUTCOME_MEMBER,
    COUNT_MEMBERS,
    { 0 },
};

/* An inbox holds notifications of people and agents, and, as one kind of them, sets of open questions. */
#define INBOX_MEMBERS \
    { "id", T_UUID, REQUIRED, "The notification, or the set of open questions." }, \
        { "kind", T_TEXT, REQUIRED, \
          "mention, question, approval, decision, error, completed, failed, open_question, and others." }, \
        { "priority", T_ENUM, REQUIRED, "How urgent it is.", .values = notification_priorities }, \
        { "ref", T_OBJECT, REQUIRED, "What it points at.", .fields = notification_ref_fields }, \
        { "projectId", T_ID, REQUIRED, "Its project.", .flags = F_NULL }, \
        { "resolved", T_BOOL, REQUIRED, "Whether what it points at has ended." }, \
        { "createdAt", T_TIME, REQUIRED, "When it came." }, \
        { "agent", T_TEXT, REQUIRED, "Whose inbox, when it is an agent's; who asks, in a set.", \
          .flags = F_NULL }, \
        { "title", T_TEXT, OPTIONAL, "One line; not when a set has changed." }, \
        { "body", T_TEXT, OPTIONAL, "The beginning of what it is about; not when a set has changed." }, \
        { "read", T_BOOL, OPTIONAL, "Whether its reader has marked it as read; not in sets." }, \
        { "userId", T_TEXT, OPTIONAL, "Whose inbox, when it is one person's; not in sets.", \
          .flags = F_NULL }, \
        { "source", T_TEXT, OPTIONAL, "In sets: what it is about (eval, prd, plan, execute)." }, \
        { "sourceId", T_TEXT, OPTIONAL, "In sets: which feedback, section, plan or task." }, \
        { "questions",       T_LIST, \
          OPTIONAL,          "In sets: the questions.", \
          .items = T_OBJECT, .fields = set_question_fields }, \
        { "responses",       T_LIST, \
          OPTIONAL,          "In sets: the answers so far.", \
          .items = T_OBJECT, .fields = set_answer_fields }, \
        { "status", T_ENUM, OPTIONAL, "In sets: open or resolved.", .values = set_statuses }, \
        { "approved", T_BOOL, OPTIONAL, "In sets: what was said about approving.", .flags = F_NULL }, \
        { "resolvedAt", T_TIME, OPTIONAL, "In sets: when it was settled.", .flags = F_NULL }, \
    { \
        "outcome", T_OBJECT, OPTIONAL, "In sets: how it was settled.", .fields = outcome_fields, \
                                                                       .flags = F_NULL \
    }

static const struct field inbox_fields[] = { INBOX_MEMBERS, { 0 } };

static const struct field inbox_read[] = {
    { "reader", T_TEXT, REQUIRED, "Whose inbox." },
    { "count", T_INT, REQUIRED, "How many were marked." },
    { "id", T_UUID, OPTIONAL, "The notification, when it was one." },
    { "all", T_BOOL, OPTIONAL, "True when it was all of them." },
    { 0 },
};

/* The task as it is, and its ids under the names that streams filter by. */
static const struct field task_changed[] = {
    { "projectId", T_UUID, REQUIRED, "Its project." },
    { "taskId", T_UUID, REQUIRED, "The task." },
    TASK_FIELDS,
    { 0 },
};

#define DOCUMENT_MEMBERS \
    { "projectId", T_UUID, REQUIRED, "Its project." }, \
        { "version", T_INT, REQUIRED, "The number of its newest text." }, \
    { \
        "author", T_TEXT, REQUIRED, "Who wrote that." \
    }

static const struct field section_updated[] = {
    { "sectionKey", T_TEXT, REQUIRED, "The section of the PRD." },
    DOCUMENT_MEMBERS,
    { 0 },
};

static const struct field plan_updated[] = {
    { "planId", T_TEXT, REQUIRED, "The plan." },
    DOCUMENT_MEMBERS,
    { 0 },
};

static const struct field alert_event[] = {
    { "alertId", T_UUID, REQUIRED, "The alert." },
    { "kind", T_ENUM, REQUIRED, "What holds.", .values = alert_kinds },
    { "active", T_BOOL, REQUIRED, "False when it has ended." },
    { "since", T_TIME, REQUIRED, "Since when." },
    { "endedAt", T_TIME, REQUIRED, "Until when.", .flags = F_NULL },
    { "details", T_OBJECT, REQUIRED, "The figures.", .flags = F_OPEN },
    { 0 },
};

static const struct field turn_delta[] = {
    { "discussionId", T_UUID, REQUIRED, "The discussion." },
    { "projectId", T_ID, OPTIONAL, "Its project, if it has one." },
    { "turnId", T_UUID, REQUIRED, "The turn." },
    { "kind", T_TEXT, REQUIRED, "What is being spoken: a turn." },
    { "speaker", T_TEXT, REQUIRED, "Who speaks." },
    { "round", T_INT, REQUIRED, "In which round." },
    { "turnIndex", T_INT, REQUIRED, "At which place of the order." },
    { "offset", T_INT, REQUIRED,
      "At which character of the turn's text this piece begins; what was there is replaced." },
    { "text", T_TEXT, REQUIRED, "The piece." },
    { 0 },
};

#define DISCUSSION_MEMBER \
    { \
        "discussionId", T_UUID, REQUIRED, "The discussion." \
    }
#define TURN_MEMBERS \
    DISCUSSION_MEMBER, { "turnId", T_UUID, REQUIRED, "The turn." }, \
        { "kind", T_ENUM, REQUIRED, "What is asked for.", .values = row_kinds }, \
        { "speaker", T_TEXT, REQUIRED, "Whose turn it is." }, \
        { "role", T_TEXT, REQUIRED, "In which role." }, \
        { "agentId", T_UUID, REQUIRED, "Which agent, if one.", .flags = F_NULL }, \
        { "roundNumber", T_INT, REQUIRED, "In which round." }, \
    { \
        "turnIndex", T_INT, REQUIRED, "At which place of the order." \
    }

static const struct field discussion_created[] = {
    DISCUSSION_MEMBER,
    { "projectId", T_UUID, REQUIRED, "Its project.", .flags = F_NULL },
    { "topic", T_TEXT, REQUIRED, "What it is about." },
    { "mode", T_TEXT, REQUIRED, "How turns are taken." },
    { "status", T_ENUM, REQUIRED, "Where it stands.", .values = council_statuses },
    { "rounds", T_INT, REQUIRED, "How many rounds there are." },
    { "parentId", T_UUID, REQUIRED, "The discussion that it was split off from.", .flags = F_NULL },
    { "createdBy", T_TEXT, REQUIRED, "Who started it.", .flags = F_NULL },
    { 0 },
};

static const struct field discussion_said[] = {
    DISCUSSION_MEMBER,
    { "entry", T_OBJECT, REQUIRED, "What was said.", .fields = discussion_entry_fields },
    { 0 },
};

static const struct field turn_started[] = {
    TURN_MEMBERS,
    { "attempt", T_INT, REQUIRED, "Which attempt at it this is, from 1." },
    { 0 },
};

static const struct field turn_waiting[] = {
    TURN_MEMBERS,
    { "userId", T_TEXT, REQUIRED, "Which person, if a certain one.", .flags = F_NULL },
    { "dueAt", T_TIME, REQUIRED, "When it is passed." },
    { 0 },
};

static const struct field turn_finished[] = {
    DISCUSSION_MEMBER,
    { "turnId", T_UUID, REQUIRED, "The turn; null when it was skipped.", .flags = F_NULL },
    { "kind", T_ENUM, REQUIRED, "What was asked for.", .values = row_kinds },
    { "entry", T_OBJECT, REQUIRED, "What became of it.", .fields = discussion_entry_fields },
    { 0 },
};

static const struct field discussion_round[] = {
    DISCUSSION_MEMBER,
    { "round", T_INT, REQUIRED, "The round that has ended." },
    { "rounds", T_INT, REQUIRED, "Of how many." },
    { "contributions", T_INT, REQUIRED, "How many said something." },
    { "passes", T_INT, REQUIRED, "How many did not." },
    { 0 },
};

static const struct field vote_counted[] = {
    DISCUSSION_MEMBER,
    { "round", T_INT, REQUIRED, "After which round." },
    { "vote", T_OBJECT, REQUIRED, "rule, winner, tie, tally, agreed, decided, dissent.", .flags = F_OPEN },
    { 0 },
};

static const struct field discussion_waiting[] = {
    DISCUSSION_MEMBER,
    { "phase", T_ENUM, REQUIRED, "For what.", .values = council_phases },
    { "nextSpeaker", T_TEXT, REQUIRED, "Who speaks next.", .flags = F_NULL },
    { 0 },
};

static const struct field discussion_by[] = {
    DISCUSSION_MEMBER,
    { "by", T_TEXT, REQUIRED, "Who did it." },
    { 0 },
};

static const struct field discussion_ended[] = {
    DISCUSSION_MEMBER,
    { "status", T_ENUM, REQUIRED, "completed, cancelled or failed.", .values = council_statuses },
    { "endReason", T_ENUM, REQUIRED, "Why.", .values = council_ends },
    OUTCOME_MEMBER,
    { 0 },
};

static const struct field agent_changed[] = {
    { "agentId", T_UUID, REQUIRED, "The agent." },
    { 0 },
};

static const struct field template_changed[] = {
    { "templateId", T_UUID, REQUIRED, "The template." },
    { 0 },
};

static const struct field user_changed[] = {
    { "userId", T_UUID, REQUIRED, "The user." },
    { 0 },
};

static const struct field token_changed[] = {
    { "tokenId", T_UUID, REQUIRED, "The token." },
    { 0 },
};

static const struct field workspace_changed[] = { { 0 } };

static const struct field last_word[] = {
    { "reason", T_TEXT, REQUIRED, "Why the stream ends, and how to go on." },
    { 0 },
};

static const struct field gap_word[] = {
    { "reason", T_TEXT, REQUIRED, "Why something is missing." },
    { "after", T_INT, REQUIRED, "The number that was given." },
    { "oldest", T_INT, REQUIRED, "The oldest number that is kept." },
    { 0 },
};

#define CHAT_TAG  "Discussion prompts and squad chat"
#define WORK_TAG  "Projects and tasks"
#define INBOX_TAG "Inbox"

static const struct event_spec specs[EVENT_TYPE_END] = {
    [EVENT_QUESTION_ASKED] = { TAG_QUESTIONS, "An agent asks people.", ROLES_READ, REACH_QUESTION,
                               .fields = question_asked },
    [EVENT_QUESTION_ANSWERED] = { TAG_QUESTIONS, "A question was answered, by a person or by its default.",
                                  ROLES_READ, REACH_QUESTION, .fields = question_answered },
    [EVENT_QUESTION_APPROVAL] = { TAG_QUESTIONS, "One of several approvals was given.", ROLES_READ,
                                  REACH_QUESTION, .fields = question_approval },
    [EVENT_QUESTION_TIMEOUT] = { TAG_QUESTIONS, "Nobody answered in time.", ROLES_READ, REACH_QUESTION,
                                 .fields = question_ended },
    [EVENT_QUESTION_CANCELLED] = { TAG_QUESTIONS, "A question was taken back, or its job has ended.",
                                   ROLES_READ, REACH_QUESTION, .fields = question_ended },
    [EVENT_QUESTION_DRAFT] = { TAG_QUESTIONS, "Somebody is typing an answer.", ROLES_READ, REACH_QUESTION,
                               .fields = question_moved },
    [EVENT_QUESTION_EXTENDED] = { TAG_QUESTIONS, "A deadline was moved.", ROLES_READ, REACH_QUESTION,
                                  .fields = question_moved },
    [EVENT_QUESTION_ASSIGNED] = { TAG_QUESTIONS,
                                  "A question was given to somebody, or back to all who may answer.",
                                  ROLES_READ, REACH_QUESTION, .fields = question_assigned },
    [EVENT_QUESTION_SNOOZED] = { TAG_QUESTIONS,
                                 "You have snoozed a question, or woken it. Only you hear of it.", ROLES_READ,
                                 REACH_QUESTION, .fields = question_snoozed },
    [EVENT_QUESTION_LATE_ANSWER] = { TAG_QUESTIONS, "An answer came after the deadline. It is kept.",
                                     ROLES_READ, REACH_QUESTION, .fields = question_late },
    [EVENT_JOB_CREATED] = { TAG_JOBS, "A job was made.", ROLES_READ, REACH_JOB, .fields = job_created },
    [EVENT_JOB_STATUS] = { TAG_JOBS, "A job's status changed.", ROLES_READ, REACH_JOB,
                           .fields = status_fields },
    [EVENT_JOB_LOG] = { TAG_JOBS, "A line was added to a job's log.", ROLES_READ, REACH_JOB,
                        .fields = job_line },
    [EVENT_JOB_PROGRESS] = { TAG_JOBS, "A job told how far it is.", ROLES_READ, REACH_JOB,
                             .fields = job_progress },
    [EVENT_JOB_ENDED] = { TAG_JOBS, "A job has ended.", ROLES_READ, REACH_JOB, .fields = job_ended },
    [EVENT_RUN_MOVED] = { TAG_JOBS, "A job that witan runs itself has come a step further.", ROLES_READ,
                          REACH_JOB, .fields = run_moved },
    [EVENT_CHAT_MESSAGE] = { CHAT_TAG, "Something was said in the squad chat.", ROLES_READ, REACH_SQUAD,
                             .fields = chat_message },
    [EVENT_PROMPT_CREATED] = { CHAT_TAG, "An agent asks the squad.", ROLES_READ, REACH_SQUAD,
                               .fields = prompt_created },
    [EVENT_PROMPT_RESPONDED] = { CHAT_TAG, "Somebody replied to a prompt.", ROLES_READ, REACH_SQUAD,
                                 .fields = prompt_responded },
    [EVENT_PROMPT_ENDED] = { CHAT_TAG, "A prompt has ended.", ROLES_READ, REACH_SQUAD,
                             .fields = prompt_ended },
    [EVENT_NOTIFICATION_ADDED] = { INBOX_TAG, "Something new waits in an inbox.", ROLES_READ, REACH_INBOX,
                                   .fields = inbox_fields },
    [EVENT_NOTIFICATION_UPDATED] = { INBOX_TAG, "A set of open questions got an answer and stays open.",
                                     ROLES_READ, REACH_INBOX, .fields = inbox_fields },
    [EVENT_NOTIFICATION_RESOLVED] = { INBOX_TAG, "What a notification points at has ended.", ROLES_READ,
                                      REACH_INBOX, .fields = inbox_fields },
    [EVENT_NOTIFICATION_READ] = { INBOX_TAG, "Notifications were marked as read.", ROLES_READ, REACH_INBOX,
                                  .fields = inbox_read },
    [EVENT_TASK_UPDATED] = { WORK_TAG, "A task was made or changed.", ROLES_READ, REACH_PROJECT,
                             .fields = task_changed },
    [EVENT_TASK_DELETED] = { WORK_TAG, "A task was deleted.", ROLES_READ, REACH_PROJECT,
                             .fields = task_changed },
    [EVENT_FEEDBACK_ADDED] = { WORK_TAG, "Somebody gave feedback.", ROLES_READ, REACH_PROJECT,
                               .fields = feedback_fields },
    [EVENT_PRD_UPDATED] = { WORK_TAG, "A section of the PRD has a new text.", ROLES_READ, REACH_PROJECT,
                            .fields = section_updated },
    [EVENT_PLAN_UPDATED] = { WORK_TAG, "A plan has a new text.", ROLES_READ, REACH_PROJECT,
                             .fields = plan_updated },
    [EVENT_DISCUSSION_CREATED] = { TAG_DISCUSSIONS, "A discussion was made.", ROLES_READ, REACH_DISCUSSION,
                                   .fields = discussion_created },
    [EVENT_DISCUSSION_MESSAGE] = { TAG_DISCUSSIONS,
                                   "A person, or a council that was split off, said something.", ROLES_READ,
                                   REACH_DISCUSSION, .fields = discussion_said },
    [EVENT_DISCUSSION_INTERJECTED] = { TAG_DISCUSSIONS, "Somebody cut in.", ROLES_READ, REACH_DISCUSSION,
                                       .fields = discussion_said },
    [EVENT_TURN_STARTED] = { TAG_DISCUSSIONS, "An agent was asked to speak.", ROLES_READ, REACH_DISCUSSION,
                             .fields = turn_started },
    [EVENT_TURN_WAITING] = { TAG_DISCUSSIONS, "A turn waits for somebody outside.", ROLES_READ,
                             REACH_DISCUSSION, .fields = turn_waiting },
    [EVENT_TURN_FINISHED] = { TAG_DISCUSSIONS, "A turn is over: said, passed or skipped.", ROLES_READ,
                              REACH_DISCUSSION, .fields = turn_finished },
    [EVENT_DISCUSSION_ROUND] = { TAG_DISCUSSIONS, "A round has ended.", ROLES_READ, REACH_DISCUSSION,
                                 .fields = discussion_round },
    [EVENT_VOTE_COUNTED] = { TAG_DISCUSSIONS, "Ballots were counted.", ROLES_READ, REACH_DISCUSSION,
                             .fields = vote_counted },
    [EVENT_DISCUSSION_WAITING] = { TAG_DISCUSSIONS, "A discussion rests until somebody speaks.", ROLES_READ,
                                   REACH_DISCUSSION, .fields = discussion_waiting },
    [EVENT_DISCUSSION_PAUSED] = { TAG_DISCUSSIONS, "A discussion was paused.", ROLES_READ, REACH_DISCUSSION,
                                  .fields = discussion_by },
    [EVENT_DISCUSSION_RESUMED] = { TAG_DISCUSSIONS, "A discussion goes on.", ROLES_READ, REACH_DISCUSSION,
                                   .fields = discussion_by },
    [EVENT_DISCUSSION_ENDED] = { TAG_DISCUSSIONS, "A discussion has ended.", ROLES_READ, REACH_DISCUSSION,
                                 .fields = discussion_ended },
    [EVENT_ALERT] = { "Alerts", "Something is amiss with how questions are answered, or no longer.",
                      ROLES_READ, REACH_WORKSPACE, .fields = alert_event },
    [EVENT_AGENT_CHANGED] = { "Agents", "An agent was made, changed or removed.", ROLES_READ, REACH_WORKSPACE,
                              .fields = agent_changed },
    [EVENT_TEMPLATE_CHANGED] = { TAG_QUESTIONS, "A question template was made, changed or removed.",
                                 ROLES_READ, REACH_WORKSPACE, .fields = template_changed },
    [EVENT_USER_CHANGED] = { TAG_IDENTITY, "A user came, went or changed, by role or account.", ROLES_MANAGE,
                             REACH_WORKSPACE, .fields = user_changed },
    [EVENT_TOKEN_CHANGED] = { TAG_IDENTITY,
                              "A token was made, rotated or revoked. The use of a token is not told, and a secret never is.",
                              ROLES_MANAGE, REACH_WORKSPACE, .fields = token_changed },
    [EVENT_WORKSPACE_CHANGED] = { TAG_IDENTITY,
                                  "The workspace's name, slug or settings have changed; or, told to one person alone, the workspaces that they have a part in or what they may do there.",
                                  ROLES_READ, REACH_WORKSPACE, .fields = workspace_changed },
    [EVENT_TURN_DELTA] = { TAG_DISCUSSIONS,
                           "A piece of a turn's text as it is spoken. "
                           "Whoever joins late gets one with everything so far; a turn that is asked for again begins anew at offset 0; turn.finished has the text that counts.",
                           ROLES_READ, REACH_DISCUSSION, .live = true, .fields = turn_delta },
    [EVENT_PRESENCE_CHANGED] = { TAG_IDENTITY,
                                 "People came, went or turned to another page. What happens within a second is told together.",
                                 ROLES_PRESENT, REACH_WORKSPACE, .live = true,
                                 .fields = presence_changed_fields },
    [EVENT_SERVER_STOPPING] = { "The stream itself", "The last word before the server stops.", ROLES_READ,
                                REACH_OWN, .word = true, .fields = last_word },
    [EVENT_STREAM_ENDED] = { "The stream itself",
                             "The last word of a stream whose reader has lost its rights.", ROLES_READ,
                             REACH_OWN, .word = true, .fields = last_word },
    [EVENT_STREAM_CUT] = { "The stream itself",
                           "The last word of a stream that cannot go on, or reads too slowly.", ROLES_READ,
                           REACH_OWN, .word = true, .fields = last_word },
    [EVENT_STREAM_GAP] = { "The stream itself", "Events after the given number are not there any more.",
                           ROLES_READ, REACH_OWN, .word = true, .fields = gap_word },
};

const struct event_spec *event_type_spec(enum event_type type)
{
    return type == EVENT_UNKNOWN ? NULL : &specs[type];
}
