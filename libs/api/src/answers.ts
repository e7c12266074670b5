/** Types of the HTTP API's answers, for programs that otherwise import nothing of this door. */
import type {
  ActsAnswer,
  DiffAnswer,
  LogMomentAnswer,
  QueueMomentAnswer,
  SearchAnswer,
  SpanAnswer,
  TraceAnswer,
} from './definition/answers.ts'
import type { ClusterAnswer } from './definition/clusterAnswer.ts'
import type { MessageBody as MessageBodySchema } from './definition/bodySchemas.ts'
import type { DeadLetterGroups as DeadLetterGroupsSchema } from './definition/deadLetterSchemas.ts'
import type { RedriveRequest as RedriveRequestSchema } from './definition/redriveSchemas.ts'
import type { Groups as GroupsSchema } from './definition/groupSchema.ts'
import type { Queue as QueueSchema } from './definition/schemas.ts'
import type { Session as SessionSchema } from './definition/session.ts'

/** Everything on record about one message. */
export type Trace = typeof TraceAnswer.Type
/** A queue at a moment. */
export type QueueMoment = typeof QueueMomentAnswer.Type
/** All queues at a moment. */
export type LogMoment = typeof LogMomentAnswer.Type
/** The span of the record. */
export type Span = typeof SpanAnswer.Type
/** What changed in a queue between two moments. */
export type QueueDiff = typeof DiffAnswer.Type
/** Messages that match a filter. */
export type SearchResult = typeof SearchAnswer.Type
/** Administrative acts. */
export type Acts = typeof ActsAnswer.Type
/** Nodes and partitions. */
export type Cluster = typeof ClusterAnswer.Type
/** What is redriven, where to, and how fast. */
export type RedriveRequest = typeof RedriveRequestSchema.Type
/** The caller, and the server it talks to. */
export type Session = typeof SessionSchema.Type
/** What a message carries. */
export type MessageBody = typeof MessageBodySchema.Type
/** Dead letters of a queue by cause and kind of error. */
export type DeadLetterGroups = typeof DeadLetterGroupsSchema.Type
/** Message groups of a subscription. */
export type Groups = typeof GroupsSchema.Type
/** A queue. */
export type Queue = typeof QueueSchema.Type
