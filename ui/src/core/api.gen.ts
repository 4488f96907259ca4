// Made from /api/openapi.json and /api/asyncapi.json by scripts/client.mjs; do not edit by hand, run make docs.
import { op, type Op } from './op.ts';

export type Budget = { steps?: number | null; tokens?: number | null; seconds?: number | null; money?: number | null };
export type Progress = { done: number | null; total: number | null; step: string | null };
export type Response = { type?: 'text' | 'choice' | 'boolean' | 'approval'; value?: unknown; text?: string; args?: unknown };
export type Answer = { questionId: string; question: string; response: Response; by: string; at: string };
export type Outcome = { source: 'human' | 'agents' | 'default' | 'timeout' | 'policy' | 'forced' | 'cancelled'; by: string | null; at: string };
export type Job = { id: string; workspaceId: string; kind: string; agent: string | null; projectId: string | null; taskId: string | null; status: 'pending' | 'running' | 'waiting_for_input' | 'waiting_for_approval' | 'completed' | 'failed' | 'cancelled'; progress: Progress | null; input: unknown; result: unknown; error: string | null; requestedBy: string | null; single: boolean; restartOf: string | null; answer: Answer | null; createdAt: string; endedAt: string | null; outcome: Outcome | null };
export type Log = { seq: number; at: string; kind: string; level: 'debug' | 'info' | 'warn' | 'error'; message: string; data: unknown };
export type RunBudget = { steps: number | null; tokens: number | null; seconds: number | null; money: number | null };
export type Spent = { steps: number; tokensIn: number; tokensOut: number; seconds: number; money: number; usageMissing: number };
export type WaitsFor = { callId: string | null; name: string | null; state: 'proposed' | 'approval' | 'queued' | 'running' | 'waiting' | 'done'; questionId: string | null; discussionId: string | null; promptId: string | null };
export type Run = { jobId: string; agent: string; model: string | null; phase: 'opening' | 'asking' | 'calling' | 'waiting' | 'condensing' | 'ended'; step: number; recover: boolean; budget: RunBudget; beganAt: string | null; spent: Spent; tools: Array<string> | null; waitsFor: Array<WaitsFor> | null; startedAt: string | null; endedAt: string | null };
export type RunCall = { id: string; name: string; arguments: string; approvedArguments: string | null; state: 'proposed' | 'approval' | 'queued' | 'running' | 'waiting' | 'done'; outcome: 'ok' | 'error' | 'unavailable' | 'timeout' | 'too_large' | 'cancelled' | 'interrupted' | 'rejected' | 'invalid' | 'unknown' | 'forbidden' | 'skipped' | null; output: string | null; questionId: string | null; discussionId: string | null; promptId: string | null; startedAt: string | null; endedAt: string | null };
export type RunEntry = { seq: number; at: string; step: number; kind: 'instructions' | 'input' | 'reply' | 'call' | 'result' | 'note' | 'condensed' | 'decision' | 'error'; text: string | null; data: Record<string, unknown> | null; model: string | null; tokensIn: number | null; tokensOut: number | null; tookMs: number | null; call: RunCall | null };
export type Difference = { seq: number; stored: string; recomputed: string };
export type DefaultResponse = { type?: 'text' | 'choice' | 'boolean' | 'approval' | null; value?: unknown; text?: string | null; args?: unknown };
export type Preference = { response: Response; by: string; at: string };
export type Option = { id?: string; label?: string; value?: unknown; description?: string };
export type By = { id: string; by: string; at: string };
export type Approval = { have: number; need: number; by: Array<By> };
export type LateAnswer = { response: Response; by: string; respondedBy: string; at: string };
export type Handover = { id: string; by: string; at: string; note: string | null };
export type Draft = { by: string; at: string };
export type You = { needed: boolean; mayAnswer: boolean; yesCounts: boolean; mayAssign: boolean; bar: 'agent' | 'assigned' | 'role' | 'project' | 'token' | 'requester' | 'approved' | null; reason: string | null; snoozedUntil: string | null };
export type Question = { id: string; jobId: string; workspaceId: string; projectId: string | null; type: 'blocking' | 'non_blocking' | 'approval' | 'error_recovery'; question: string; context: Record<string, unknown> | null; status: 'pending' | 'answered' | 'timeout' | 'cancelled'; responseType: 'text' | 'choice' | 'boolean' | 'approval'; options: Array<Option> | null; response: Response | null; respondedBy: string | null; respondedAt: string | null; timeoutAt: string | null; defaultResponse: Response | null; metadata: Record<string, unknown> | null; createdAt: string; outcome: Outcome | null; parentId: string | null; action: Record<string, unknown> | null; approvedArgs: unknown; approvals: Approval | null; lateAnswers: Array<LateAnswer>; assignedTo: string | null; assignee: string | null; handover: Handover | null; requiredRole: string | null; requiredApprovals: number; allowOther: boolean; allowDefaultApprove: boolean; askedBy: string; requestedBy: string | null; requester: string | null; template: string | null; draft: Draft | null; restartedAs: string | null; you: You };
export type Result = { id: string; status: string; jobResumed: boolean; error?: string };
export type Precedent = { questionId: string; question: string; response: Response; by: string; at: string; label: string };
export type People = { id: string; name: string; role: string };
export type Template = { id: string; name: string; builtIn: boolean; createdAt: string | null; question?: string; type?: 'blocking' | 'non_blocking' | 'approval' | 'error_recovery'; responseType?: 'text' | 'choice' | 'boolean' | 'approval'; options?: Array<Option>; optionsFrom?: 'personas' | 'integrations'; context?: Record<string, unknown>; timeoutMinutes?: number; defaultResponse?: Response; allowOther?: boolean; requiredRole?: 'owner' | 'admin' | 'member'; requiredApprovals?: number };
export type CollectedContext = { agent: string; message: string; is_human: boolean; created_at: string };
export type Prompt = { id: string; workspace_id: string; task_id: string | null; linked_task_id: string | null; requester_agent: string; prompt_message: string; required_responses: number; timeout_minutes: number; status: 'pending' | 'collecting' | 'resolved' | 'timed_out' | 'cancelled'; collected_context: Array<CollectedContext>; squad_chat_id: string | null; resolved_at: string | null; created_at: string; timeout_at: string; count_all: boolean; response_count: number; outcome: Outcome | null };
export type Chat = { id: string; workspace_id: string; agent_name: string; message: string; is_human: boolean; message_type: 'message' | 'discussion_prompt' | 'discussion_response' | 'system'; discussion_prompt_id: string | null; task_ref: string | null; created_at: string };
export type Agent = { id: string; workspace_id: string; name: string; role: string; system_prompt: string; ai_model_config: unknown; created_by: string | null; created_at: string; updated_at: string | null };
export type Model = { name: string; provider: string; model: string; default: boolean; key: 'none' | 'there' | 'missing' };
export type Tool = { name: string; description: string; kind: 'command' | 'mcp'; server: string | null; needsApproval: boolean; category: string | null; idempotent: boolean; alone: boolean; inTaskFolder: boolean; projects: Array<string> | null; roles: Array<string> | null; inputSchema: Record<string, unknown> };
export type Server = { name: string; state: 'starting' | 'ready' | 'waiting' | 'unavailable'; why: string | null; version: string | null; tools: number; leftOut: number; restarts: number };
export type Participant = { agentId?: string | null; agentName?: string | null; role?: string | null; userId?: string | null; name?: string | null; sequence_order?: number | null };
export type Ref = { kind: 'prompt' | 'question'; id: string };
export type Vote = { choices: Array<string>; rule?: 'majority' | 'borda' | 'weighted' | null };
export type Usage = { calls: number; tokensIn: number | null; tokensOut: number | null; callsNotReported: number };
export type Discussion = { id: string; topic: string; mode: 'turns' | 'rounds' | 'parallel'; status: 'active' | 'paused' | 'completed' | 'cancelled' | 'failed'; phase: 'opening' | 'asking' | 'calling' | 'speaking' | 'outside' | 'person' | 'voting' | 'judging' | 'summarising' | 'delegating' | 'answering' | 'ended'; round: number; rounds: number; turnIndex: number; endReason: 'rounds_used' | 'all_passed' | 'agreement' | 'nothing_new' | 'budget' | 'cancelled' | 'failed' | null; outcome: Outcome | null; projectId: string | null; taskId: string | null; parentId: string | null; depth: number; ref: Ref | null; forkedFrom: string | null; sessionId: string | null; options: Record<string, unknown>; usage: Usage; createdBy: string | null; createdAt: string; updatedAt: string; endedAt: string | null };
export type Entry = { id: string; speaker: string; agentId: string | null; role: string; content: string; turnIndex: number; roundNumber: number; metadata: Record<string, unknown>; createdAt: string };
export type Contribution = { agent: string; round: number; content: string };
export type Passe = { agent: string; reason: string };
export type Round = { round: number; contributions: Array<Contribution>; passes: Array<Passe> };
export type Decision = { seq: number; kind: string; round: number; turn: number; afterSeq: number; inputs: Record<string, unknown>; verdict: string; reason: string; at: string };
export type Total = { turns: number; passes: number; calls: number; tokensIn: number | null; tokensOut: number | null; callsNotReported: number };
export type Turn = { id: string; discussionId: string; topic: string; projectId: string | null; mode: string; kind: 'message' | 'turn' | 'ballot' | 'judge' | 'summary'; speaker: string; role: string; agentId: string | null; userId: string | null; roundNumber: number; turnIndex: number; createdAt: string; dueAt: string | null };
export type Ballot = { voter: string; choice: string | null; confidence: number | null; ranking: Array<string>; problem: string | null };
export type Count = { rule: 'majority' | 'borda' | 'weighted'; winner: string | null; tie: boolean; tally: Record<string, unknown>; agreed: boolean; decided: boolean; dissent: Array<unknown> };
export type Wording = { name: string; text: string; own: boolean; updatedAt: string | null };
export type HilConfig = { scopeChanges: 'automated' | 'notify_and_proceed' | 'requires_approval'; architectureDecisions: 'automated' | 'notify_and_proceed' | 'requires_approval'; dependencyModifications: 'automated' | 'notify_and_proceed' | 'requires_approval' };
export type Orchestrator = { on: boolean; parallel: number; coder: 'runner' | 'command' };
export type Project = { id: string; name: string; description: string; hilConfig: HilConfig; autonomyLevel: 'confirm_all' | 'major_only' | 'full' | 'custom'; autonomyDescription: string; settings: Record<string, unknown>; orchestrator: Orchestrator; createdAt: string };
export type Out = { taskId: string; coder: 'runner' | 'command'; state: 'queued' | 'coding'; jobId: string | null; takenAt: string; title: string };
export type Task = { id: string; project_id: string; title: string; description: string; status: 'open' | 'in_progress' | 'blocked' | 'closed'; priority: number; assignee: string | null; block_reason: string | null; depends_on: Array<string>; session_id: string | null; result: unknown; problems: Array<string>; created_at: string; updated_at: string };
export type Feedback = { id: string; projectId: string; author: string; text: string; status: 'new' | 'waiting' | 'handled'; createdAt: string };
export type Section = { sectionKey: string; projectId: string; version: number; author: string; createdAt: string };
export type History = { version: number; author: string; createdAt: string };
export type Plan = { planId: string; projectId: string; version: number; author: string; createdAt: string };
export type Notification = { id: string; projectId: string; source: string; sourceId: string; kind: string; agent: string | null; questions: Array<{ id: string; text: string; createdAt: string }>; responses: Array<{ questionId: string; answer: string; by?: string; at?: string }>; status: 'open' | 'resolved'; approved: boolean | null; createdAt: string; resolvedAt: string | null; outcome: Outcome | null; task: { id: string; title: string; status: 'open' | 'in_progress' | 'blocked' | 'closed'; blockReason: string | null } | null };
export type Item = { type: 'blocking' | 'non_blocking' | 'approval' | 'error_recovery' | 'open_questions' | 'prompt' | 'turn'; id: string; text: string; questions: number; agent: string | null; projectId: string | null; project: string | null; task: string | null; assignedTo: string | null; assignee: string | null; requiredRole: string | null; you: You; timeoutAt: string | null; defaultResponse: Record<string, unknown> | null; source: string | null; discussionId: string | null; createdAt: string };
export type About = { kind: 'question' | 'job' | 'discussion' | 'prompt' | 'chat' | 'project' | 'task' | 'set' | 'decision' | 'feedback' | 'agent' | 'template' | 'token' | 'user' | 'workspace' | null; id: string | null; name: string; projectId: string | null };
export type User = { id: string; name: string };
export type Workspace = { id: string; slug: string; name: string };
export type Caller = { kind: 'local' | 'user' | 'token' | 'system'; id: string; name: string; role: 'owner' | 'admin' | 'member' | 'agent' | 'viewer'; answers: boolean; manages: boolean; agentName: string | null; projectId: string | null };
export type OldSecret = { replacedAt: string; goodUntil: string; lastUsedAt: string | null };
export type Token = { id: string; name: string; role: 'owner' | 'admin' | 'member' | 'agent' | 'viewer'; projectId: string | null; agentName: string | null; userId: string | null; user: string | null; createdBy: string | null; createdAt: string; expiresAt: string | null; lastUsedAt: string | null; revokedAt: string | null; rotatedAt: string | null; oldSecrets: Array<OldSecret> };
export type Page = { page: 'inbox' | 'question' | 'approvals' | 'chat' | 'discussions' | 'discussion' | 'jobs' | 'job' | 'projects' | 'project' | 'other'; subject: string | null; state: 'here' | 'away' | 'gone'; since: string };
export type TimeToAnswer = { n: number; medianMs: number | null; p90Ms: number | null };
export type ByType = { type: string; asked: number; answered: number; byDefault: number; timedOut: number; cancelled: number; pending: number; timeoutRate: number | null; responseRate: number | null; timeToAnswer: TimeToAnswer };
export type QuestionsPerJob = { jobs: number; questions: number; mean: number | null; most: number };
export type CommonQuestion = { question: string; type: string; asked: number; answered: number; timedOut: number };
export type WithQuestion = { jobs: number; completed: number; failed: number; cancelled: number; open: number; completedRate: number | null };
export type JobOutcome = { withQuestions: WithQuestion; withoutQuestions: WithQuestion };
export type Alert = { id: string; kind: 'timeout_rate' | 'unanswered' | 'ask_errors'; since: string; details: Record<string, unknown> };
/** What an event may be, as docs/events.md tells. */
export type EventType = 'question_asked' | 'question_answered' | 'question_approval' | 'question_timeout' | 'question_cancelled' | 'question_draft' | 'question_extended' | 'question_assigned' | 'question_snoozed' | 'question_late_answer' | 'job.created' | 'status' | 'job.log' | 'job.progress' | 'job.ended' | 'run.moved' | 'chat.message' | 'prompt.created' | 'prompt.responded' | 'prompt.ended' | 'notification.added' | 'notification.updated' | 'notification.resolved' | 'notification.read' | 'task.updated' | 'task.deleted' | 'feedback.added' | 'prd.updated' | 'plan.updated' | 'discussion.created' | 'discussion.message' | 'discussion.interjected' | 'turn.started' | 'turn.waiting' | 'turn.finished' | 'discussion.round' | 'vote.counted' | 'discussion.waiting' | 'discussion.paused' | 'discussion.resumed' | 'discussion.ended' | 'alert' | 'agent.changed' | 'template.changed' | 'user.changed' | 'token.changed' | 'workspace.changed' | 'turn.delta' | 'presence.changed' | 'server.stopping' | 'stream.ended' | 'stream.cut' | 'stream.gap';
export const roles = ['owner', 'admin', 'member', 'agent', 'viewer'] as const;

/** Make a job that you drive yourself: say when it runs, report on it, ask people, and say how it ended. One of the kind agent is run by witan: an agent of the workspace works on its input with tools until it is done, and asks people when it must. */
export const job_create: Op<{ body?: { kind?: string | null; agent?: string | null; projectId?: string | null; taskId?: string | null; status?: 'pending' | 'running' | null; input?: unknown; budget?: Budget | null; recover?: boolean | null; tools?: Array<string> | null } }, { id: string; workspaceId: string; kind: string; agent: string | null; projectId: string | null; taskId: string | null; status: 'pending' | 'running' | 'waiting_for_input' | 'waiting_for_approval' | 'completed' | 'failed' | 'cancelled'; progress: Progress | null; input: unknown; result: unknown; error: string | null; requestedBy: string | null; single: boolean; restartOf: string | null; answer: Answer | null; createdAt: string; endedAt: string | null; outcome: Outcome | null }> = /*#__PURE__*/ op('POST', '/api/jobs');

/** List jobs. Those that were made for a single question are left out, unless all or their kind asks for them. */
export const job_list: Op<{ query?: { status?: 'pending' | 'running' | 'waiting_for_input' | 'waiting_for_approval' | 'completed' | 'failed' | 'cancelled'; agent?: string; kind?: string; projectId?: string; taskId?: string; text?: string; all?: boolean; sort?: 'newest' | 'oldest'; limit?: number; cursor?: string } }, { jobs: Array<Job>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/jobs');

/** Show a job; with wait, hold the reply until it has ended. */
export const job_get: Op<{ path: { id: string }; query?: { wait?: number } }, { id: string; workspaceId: string; kind: string; agent: string | null; projectId: string | null; taskId: string | null; status: 'pending' | 'running' | 'waiting_for_input' | 'waiting_for_approval' | 'completed' | 'failed' | 'cancelled'; progress: Progress | null; input: unknown; result: unknown; error: string | null; requestedBy: string | null; single: boolean; restartOf: string | null; answer: Answer | null; createdAt: string; endedAt: string | null; outcome: Outcome | null }> = /*#__PURE__*/ op('GET', '/api/jobs/{id}');

/** Say that a job of yours runs, has completed or has failed. The end cancels its open questions; non-blocking ones stay answerable. An agent cannot end a job in which others wait for people. */
export const job_update: Op<{ path: { id: string }; body?: { status?: 'running' | 'completed' | 'failed' | null; result?: unknown; error?: string | null } }, { id: string; workspaceId: string; kind: string; agent: string | null; projectId: string | null; taskId: string | null; status: 'pending' | 'running' | 'waiting_for_input' | 'waiting_for_approval' | 'completed' | 'failed' | 'cancelled'; progress: Progress | null; input: unknown; result: unknown; error: string | null; requestedBy: string | null; single: boolean; restartOf: string | null; answer: Answer | null; createdAt: string; endedAt: string | null; outcome: Outcome | null }> = /*#__PURE__*/ op('PATCH', '/api/jobs/{id}');

/** Cancel a job and its open questions; non-blocking ones can still be answered. An agent cannot cancel a job in which others wait for people, unless it is a run that it asked for itself. */
export const job_cancel: Op<{ path: { id: string }; body?: { reason?: string | null } }, { id: string; workspaceId: string; kind: string; agent: string | null; projectId: string | null; taskId: string | null; status: 'pending' | 'running' | 'waiting_for_input' | 'waiting_for_approval' | 'completed' | 'failed' | 'cancelled'; progress: Progress | null; input: unknown; result: unknown; error: string | null; requestedBy: string | null; single: boolean; restartOf: string | null; answer: Answer | null; createdAt: string; endedAt: string | null; outcome: Outcome | null }> = /*#__PURE__*/ op('POST', '/api/jobs/{id}/cancel');

/** Read a job's log: its own lines, progress, questions and answers. */
export const job_logs: Op<{ path: { id: string }; query?: { order?: 'oldest' | 'newest'; kind?: 'log' | 'progress' | 'status' | 'question' | 'answer' | 'timeout' | 'cancelled' | 'approval' | 'extended' | 'late' | 'restart' | 'assigned'; limit?: number; cursor?: string } }, { logs: Array<Log>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/jobs/{id}/logs');

/** Add a line to a job's log. */
export const job_log: Op<{ path: { id: string }; body: { message: string; level?: 'debug' | 'info' | 'warn' | 'error' | null; data?: unknown } }, { seq: number; at: string; kind: string; level: 'debug' | 'info' | 'warn' | 'error'; message: string; data: unknown }> = /*#__PURE__*/ op('POST', '/api/jobs/{id}/logs');

/** Report how far a job is. Each report is also a line of its log. */
export const job_progress: Op<{ path: { id: string }; body?: { done?: number | null; total?: number | null; step?: string | null } }, { id: string; workspaceId: string; kind: string; agent: string | null; projectId: string | null; taskId: string | null; status: 'pending' | 'running' | 'waiting_for_input' | 'waiting_for_approval' | 'completed' | 'failed' | 'cancelled'; progress: Progress | null; input: unknown; result: unknown; error: string | null; requestedBy: string | null; single: boolean; restartOf: string | null; answer: Answer | null; createdAt: string; endedAt: string | null; outcome: Outcome | null }> = /*#__PURE__*/ op('POST', '/api/jobs/{id}/progress');

/** Read what an agent of the runner did: what its model was told and said, the tools that it called with arguments and output, and every decision with its reason. Give the number of the last entry as after to go on from there; the event run.moved says when there are others. */
export const run_trace: Op<{ path: { id: string }; query?: { order?: 'oldest' | 'newest'; after?: number; limit?: number; cursor?: string } }, { run: Run; entries: Array<RunEntry>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/jobs/{id}/trace');

/** Make every decision of a run again, from its log alone, and compare with what is stored. No model and no tool is called, and nothing is changed. */
export const run_replay: Op<{ path: { id: string } }, { same: boolean; steps: number; decisions: number; differences: Array<Difference> }> = /*#__PURE__*/ op('GET', '/api/jobs/{id}/replay');

/** Ask people within a job. Unless it is non-blocking, the job waits for the answer, for the deadline, or until it is cancelled. */
export const question_ask: Op<{ path: { id: string }; body?: { question?: string | null; type?: 'blocking' | 'non_blocking' | 'approval' | 'error_recovery' | null; responseType?: 'text' | 'choice' | 'boolean' | 'approval' | null; options?: Array<unknown | unknown> | null; context?: Record<string, unknown> | null; timeoutMinutes?: number | null; defaultResponse?: DefaultResponse | null; metadata?: Record<string, unknown> | null; parentId?: string | null; action?: Record<string, unknown> | null; requiredApprovals?: number | null; assignedTo?: string | null; requiredRole?: 'owner' | 'admin' | 'member' | null; requestedBy?: string | null; allowOther?: boolean | null; allowDefaultApprove?: boolean | null; template?: string | null } }, { questionId: string; timeoutAt: string | null; response?: Response; preference?: Preference | null }> = /*#__PURE__*/ op('POST', '/api/jobs/{id}/questions');

/** List all questions of a job, oldest first. */
export const question_list_job: Op<{ path: { id: string }; query?: { limit?: number; cursor?: string } }, { questions: Array<Question>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/jobs/{id}/questions');

/** Ask people without a job: one is made for the question and ends with it. */
export const question_create: Op<{ body?: { question?: string | null; type?: 'blocking' | 'non_blocking' | 'approval' | 'error_recovery' | null; responseType?: 'text' | 'choice' | 'boolean' | 'approval' | null; options?: Array<unknown | unknown> | null; context?: Record<string, unknown> | null; timeoutMinutes?: number | null; defaultResponse?: DefaultResponse | null; metadata?: Record<string, unknown> | null; parentId?: string | null; action?: Record<string, unknown> | null; requiredApprovals?: number | null; assignedTo?: string | null; requiredRole?: 'owner' | 'admin' | 'member' | null; requestedBy?: string | null; allowOther?: boolean | null; allowDefaultApprove?: boolean | null; template?: string | null; agent?: string | null; projectId?: string | null; taskId?: string | null } }, { questionId: string; timeoutAt: string | null; response?: Response; preference?: Preference | null; jobId: string }> = /*#__PURE__*/ op('POST', '/api/questions');

/** List the open questions of a workspace, oldest first or by deadline. */
export const question_pending: Op<{ query: { workspaceId: string; type?: 'blocking' | 'non_blocking' | 'approval' | 'error_recovery'; projectId?: string; sort?: 'created' | 'deadline'; limit?: number; cursor?: string } }, { questions: Array<Question>; serverTime: string; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/questions/pending');

/** List the questions that were answered, whose time ran out, or that were cancelled, newest first. */
export const question_ended: Op<{ query: { status: 'answered' | 'timeout' | 'cancelled'; type?: 'blocking' | 'non_blocking' | 'approval' | 'error_recovery'; projectId?: string; agent?: string; limit?: number; cursor?: string } }, { questions: Array<Question>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/questions/ended');

/** Count the questions of this workspace that the caller has ended by an answer since a time, such as the beginning of their day. Answers that came late, and approvals that others had to join, are not counted. */
export const question_answered_count: Op<{ query: { since: string } }, { count: number }> = /*#__PURE__*/ op('GET', '/api/questions/answered-count');

/** Show a question; with wait, hold the reply until it has ended. */
export const question_get: Op<{ path: { id: string }; query?: { wait?: number } }, { question: Question; taskId: string | null; taskTitle: string | null }> = /*#__PURE__*/ op('GET', '/api/questions/{id}');

/** Answer a question. The first answer wins and the job goes on in the same moment; an answer after the deadline is refused as late, and kept (kept: true). A member's token cannot give an approval that it asked for. An approval that does not count is no error: the reply says why. */
export const question_answer: Op<{ path: { id: string }; body: { response: DefaultResponse } }, { success: boolean; jobResumed: boolean; approvals?: { have: number; need: number; counted: boolean; why?: string } }> = /*#__PURE__*/ op('POST', '/api/questions/{id}/answer');

/** Answer several questions at once. Each has its own result; one that is refused does not stop the others. */
export const question_answer_batch: Op<{ body: { answers: Array<{ id: string; response: DefaultResponse }> } }, { results: Array<Result> }> = /*#__PURE__*/ op('POST', '/api/questions/answer');

/** Cancel an open question. Its job goes on without an answer. An agent can cancel only what it asked itself. */
export const question_cancel: Op<{ path: { id: string }; body?: { reason?: string | null } }, { success: boolean; jobResumed: boolean }> = /*#__PURE__*/ op('POST', '/api/questions/{id}/cancel');

/** Move a question's deadline back, up to questions.max_timeout (24 hours unless set) after it was asked. An agent can move only the deadline of what it asked itself. */
export const question_extend: Op<{ path: { id: string }; body: { minutes: number } }, { timeoutAt: string | null }> = /*#__PURE__*/ op('POST', '/api/questions/{id}/extend');

/** Say that you are typing an answer. Others see it, and a deadline nearer than two minutes moves back to two minutes, at most three times. */
export const question_draft: Op<{ path: { id: string } }, { timeoutAt: string | null }> = /*#__PURE__*/ op('POST', '/api/questions/{id}/draft');

/** Make a one-time link: whoever holds it may see this question and answer it once, in your place, without a login. */
export const question_link: Op<{ path: { id: string } }, { link: string; url: string; expiresAt: string | null }> = /*#__PURE__*/ op('POST', '/api/questions/{id}/link');

/** Exchange the secret of a link for a cookie, with which the question can be seen and answered. It is good until the question has ended or was answered with the link. */
export const link_open: Op<{ path: { id: string }; body: { link: string } }, undefined> = /*#__PURE__*/ op('POST', '/api/questions/{id}/visit');

/** Start a new job with an answer that came too late. Once for each question; a person decides it. */
export const question_restart: Op<{ path: { id: string } }, { jobId: string; restartOf: string }> = /*#__PURE__*/ op('POST', '/api/questions/{id}/restart');

/** List other open questions of the same type and wording, to answer them in one batch. */
export const question_similar: Op<{ path: { id: string } }, { questions: Array<Question> }> = /*#__PURE__*/ op('GET', '/api/questions/{id}/similar');

/** Show what people answered to the same question before. It is never applied by itself. */
export const question_suggestion: Op<{ path: { id: string } }, { suggestion: Record<string, unknown> | null; precedents: Array<Precedent> }> = /*#__PURE__*/ op('GET', '/api/questions/{id}/suggestion');

/** Give an open question to one person, who alone may answer it from then on, and is told. Anyone who may answer it can do this, its assignee included; owners and admins always can. A question that needs several approvals cannot be given to one person, nor an approval to the person who asked for it. */
export const question_assign: Op<{ path: { id: string }; body: { to: string; note?: string | null } }, { question: Question }> = /*#__PURE__*/ op('POST', '/api/questions/{id}/assign');

/** Give a question that is assigned to somebody back to all who may answer it, who are told. Its assignee can do this, and so can owners and admins. */
export const question_unassign: Op<{ path: { id: string }; body?: { note?: string | null } }, { question: Question }> = /*#__PURE__*/ op('POST', '/api/questions/{id}/unassign');

/** List the people to whom a question can be assigned. */
export const question_people: Op<{ path: { id: string }; query?: { name?: string } }, { people: Array<People>; more: boolean }> = /*#__PURE__*/ op('GET', '/api/questions/{id}/people');

/** Do not count a question among what needs you for a while. It stays open, for others as it was, and its deadline runs on: it wakes by itself when its time is over, five minutes before its deadline, and when somebody assigns it. */
export const question_snooze: Op<{ path: { id: string }; body: { minutes: number } }, { snoozedUntil: string | null }> = /*#__PURE__*/ op('POST', '/api/questions/{id}/snooze');

/** End a snooze of yours at once. */
export const question_wake: Op<{ path: { id: string } }, { snoozedUntil: string | null }> = /*#__PURE__*/ op('POST', '/api/questions/{id}/wake');

/** List the question templates: the built-in ones and the workspace's own. */
export const template_list: Op<{ query?: { limit?: number; cursor?: string } }, { templates: Array<Template>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/templates');

/** Make a question template. One with the name of a built-in one takes its place. */
export const template_create: Op<{ body: { name: string; question?: string | null; type?: 'blocking' | 'non_blocking' | 'approval' | 'error_recovery' | null; responseType?: 'text' | 'choice' | 'boolean' | 'approval' | null; options?: Array<unknown | unknown> | null; optionsFrom?: 'personas' | 'integrations' | null; context?: Record<string, unknown> | null; timeoutMinutes?: number | null; defaultResponse?: DefaultResponse | null; allowOther?: boolean | null; requiredRole?: 'owner' | 'admin' | 'member' | null; requiredApprovals?: number | null } }, { id: string; name: string; builtIn: boolean; createdAt: string | null; question?: string; type?: 'blocking' | 'non_blocking' | 'approval' | 'error_recovery'; responseType?: 'text' | 'choice' | 'boolean' | 'approval'; options?: Array<Option>; optionsFrom?: 'personas' | 'integrations'; context?: Record<string, unknown>; timeoutMinutes?: number; defaultResponse?: Response; allowOther?: boolean; requiredRole?: 'owner' | 'admin' | 'member'; requiredApprovals?: number }> = /*#__PURE__*/ op('POST', '/api/templates');

/** Show a question template. */
export const template_get: Op<{ path: { id: string } }, { id: string; name: string; builtIn: boolean; createdAt: string | null; question?: string; type?: 'blocking' | 'non_blocking' | 'approval' | 'error_recovery'; responseType?: 'text' | 'choice' | 'boolean' | 'approval'; options?: Array<Option>; optionsFrom?: 'personas' | 'integrations'; context?: Record<string, unknown>; timeoutMinutes?: number; defaultResponse?: Response; allowOther?: boolean; requiredRole?: 'owner' | 'admin' | 'member'; requiredApprovals?: number }> = /*#__PURE__*/ op('GET', '/api/templates/{id}');

/** Change a question template of the workspace. What is not given stays. */
export const template_update: Op<{ path: { id: string }; body?: { name?: string | null; question?: string | null; type?: 'blocking' | 'non_blocking' | 'approval' | 'error_recovery' | null; responseType?: 'text' | 'choice' | 'boolean' | 'approval' | null; options?: Array<unknown | unknown> | null; optionsFrom?: 'personas' | 'integrations' | null; context?: Record<string, unknown> | null; timeoutMinutes?: number | null; defaultResponse?: DefaultResponse | null; allowOther?: boolean | null; requiredRole?: 'owner' | 'admin' | 'member' | null; requiredApprovals?: number | null } }, { id: string; name: string; builtIn: boolean; createdAt: string | null; question?: string; type?: 'blocking' | 'non_blocking' | 'approval' | 'error_recovery'; responseType?: 'text' | 'choice' | 'boolean' | 'approval'; options?: Array<Option>; optionsFrom?: 'personas' | 'integrations'; context?: Record<string, unknown>; timeoutMinutes?: number; defaultResponse?: Response; allowOther?: boolean; requiredRole?: 'owner' | 'admin' | 'member'; requiredApprovals?: number }> = /*#__PURE__*/ op('PATCH', '/api/templates/{id}');

/** Delete a question template of the workspace. */
export const template_delete: Op<{ path: { id: string } }, undefined> = /*#__PURE__*/ op('DELETE', '/api/templates/{id}');

/** Ask the other agents for input. The prompt appears in the squad chat and collects replies until enough agents have answered or its time is up. @Name in it calls an agent. */
export const prompt_create: Op<{ body: { requester_agent: string; prompt_message: string; task_id?: string | null; required_responses?: number | null; timeout_minutes?: number | null; count_all?: boolean | null } }, { prompt: Prompt; chat: Chat }> = /*#__PURE__*/ op('POST', '/api/discussion');

/** List discussion prompts, newest first; open ones unless a status is given. For an agent: what it may answer, prompts that mention it first. */
export const prompt_list: Op<{ query?: { status?: 'pending' | 'collecting' | 'resolved' | 'timed_out' | 'cancelled'; agent?: string; task_id?: string; include_answered?: boolean; limit?: number; cursor?: string } }, { prompts: Array<Prompt>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/discussion');

/** Show a discussion prompt with its replies and whether the asker can go on. */
export const prompt_get: Op<{ path: { id: string }; query?: { wait?: number } }, { prompt: Prompt; responses: Array<Chat>; ready: boolean; terminal: boolean; status: 'pending' | 'collecting' | 'resolved' | 'timed_out' | 'cancelled'; responseCount: number; requiredResponses: number; collectedContext: Array<CollectedContext>; timeoutAt: string; outcome: Outcome | null }> = /*#__PURE__*/ op('GET', '/api/discussion/{id}');

/** Answer a discussion prompt in the squad chat. Each agent counts once; the last reply that is needed resolves the prompt. */
export const prompt_respond: Op<{ path: { id: string }; body: { agent_name: string; message: string; is_human?: boolean | null } }, { response: Chat; prompt: Prompt; ready: boolean }> = /*#__PURE__*/ op('POST', '/api/discussion/{id}');

/** End a discussion prompt before it has all its replies: resolve it with what was collected, or cancel it. */
export const prompt_close: Op<{ path: { id: string }; body: { action: string } }, { prompt: Prompt; collectedContext: Array<CollectedContext> }> = /*#__PURE__*/ op('PATCH', '/api/discussion/{id}');

/** Read the squad chat, newest message first; all of it, one prompt's thread, or what was said about one task. */
export const chat_list: Op<{ query?: { discussion_prompt_id?: string; task_ref?: string; limit?: number; cursor?: string } }, { messages: Array<Chat>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/chat');

/** Write a message into the squad chat. @Name in it mentions an agent. As a discussion_response it answers a prompt. */
export const chat_post: Op<{ body: { agent_name: string; message: string; is_human?: boolean | null; message_type?: 'message' | 'discussion_response' | null; discussion_prompt_id?: string | null; task_ref?: string | null } }, { message: Chat }> = /*#__PURE__*/ op('POST', '/api/chat');

/** Make an agent that can take part in discussions. */
export const agent_create: Op<{ body: { name: string; role?: string | null; system_prompt?: string | null; ai_model_config?: Record<string, unknown> | string | null } }, { id: string; workspace_id: string; name: string; role: string; system_prompt: string; ai_model_config: unknown; created_by: string | null; created_at: string; updated_at: string | null }> = /*#__PURE__*/ op('POST', '/api/agents');

/** List the agents of the workspace. */
export const agent_list: Op<{ query?: { limit?: number; cursor?: string } }, { agents: Array<Agent>; builtIn: Array<string>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/agents');

/** Show an agent. */
export const agent_get: Op<{ path: { id: string } }, { id: string; workspace_id: string; name: string; role: string; system_prompt: string; ai_model_config: unknown; created_by: string | null; created_at: string; updated_at: string | null }> = /*#__PURE__*/ op('GET', '/api/agents/{id}');

/** Change an agent. It holds from its next turn on. */
export const agent_update: Op<{ path: { id: string }; body?: { name?: string | null; role?: string | null; system_prompt?: string | null; ai_model_config?: Record<string, unknown> | string | null } }, { id: string; workspace_id: string; name: string; role: string; system_prompt: string; ai_model_config: unknown; created_by: string | null; created_at: string; updated_at: string | null }> = /*#__PURE__*/ op('PATCH', '/api/agents/{id}');

/** Delete an agent. It stays in what it has said; where its turn would be it is skipped. */
export const agent_delete: Op<{ path: { id: string } }, undefined> = /*#__PURE__*/ op('DELETE', '/api/agents/{id}');

/** List the models that agents can name. What they lack, `witan model test` says. */
export const model_list: Op<{  }, { models: Array<Model>; default: string | null }> = /*#__PURE__*/ op('GET', '/api/models');

/** List the tools of config.yaml that agents can call in their runs: commands, and what MCP servers offer. What every run has besides (ask_question and the like) is not among them. */
export const tool_list: Op<{ query?: { limit?: number; cursor?: string } }, { tools: Array<Tool>; servers: Array<Server>; total: number; offered: number; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/tools');

/** Start a discussion. In modes rounds and parallel it begins at once, in mode turns with the first message. */
export const discussion_create: Op<{ body: { topic: string; mode?: 'turns' | 'rounds' | 'parallel' | null; participants?: Array<Participant> | null; cast?: 'specialists' | 'moderator' | null; rounds?: number | null; projectId?: string | null; taskId?: string | null; sessionId?: string | null; parentId?: string | null; ref?: Ref | null; options?: { vote?: Vote | null; agreement_threshold?: string | number | null; smart_termination?: 'off' | 'on' | 'shadow' | null | boolean; judge?: boolean | null; budget?: { calls?: number | null; tokens?: number | null; seconds?: number | null } | null; rehearse?: boolean | null; context?: string | null } | null } }, { discussion: Discussion; agentsMade: Array<string> }> = /*#__PURE__*/ op('POST', '/api/discussions');

/** List discussions, newest first. */
export const discussion_list: Op<{ query?: { status?: 'active' | 'paused' | 'completed' | 'cancelled' | 'failed'; mode?: 'turns' | 'rounds' | 'parallel'; projectId?: string; taskId?: string; parentId?: string; sessionId?: string; limit?: number; cursor?: string } }, { discussions: Array<Discussion>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/discussions');

/** Show a discussion: what was said, who speaks next and, once it has ended, what came of it. A long one comes in pages. */
export const discussion_get: Op<{ path: { id: string }; query?: { limit?: number; cursor?: string; wait?: number } }, { status: 'success'; project: Record<string, unknown> | null; entries: Array<Entry>; counts: Record<string, unknown>; speakerOrder: Array<string>; nextSpeaker: string | null; discussion: Discussion; result?: Record<string, unknown>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/discussions/{id}');

/** Say something as a person. The reply comes when the agents whose turn it then is have answered, or after 55 seconds with 202. While they are at it another message gets 409 busy. */
export const discussion_message: Op<{ path: { id: string }; query?: { wait?: number }; body: { message: string; userId?: string | null; organizationId?: string | null } }, { status: 'success'; project: Record<string, unknown> | null; entries: Array<Entry>; counts: Record<string, unknown>; speakerOrder: Array<string>; nextSpeaker: string | null; discussion: Discussion; result?: Record<string, unknown>; nextCursor: string | null }> = /*#__PURE__*/ op('POST', '/api/discussions/{id}');

/** Start a new discussion from the history up to one of its entries. Agents that were removed meanwhile are skipped in it; when nobody else is left, it is refused. */
export const discussion_fork: Op<{ path: { id: string }; body: { at: string } }, { discussion: Discussion }> = /*#__PURE__*/ op('POST', '/api/discussions/{id}/fork');

/** The discussion as people read it: the text itself, or with format json the result. */
export const discussion_transcript: Op<{ path: { id: string }; query?: { format?: 'text' | 'markdown' | 'json' } }, { topic: string; rounds: Array<Round>; full_discussion: Array<Contribution>; total_contributions: number; vote?: Record<string, unknown>; shadow?: Record<string, unknown>; answered?: Record<string, unknown>; failure?: Record<string, unknown> }> = /*#__PURE__*/ op('GET', '/api/discussions/{id}/transcript');

/** Stop a discussion for now. A turn that is being spoken is asked for again afterwards. */
export const discussion_pause: Op<{ path: { id: string } }, { discussion: Discussion }> = /*#__PURE__*/ op('POST', '/api/discussions/{id}/pause');

/** Resume a discussion that was paused. */
export const discussion_resume: Op<{ path: { id: string } }, { discussion: Discussion }> = /*#__PURE__*/ op('POST', '/api/discussions/{id}/resume');

/** End a discussion, with all that were split off from it. What was being said is kept. */
export const discussion_cancel: Op<{ path: { id: string } }, { discussion: Discussion }> = /*#__PURE__*/ op('POST', '/api/discussions/{id}/cancel');

/** Let a waiting discussion go on: a person's turn, or one that is owed, is passed over. */
export const discussion_next: Op<{ path: { id: string } }, { discussion: Discussion }> = /*#__PURE__*/ op('POST', '/api/discussions/{id}/next');

/** Add rounds to a discussion that goes on. */
export const discussion_rounds: Op<{ path: { id: string }; body?: { add?: number | null } }, { discussion: Discussion }> = /*#__PURE__*/ op('POST', '/api/discussions/{id}/rounds');

/** Cut in. Now: what is being said is kept as far as it came; or after the turn. The order stays as it is. */
export const discussion_interject: Op<{ path: { id: string }; body: { by?: string | null; content: string; when?: 'now' | 'after_turn' | null } }, { discussion: Discussion }> = /*#__PURE__*/ op('POST', '/api/discussions/{id}/interject');

/** Every decision that was made in a discussion, with its reason. */
export const discussion_decisions: Op<{ path: { id: string } }, { decisions: Array<Decision> }> = /*#__PURE__*/ op('GET', '/api/discussions/{id}/decisions');

/** Make every decision of a discussion again, from its log alone, and compare with what is stored. No model is called, and nothing is changed. */
export const discussion_replay: Op<{ path: { id: string } }, { agrees: boolean; decisions: number; differences: Array<string> }> = /*#__PURE__*/ op('GET', '/api/discussions/{id}/replay');

/** What a discussion took: turns, passes, calls and tokens of each agent, and in all. */
export const discussion_usage: Op<{ path: { id: string } }, { agents: Array<{ speaker: string; agentId: string | null; turns: number; passes: number; calls: number; tokensIn: number | null; tokensOut: number | null; callsNotReported: number }>; total: Total }> = /*#__PURE__*/ op('GET', '/api/discussions/{id}/usage');

/** Take the turn that an agent of yours, or you as a person, owe a discussion; or pass it. */
export const turn_take: Op<{ path: { id: string }; body?: { agent_name?: string | null; userId?: string | null; content?: string | null; pass?: boolean | null; reason?: string | null } }, { entry: Entry; discussion: Discussion }> = /*#__PURE__*/ op('POST', '/api/discussions/{id}/turns');

/** List the turns that wait for a person, or for an agent that this server does not run. */
export const turn_list: Op<{ query?: { agent?: string; limit?: number; cursor?: string } }, { turns: Array<Turn>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/turns');

/** Count ballots under a rule. Nothing is stored: the same ballots can be counted under every rule. */
export const vote_tally: Op<{ body: { rule?: 'majority' | 'borda' | 'weighted' | null; choices: Array<string>; voters?: number | null; votes: Array<{ voter?: string | null; choice?: string | null; confidence?: number | null; ranking?: Array<string> | null }>; agreement_threshold?: string | number | null } }, { rule: 'majority' | 'borda' | 'weighted'; winner: string | null; tie: boolean; tally: Record<string, unknown>; agreed: boolean; decided: boolean; dissent: Array<unknown> }> = /*#__PURE__*/ op('POST', '/api/votes/tally');

/** The ballots of a discussion's last vote, and how they come out under every rule. */
export const discussion_votes: Op<{ path: { id: string } }, { round: number | null; ballots: Array<Ballot>; counts: Array<Count> }> = /*#__PURE__*/ op('GET', '/api/discussions/{id}/votes');

/** List what models are told in discussions and as agents of the runner, and which of it is in the workspace's own words. */
export const wording_list: Op<{  }, { wordings: Array<Wording> }> = /*#__PURE__*/ op('GET', '/api/wordings');

/** Have models told something in the workspace's own words. It holds from the next call on. */
export const wording_put: Op<{ body: { name: string; text: string } }, { name: string; text: string; own: boolean; updatedAt: string | null }> = /*#__PURE__*/ op('PUT', '/api/wordings');

/** Go back to the words that come with the program. */
export const wording_delete: Op<{ query: { name: string } }, undefined> = /*#__PURE__*/ op('DELETE', '/api/wordings');

/** List the projects of this workspace, newest first. */
export const project_list: Op<{ query?: { limit?: number; cursor?: string } }, { projects: Array<Project>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/projects');

/** Make a project. Agents in it confirm every decision unless hilConfig says otherwise. */
export const project_create: Op<{ body: { name: string; description?: string | null; hilConfig?: 'confirm_all' | 'major_only' | 'full' | null | { scopeChanges?: 'automated' | 'notify_and_proceed' | 'requires_approval' | null; architectureDecisions?: 'automated' | 'notify_and_proceed' | 'requires_approval' | null; dependencyModifications?: 'automated' | 'notify_and_proceed' | 'requires_approval' | null }; settings?: { answerers?: Array<string> | null } | null } }, { id: string; name: string; description: string; hilConfig: HilConfig; autonomyLevel: 'confirm_all' | 'major_only' | 'full' | 'custom'; autonomyDescription: string; settings: Record<string, unknown>; orchestrator: Orchestrator; createdAt: string }> = /*#__PURE__*/ op('POST', '/api/projects');

/** Show a project. */
export const project_get: Op<{ path: { id: string } }, { id: string; name: string; description: string; hilConfig: HilConfig; autonomyLevel: 'confirm_all' | 'major_only' | 'full' | 'custom'; autonomyDescription: string; settings: Record<string, unknown>; orchestrator: Orchestrator; createdAt: string }> = /*#__PURE__*/ op('GET', '/api/projects/{id}');

/** Change a project. A new hilConfig holds for decisions made from now on. */
export const project_update: Op<{ path: { id: string }; body?: { name?: string | null; description?: string | null; hilConfig?: 'confirm_all' | 'major_only' | 'full' | null | { scopeChanges?: 'automated' | 'notify_and_proceed' | 'requires_approval' | null; architectureDecisions?: 'automated' | 'notify_and_proceed' | 'requires_approval' | null; dependencyModifications?: 'automated' | 'notify_and_proceed' | 'requires_approval' | null }; settings?: { answerers?: Array<string> | null } | null; orchestrator?: { on?: boolean | null; parallel?: number | null; coder?: 'runner' | 'command' | null } | null } }, { id: string; name: string; description: string; hilConfig: HilConfig; autonomyLevel: 'confirm_all' | 'major_only' | 'full' | 'custom'; autonomyDescription: string; settings: Record<string, unknown>; orchestrator: Orchestrator; createdAt: string }> = /*#__PURE__*/ op('PATCH', '/api/projects/{id}');

/** Delete a project with everything in it. */
export const project_delete: Op<{ path: { id: string } }, undefined> = /*#__PURE__*/ op('DELETE', '/api/projects/{id}');

/** Show whether a project takes up its tasks by itself, and which of them are being worked on. */
export const orchestrator_get: Op<{ path: { id: string } }, { on: boolean; parallel: number; coder: 'runner' | 'command'; out: Array<Out> }> = /*#__PURE__*/ op('GET', '/api/projects/{id}/orchestrator');

/** List the tasks of a project, newest first. */
export const task_list: Op<{ path: { id: string }; query?: { status?: 'open' | 'in_progress' | 'blocked' | 'closed'; assignee?: string; session_id?: string; limit?: number; cursor?: string } }, { tasks: Array<Task>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/projects/{id}/tasks');

/** Add a task to a project. */
export const task_create: Op<{ path: { id: string }; body: { title: string; description?: string | null; priority?: number | null; depends_on?: Array<string> | null; session_id?: string | null } }, { id: string; project_id: string; title: string; description: string; status: 'open' | 'in_progress' | 'blocked' | 'closed'; priority: number; assignee: string | null; block_reason: string | null; depends_on: Array<string>; session_id: string | null; result: unknown; problems: Array<string>; created_at: string; updated_at: string }> = /*#__PURE__*/ op('POST', '/api/projects/{id}/tasks');

/** List what can be worked on: open tasks whose dependencies are all closed, by priority, then age. */
export const task_ready: Op<{ path: { id: string }; query?: { limit?: number; cursor?: string } }, { tasks: Array<Task>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/projects/{id}/tasks/ready');

/** Show a task. */
export const task_get: Op<{ path: { id: string; tid: string } }, { id: string; project_id: string; title: string; description: string; status: 'open' | 'in_progress' | 'blocked' | 'closed'; priority: number; assignee: string | null; block_reason: string | null; depends_on: Array<string>; session_id: string | null; result: unknown; problems: Array<string>; created_at: string; updated_at: string }> = /*#__PURE__*/ op('GET', '/api/projects/{id}/tasks/{tid}');

/** Change a task. Status closed finishes it, which an agent cannot do while questions about it are open; when somebody else does, these are dismissed. Status open, or an assignee of null, gives it back. */
export const task_update: Op<{ path: { id: string; tid: string }; body?: { title?: string | null; description?: string | null; status?: 'open' | 'in_progress' | 'blocked' | 'closed' | null; priority?: number | null; assignee?: string | null; block_reason?: string | null; depends_on?: Array<string> | null; session_id?: string | null; result?: unknown } }, { id: string; project_id: string; title: string; description: string; status: 'open' | 'in_progress' | 'blocked' | 'closed'; priority: number; assignee: string | null; block_reason: string | null; depends_on: Array<string>; session_id: string | null; result: unknown; problems: Array<string>; created_at: string; updated_at: string }> = /*#__PURE__*/ op('PATCH', '/api/projects/{id}/tasks/{tid}');

/** Delete a task. What depended on it depends on it no more. */
export const task_delete: Op<{ path: { id: string; tid: string } }, undefined> = /*#__PURE__*/ op('DELETE', '/api/projects/{id}/tasks/{tid}');

/** Take an open task for an agent. Of two that try, one gets it; the other is told who has it. */
export const task_claim: Op<{ path: { id: string; tid: string }; body: { agent: string } }, { id: string; project_id: string; title: string; description: string; status: 'open' | 'in_progress' | 'blocked' | 'closed'; priority: number; assignee: string | null; block_reason: string | null; depends_on: Array<string>; session_id: string | null; result: unknown; problems: Array<string>; created_at: string; updated_at: string }> = /*#__PURE__*/ op('POST', '/api/projects/{id}/tasks/{tid}/claim');

/** Read what was said about a task, newest first. */
export const task_chat_list: Op<{ path: { id: string; tid: string }; query?: { limit?: number; cursor?: string } }, { messages: Array<Chat>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/projects/{id}/tasks/{tid}/chat');

/** Say something about a task. It is a message of the squad chat that refers to the task. */
export const task_chat_post: Op<{ path: { id: string; tid: string }; body: { message: string; agent_name?: string | null; is_human?: boolean | null } }, { message: Chat }> = /*#__PURE__*/ op('POST', '/api/projects/{id}/tasks/{tid}/chat');

/** What the agent's next prompt must hold: the task, people's answers, its chat, its autonomy. */
export const task_context: Op<{ path: { id: string; tid: string } }, { projectId: string; source: string; sourceId: string; title: string; description: string; answers: Array<{ notificationId: string; questionId: string; question: string; answer: string | null; approved: boolean | null; source: string | null; by: string | null; at: string }>; chat: Array<Chat>; hilConfig: HilConfig; autonomyLevel: 'confirm_all' | 'major_only' | 'full' | 'custom'; autonomy: string; prompt: string }> = /*#__PURE__*/ op('GET', '/api/projects/{id}/tasks/{tid}/context');

/** The config.json for the task's folder: how much the agent may decide by itself. */
export const task_config: Op<{ path: { id: string; tid: string } }, { taskId: string; projectId: string; hilConfig: HilConfig; autonomyLevel: 'confirm_all' | 'major_only' | 'full' | 'custom'; autonomyDescription: string }> = /*#__PURE__*/ op('GET', '/api/projects/{id}/tasks/{tid}/config.json');

/** Say something about the product. The analyst turns it into tasks, or asks first. */
export const feedback_create: Op<{ path: { id: string }; body: { text: string } }, { id: string; projectId: string; author: string; text: string; status: 'new' | 'waiting' | 'handled'; createdAt: string }> = /*#__PURE__*/ op('POST', '/api/projects/{id}/feedback');

/** List the feedback of a project, newest first. */
export const feedback_list: Op<{ path: { id: string }; query?: { limit?: number; cursor?: string } }, { feedback: Array<Feedback>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/projects/{id}/feedback');

/** Show feedback. */
export const feedback_get: Op<{ path: { id: string; fid: string } }, { id: string; projectId: string; author: string; text: string; status: 'new' | 'waiting' | 'handled'; createdAt: string }> = /*#__PURE__*/ op('GET', '/api/projects/{id}/feedback/{fid}');

/** What the analyst's next prompt must hold: the feedback, people's answers, its autonomy. */
export const feedback_context: Op<{ path: { id: string; fid: string } }, { projectId: string; source: string; sourceId: string; title: string; description: string; answers: Array<{ notificationId: string; questionId: string; question: string; answer: string | null; approved: boolean | null; source: string | null; by: string | null; at: string }>; chat: Array<Chat>; hilConfig: HilConfig; autonomyLevel: 'confirm_all' | 'major_only' | 'full' | 'custom'; autonomy: string; prompt: string }> = /*#__PURE__*/ op('GET', '/api/projects/{id}/feedback/{fid}/context');

/** List the sections of the PRD. */
export const prd_list: Op<{ path: { id: string } }, { sections: Array<Section>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/projects/{id}/prd');

/** Show a section of the PRD with its history. */
export const prd_get: Op<{ path: { id: string; sectionKey: string }; query?: { version?: number } }, { sectionKey: string; projectId: string; version: number; author: string; createdAt: string; text: string; history: Array<History> }> = /*#__PURE__*/ op('GET', '/api/projects/{id}/prd/{sectionKey}');

/** Write a section of the PRD. Earlier versions stay; the same text again changes nothing. */
export const prd_put: Op<{ path: { id: string; sectionKey: string }; body: { text: string } }, { sectionKey: string; projectId: string; version: number; author: string; createdAt: string; text: string; history: Array<History> }> = /*#__PURE__*/ op('PUT', '/api/projects/{id}/prd/{sectionKey}');

/** What the dreamer's next prompt must hold: the section, people's answers, its autonomy. */
export const prd_context: Op<{ path: { id: string; sectionKey: string } }, { projectId: string; source: string; sourceId: string; title: string; description: string; answers: Array<{ notificationId: string; questionId: string; question: string; answer: string | null; approved: boolean | null; source: string | null; by: string | null; at: string }>; chat: Array<Chat>; hilConfig: HilConfig; autonomyLevel: 'confirm_all' | 'major_only' | 'full' | 'custom'; autonomy: string; prompt: string }> = /*#__PURE__*/ op('GET', '/api/projects/{id}/prd/{sectionKey}/context');

/** List the plans of a project. */
export const plan_list: Op<{ path: { id: string } }, { plans: Array<Plan>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/projects/{id}/plans');

/** Show a plan with its history. */
export const plan_get: Op<{ path: { id: string; planId: string }; query?: { version?: number } }, { planId: string; projectId: string; version: number; author: string; createdAt: string; text: string; history: Array<History> }> = /*#__PURE__*/ op('GET', '/api/projects/{id}/plans/{planId}');

/** Write a plan. Earlier versions stay; the same text again changes nothing. */
export const plan_put: Op<{ path: { id: string; planId: string }; body: { text: string } }, { planId: string; projectId: string; version: number; author: string; createdAt: string; text: string; history: Array<History> }> = /*#__PURE__*/ op('PUT', '/api/projects/{id}/plans/{planId}');

/** What the planner's next prompt must hold: the plan, people's answers, its autonomy. */
export const plan_context: Op<{ path: { id: string; planId: string } }, { projectId: string; source: string; sourceId: string; title: string; description: string; answers: Array<{ notificationId: string; questionId: string; question: string; answer: string | null; approved: boolean | null; source: string | null; by: string | null; at: string }>; chat: Array<Chat>; hilConfig: HilConfig; autonomyLevel: 'confirm_all' | 'major_only' | 'full' | 'custom'; autonomy: string; prompt: string }> = /*#__PURE__*/ op('GET', '/api/projects/{id}/plans/{planId}/context');

/** Hand in what an agent produced. Open questions in it are put to people and nothing else of it counts until they are answered; a task that failed for them is blocked. Otherwise its tasks are made and its texts written. Tasks may depend on each other by title or by place in the list, from 0, and on tasks of the project by id. All of it is applied or nothing: at most 500 tasks, each with at most 100 dependencies. */
export const result_submit: Op<{ path: { id: string }; body: { agent: 'analyst' | 'dreamer' | 'planner' | 'coder' | 'reviewer'; source?: 'eval' | 'prd' | 'plan' | 'execute' | null; sourceId: string; output?: string | null; result?: Record<string, unknown> | null } }, { accepted: boolean; questions: Array<{ id: string; text: string; createdAt: string }>; notificationId: string | null; task: Task | null; tasks: Array<Task>; problems: Array<string> }> = /*#__PURE__*/ op('POST', '/api/projects/{id}/results');

/** List what agents of the project are waiting to hear: open questions and approvals, newest first. */
export const open_question_list: Op<{ path: { id: string }; query?: { limit?: number; cursor?: string } }, { notifications: Array<Notification>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/projects/{id}/notifications');

/** Dismiss all open questions of a project without an answer. Their tasks go on; where the project's orchestrator is on, those that nobody has stay blocked until somebody opens them. */
export const open_question_clear: Op<{ path: { id: string } }, { deletedCount: number }> = /*#__PURE__*/ op('DELETE', '/api/projects/{id}/notifications');

/** Show a set of open questions and how it was settled. */
export const open_question_get: Op<{ path: { id: string; nid: string }; query?: { wait?: number } }, { id: string; projectId: string; source: string; sourceId: string; kind: string; agent: string | null; questions: Array<{ id: string; text: string; createdAt: string }>; responses: Array<{ questionId: string; answer: string; by?: string; at?: string }>; status: 'open' | 'resolved'; approved: boolean | null; createdAt: string; resolvedAt: string | null; outcome: Outcome | null; task: { id: string; title: string; status: 'open' | 'in_progress' | 'blocked' | 'closed'; blockReason: string | null } | null }> = /*#__PURE__*/ op('GET', '/api/projects/{id}/notifications/{nid}');

/** Answer open questions, or approve; without a body, dismiss them. Answers go to the task's chat and into the agent's next prompt, and a task that waited for the last of them goes on. Answers to some settle the whole set, unless keepOpen is true. A dismissal is no go-ahead, nor is a no without an answer: where the project's orchestrator is on, a task that nobody has stays blocked until somebody opens it. Settling it a second time changes nothing; while it is kept open, another answer to an answered question is a conflict that shows what is stored. */
export const open_question_resolve: Op<{ path: { id: string; nid: string }; body?: { responses?: Array<{ questionId: string; answer: string }> | null; approved?: boolean | null; keepOpen?: boolean | null } }, { id: string; projectId: string; source: string; sourceId: string; kind: string; agent: string | null; questions: Array<{ id: string; text: string; createdAt: string }>; responses: Array<{ questionId: string; answer: string; by?: string; at?: string }>; status: 'open' | 'resolved'; approved: boolean | null; createdAt: string; resolvedAt: string | null; outcome: Outcome | null; task: { id: string; title: string; status: 'open' | 'in_progress' | 'blocked' | 'closed'; blockReason: string | null } | null }> = /*#__PURE__*/ op('PATCH', '/api/projects/{id}/notifications/{nid}');

/** Dismiss a set of open questions without an answer. Its task goes on; where the project's orchestrator is on, one that nobody has stays blocked until somebody opens it. */
export const open_question_dismiss: Op<{ path: { id: string; nid: string } }, { deletedCount: number }> = /*#__PURE__*/ op('DELETE', '/api/projects/{id}/notifications/{nid}');

/** Ask whether something may be done. The project's hilConfig approves it at once, approves it and tells people, or puts it to them; what it does not name is put to them. */
export const decision_create: Op<{ path: { id: string }; body: { category: string; description: string; details?: unknown; agent?: string | null } }, { id: string; projectId: string; category: string; description: string; details: unknown; agent: string | null; level: 'automated' | 'notify_and_proceed' | 'requires_approval'; status: 'approved' | 'rejected' | 'pending'; questionId: string | null; comment: string | null; outcome: Outcome | null; createdAt: string }> = /*#__PURE__*/ op('POST', '/api/projects/{id}/decisions');

/** List the decisions of a project, newest first. */
export const decision_list: Op<{ path: { id: string }; query?: { pending?: boolean; limit?: number; cursor?: string } }, { decisions: Array<{ id: string; projectId: string; category: string; description: string; details: unknown; agent: string | null; level: 'automated' | 'notify_and_proceed' | 'requires_approval'; status: 'approved' | 'rejected' | 'pending'; questionId: string | null; comment: string | null; outcome: Outcome | null; createdAt: string }>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/projects/{id}/decisions');

/** Show a decision and how it was settled. */
export const decision_get: Op<{ path: { id: string; did: string }; query?: { wait?: number } }, { id: string; projectId: string; category: string; description: string; details: unknown; agent: string | null; level: 'automated' | 'notify_and_proceed' | 'requires_approval'; status: 'approved' | 'rejected' | 'pending'; questionId: string | null; comment: string | null; outcome: Outcome | null; createdAt: string }> = /*#__PURE__*/ op('GET', '/api/projects/{id}/decisions/{did}');

/** List everything that waits for people: questions, approvals, decisions, sets of open questions, prompts that mention you, and turns that people owe discussions, of all projects, the most urgent first. It says of each what it is to you, and how much needs you. */
export const inbox_list: Op<{ query?: { type?: 'blocking' | 'non_blocking' | 'approval' | 'error_recovery' | 'open_questions' | 'prompt' | 'turn'; projectId?: string; sort?: 'deadline' | 'created'; limit?: number } }, { items: Array<Item>; serverTime: string; more: boolean; needYou: number }> = /*#__PURE__*/ op('GET', '/api/inbox');

/** Read an inbox, newest first: your own, or that of the agent you name. */
export const notification_list: Op<{ query?: { agent?: string; unread?: boolean; limit?: number; cursor?: string } }, { notifications: Array<{ id: string; kind: string; priority: 'high' | 'normal' | 'low'; title: string; body: string; ref: { type: string; id: string }; projectId: string | null; read: boolean; resolved: boolean; createdAt: string; about: About | null }>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/notifications');

/** Count what waits in an inbox: questions and turns until they have ended, read or not; the rest until it has been read. */
export const notification_pending_count: Op<{ query?: { agent?: string } }, { count: number }> = /*#__PURE__*/ op('GET', '/api/notifications/pending-count');

/** Mark a notification as read. A second time changes nothing. */
export const notification_read: Op<{ path: { id: string } }, { notification: { id: string; kind: string; priority: 'high' | 'normal' | 'low'; title: string; body: string; ref: { type: string; id: string }; projectId: string | null; read: boolean; resolved: boolean; createdAt: string; about: About | null } }> = /*#__PURE__*/ op('POST', '/api/notifications/{id}/read');

/** Mark everything in an inbox as read and say how many were not. */
export const notification_read_all: Op<{ body?: { agent?: string | null } }, { count: number }> = /*#__PURE__*/ op('POST', '/api/notifications/read-all');

/** Find questions, jobs, discussions, projects, tasks and agents by the words in them. All words must be there; the last may be the beginning of one. Capital letters and accents do not matter. */
export const search: Op<{ query: { q: string; kind?: 'question' | 'job' | 'discussion' | 'project' | 'task' | 'agent'; projectId?: string; limit?: number; cursor?: string } }, { results: Array<{ kind: 'question' | 'job' | 'discussion' | 'project' | 'task' | 'agent'; id: string; title: string; status: string | null; open: boolean; agent: string | null; projectId: string | null; project: string | null; createdAt: string }>; complete: boolean; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/search');

/** Log in with name and password; the reply sets the session cookie. */
export const session_login: Op<{ body: { name: string; password: string } }, { user: User; workspaces: Array<Workspace> }> = /*#__PURE__*/ op('POST', '/api/login');

/** End the session and clear its cookie. */
export const session_logout: Op<{  }, undefined> = /*#__PURE__*/ op('POST', '/api/logout');

/** Say who calls, in which workspace, and where else they may go. */
export const me_get: Op<{  }, { caller: Caller; workspace: Workspace; workspaces: Array<Workspace>; solo: boolean; rehearsal: boolean; program: string; lastEvent: number }> = /*#__PURE__*/ op('GET', '/api/me');

/** Change your own password. This ends your other sessions. */
export const password_change: Op<{ body: { oldPassword: string; newPassword: string } }, undefined> = /*#__PURE__*/ op('PUT', '/api/me/password');

/** Show the caller's own preferences. */
export const preferences_get: Op<{  }, { preferences: Record<string, unknown> }> = /*#__PURE__*/ op('GET', '/api/me/preferences');

/** Replace the caller's own preferences. Whoever reads may do this, viewers too: it changes what they are shown and nothing of anybody else's. A token that belongs to a user has that user's. */
export const preferences_put: Op<{ body: { preferences: Record<string, unknown> } }, { preferences: Record<string, unknown> }> = /*#__PURE__*/ op('PUT', '/api/me/preferences');

/** Get a short-lived ticket for streams that cannot send a token or a cookie. */
export const ticket_create: Op<{  }, { ticket: string; expiresAt: string }> = /*#__PURE__*/ op('POST', '/api/tickets');

/** Say whether this server waits for its first owner. */
export const setup_get: Op<{  }, { open: boolean }> = /*#__PURE__*/ op('GET', '/api/setup');

/** Make the account of the first owner, with the code that the server has printed at its start. */
export const setup_owner: Op<{ body: { code: string; name: string; password: string } }, { id: string; name: string }> = /*#__PURE__*/ op('POST', '/api/setup');

/** List the users of this workspace. */
export const user_list: Op<{ query?: { limit?: number; cursor?: string } }, { users: Array<{ id: string; name: string; role: 'owner' | 'admin' | 'member' | 'agent' | 'viewer'; hasPassword: boolean; disabled: boolean; createdAt: string }>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/users');

/** Add a user to this workspace: a new one or, without a password, one you manage elsewhere. */
export const user_create: Op<{ body: { name: string; password?: string | null; role?: 'owner' | 'admin' | 'member' | 'agent' | 'viewer' | null } }, { id: string; name: string; role: 'owner' | 'admin' | 'member' | 'agent' | 'viewer'; hasPassword: boolean; disabled: boolean; createdAt: string; note?: string }> = /*#__PURE__*/ op('POST', '/api/users');

/** Show a user of this workspace. */
export const user_get: Op<{ path: { id: string } }, { id: string; name: string; role: 'owner' | 'admin' | 'member' | 'agent' | 'viewer'; hasPassword: boolean; disabled: boolean; createdAt: string }> = /*#__PURE__*/ op('GET', '/api/users/{id}');

/** Change a user's role here, set a new password, or disable the user. */
export const user_update: Op<{ path: { id: string }; body?: { role?: 'owner' | 'admin' | 'member' | 'agent' | 'viewer' | null; password?: string | null; disabled?: boolean | null } }, { id: string; name: string; role: 'owner' | 'admin' | 'member' | 'agent' | 'viewer'; hasPassword: boolean; disabled: boolean; createdAt: string }> = /*#__PURE__*/ op('PATCH', '/api/users/{id}');

/** Remove a user from this workspace; one who belongs nowhere else is deleted. */
export const user_delete: Op<{ path: { id: string } }, undefined> = /*#__PURE__*/ op('DELETE', '/api/users/{id}');

/** List the tokens of this workspace, without their secrets. */
export const token_list: Op<{ query?: { limit?: number; cursor?: string } }, { tokens: Array<Token>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/tokens');

/** Make a token for an agent or a script; its secret is shown this once. */
export const token_create: Op<{ body: { name: string; role?: 'owner' | 'admin' | 'member' | 'agent' | 'viewer' | null; projectId?: string | null; agentName?: string | null; userId?: string | null; expiresAt?: string | null } }, { id: string; name: string; role: 'owner' | 'admin' | 'member' | 'agent' | 'viewer'; projectId: string | null; agentName: string | null; userId: string | null; user: string | null; createdBy: string | null; createdAt: string; expiresAt: string | null; lastUsedAt: string | null; revokedAt: string | null; rotatedAt: string | null; oldSecrets: Array<OldSecret>; secret: string; note?: string }> = /*#__PURE__*/ op('POST', '/api/tokens');

/** Show a token, without its secret. */
export const token_get: Op<{ path: { id: string } }, { id: string; name: string; role: 'owner' | 'admin' | 'member' | 'agent' | 'viewer'; projectId: string | null; agentName: string | null; userId: string | null; user: string | null; createdBy: string | null; createdAt: string; expiresAt: string | null; lastUsedAt: string | null; revokedAt: string | null; rotatedAt: string | null; oldSecrets: Array<OldSecret> }> = /*#__PURE__*/ op('GET', '/api/tokens/{id}');

/** Revoke a token: from now on it is refused. */
export const token_revoke: Op<{ path: { id: string } }, undefined> = /*#__PURE__*/ op('DELETE', '/api/tokens/{id}');

/** Give a token a new secret, shown this once. The previous one stays good for a while. */
export const token_rotate: Op<{ path: { id: string }; body?: { overlapMinutes?: number | null; expiresAt?: string | null } }, { id: string; name: string; role: 'owner' | 'admin' | 'member' | 'agent' | 'viewer'; projectId: string | null; agentName: string | null; userId: string | null; user: string | null; createdBy: string | null; createdAt: string; expiresAt: string | null; lastUsedAt: string | null; revokedAt: string | null; rotatedAt: string | null; oldSecrets: Array<OldSecret>; secret: string }> = /*#__PURE__*/ op('POST', '/api/tokens/{id}/rotate');

/** List the workspaces the caller has a part in. */
export const workspace_list: Op<{ query?: { limit?: number; cursor?: string } }, { workspaces: Array<Workspace>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/workspaces');

/** Make a workspace; whoever makes it is its owner. */
export const workspace_create: Op<{ body: { name: string; slug?: string | null; settings?: Record<string, unknown> | null } }, { id: string; slug: string; name: string; role: 'owner' | 'admin' | 'member' | 'agent' | 'viewer'; settings: Record<string, unknown>; createdAt: string }> = /*#__PURE__*/ op('POST', '/api/workspaces');

/** Show a workspace and its settings. */
export const workspace_get: Op<{ path: { id: string } }, { id: string; slug: string; name: string; role: 'owner' | 'admin' | 'member' | 'agent' | 'viewer'; settings: Record<string, unknown>; createdAt: string }> = /*#__PURE__*/ op('GET', '/api/workspaces/{id}');

/** Rename a workspace or replace its settings. */
export const workspace_update: Op<{ path: { id: string }; body?: { name?: string | null; slug?: string | null; settings?: Record<string, unknown> | null } }, { id: string; slug: string; name: string; role: 'owner' | 'admin' | 'member' | 'agent' | 'viewer'; settings: Record<string, unknown>; createdAt: string }> = /*#__PURE__*/ op('PATCH', '/api/workspaces/{id}');

/** Delete a workspace with everything in it. */
export const workspace_delete: Op<{ path: { id: string } }, undefined> = /*#__PURE__*/ op('DELETE', '/api/workspaces/{id}');

/** Say which page a tab of your browser shows, so that others in the workspace see that you are here. It counts for 90 seconds: say it again while it holds, and gone when the tab is closed. */
export const presence_say: Op<{ body: { tab: string; page: 'inbox' | 'question' | 'approvals' | 'chat' | 'discussions' | 'discussion' | 'jobs' | 'job' | 'projects' | 'project' | 'other'; subject?: string | null; state?: 'here' | 'away' | 'gone' | null } }, undefined> = /*#__PURE__*/ op('POST', '/api/presence');

/** List the people who are here and which pages they have open, and when agents were last heard from. Nothing of it is kept once it is over. */
export const presence_list: Op<{ query?: { page?: 'inbox' | 'question' | 'approvals' | 'chat' | 'discussions' | 'discussion' | 'jobs' | 'job' | 'projects' | 'project' | 'other'; subject?: string; limit?: number; cursor?: string } }, { people: Array<{ id: string; name: string; state: 'here' | 'away' | 'gone'; pages: Array<Page> }>; agents: Array<{ name: string; heardAt: string }>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/presence');

/** Hold a rehearsal in a workspace of its own: scripted agents discuss, ask the squad, and ask for an approval. No model is called. One that is there already is removed first. */
export const rehearsal_begin: Op<{  }, { workspace: Workspace; discussionId: string; promptId: string; questionId: string }> = /*#__PURE__*/ op('POST', '/api/rehearsal');

/** Remove your rehearsal with everything in it. */
export const rehearsal_remove: Op<{  }, undefined> = /*#__PURE__*/ op('DELETE', '/api/rehearsal');

/** Show who did what to which row when, from where; newest first. */
export const audit_list: Op<{ query?: { actor?: string; operation?: string; subject?: string; after?: string; before?: string; limit?: number; cursor?: string } }, { entries: Array<{ seq: number; at: string; workspaceId: string; actorKind: string; actorId: string | null; actor: string; operation: string; subject: string | null; door: string | null; remote: string | null; requestId: string | null; about: About | null; detail: Record<string, unknown>; hash: string | null }>; nextCursor: string | null }> = /*#__PURE__*/ op('GET', '/api/audit');

/** Export the audit log, oldest first, one JSON object a line, with detail as the stored text that the hash covers. For the next page give the last line's seq as after_seq. A last line with an error says that it could not be read to its end. */
export const audit_export: Op<{ query?: { after_seq?: number; limit?: number } }, undefined> = /*#__PURE__*/ op('GET', '/api/audit/export');

/** Show how questions went over a range of time: how fast people answer, what times out, what is asked again and again, and how jobs end with and without questions. Above 1,000 questions it is read from prepared figures, not from every question. */
export const analytics_get: Op<{ query?: { since?: string; until?: string; projectId?: string; agent?: string } }, { since: string; until: string; projectId: string | null; agent: string | null; exact: boolean; truncated: boolean; questions: { asked: number; answered: number; byDefault: number; timedOut: number; cancelled: number; pending: number; timeoutRate: number | null; responseRate: number | null; timeToAnswer: TimeToAnswer }; byType: Array<ByType>; questionsPerJob: QuestionsPerJob; commonQuestions: Array<CommonQuestion>; timeoutQuestions: Array<CommonQuestion>; jobOutcomes: JobOutcome; agents: Array<string>; alerts: Array<Alert> }> = /*#__PURE__*/ op('GET', '/api/analytics');

/** Answer open questions, or approve; without a body, dismiss them. Answers go to the task's chat and into the agent's next prompt, and a task that waited for the last of them goes on. Answers to some settle the whole set, unless keepOpen is true. A dismissal is no go-ahead, nor is a no without an answer: where the project's orchestrator is on, a task that nobody has stays blocked until somebody opens it. Settling it a second time changes nothing; while it is kept open, another answer to an answered question is a conflict that shows what is stored. */
export const open_question_resolve_also: Op<{ path: { id: string; nid: string }; body?: { responses?: Array<{ questionId: string; answer: string }> | null; approved?: boolean | null; keepOpen?: boolean | null } }, { id: string; projectId: string; source: string; sourceId: string; kind: string; agent: string | null; questions: Array<{ id: string; text: string; createdAt: string }>; responses: Array<{ questionId: string; answer: string; by?: string; at?: string }>; status: 'open' | 'resolved'; approved: boolean | null; createdAt: string; resolvedAt: string | null; outcome: Outcome | null; task: { id: string; title: string; status: 'open' | 'in_progress' | 'blocked' | 'closed'; blockReason: string | null } | null }> = /*#__PURE__*/ op('PATCH', '/projects/{id}/notifications/{nid}');

/** Hear of everything that happens, as server-sent events. */
export const events: Op<{ query?: { projectId?: string; jobId?: string; discussionId?: string; types?: string; after?: number; ticket?: string } }, undefined> = /*#__PURE__*/ op('GET', '/api/events');

/** Hear of everything that happens in one job, as server-sent events. */
export const job_stream: Op<{ path: { id: string }; query?: { types?: string; after?: number; ticket?: string } }, undefined> = /*#__PURE__*/ op('GET', '/api/jobs/{id}/stream');

/** Hear of everything that happens in one discussion, with the text of turns as it is spoken (turn.delta), as server-sent events. It begins with the text so far of turns that are being spoken. */
export const discussion_stream: Op<{ path: { id: string }; query?: { types?: string; after?: number; ticket?: string } }, undefined> = /*#__PURE__*/ op('GET', '/api/discussions/{id}/stream');

/** Whether the program runs. */
export const health: Op<{  }, unknown> = /*#__PURE__*/ op('GET', '/healthz');

/** Whether it can serve: 503 while the store cannot be used. */
export const ready: Op<{  }, unknown> = /*#__PURE__*/ op('GET', '/readyz');
