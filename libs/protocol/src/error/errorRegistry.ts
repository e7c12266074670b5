import type { ErrorId } from './ErrorId.ts'

const entry = (retryable: boolean, http: number, exit: number, help: string): ErrorEntry => ({
  retryable,
  http,
  exit,
  help,
})

/**
 * Every error that Kiroku can show, by its stable id. Ids are never reused or renamed.
 * Exit codes: 2 bad input, 3 not found, 4 conflict, 5 unavailable, 6 storage, 7 damage, 8 permission.
 */
export const errorRegistry: Readonly<Record<ErrorId, ErrorEntry>> = {
  InvalidArgument: entry(false, 400, 2, 'Correct the named argument and try again.'),
  InvalidConfig: entry(
    false,
    400,
    2,
    'Correct the named setting; `--help` of the command lists settings, ranges and units.',
  ),
  InvalidQueueName: entry(false, 400, 2, 'Use 1 to 80 letters, digits, hyphens and underscores.'),
  InvalidFilter: entry(
    false,
    400,
    2,
    'Correct the filter at that character; `kiroku search --help` lists the fields.',
  ),
  MalformedJson: entry(false, 400, 2, 'Correct the JSON at the named place.'),
  MalformedRequest: entry(
    false,
    400,
    2,
    'Correct what is named. If your program does not say it, client and engine speak different versions; update the older one.',
  ),
  BodyTooLarge: entry(
    false,
    413,
    2,
    'Send a smaller body or fewer messages at once, or store it elsewhere and send a reference.',
  ),
  UnknownQueue: entry(
    false,
    404,
    3,
    'Create it with `kiroku queue create NAME`, or check the name with `kiroku queue list`.',
  ),
  QueueExists: entry(
    false,
    409,
    4,
    'Choose another name, or change the existing queue with `kiroku queue update`.',
  ),
  QueueDeletedRecently: entry(
    false,
    409,
    4,
    'Wait as long as it says, or create a queue of another name: who asked wants a pause between both.',
  ),
  QueuePurgedRecently: entry(
    false,
    409,
    4,
    'Wait as long as it says before the next purge: who asked wants a pause between two.',
  ),
  LimitReached: entry(false, 409, 4, 'Delete what is no longer needed, or do as the message says.'),
  QueueInUse: entry(
    false,
    409,
    4,
    'Give those queues another dead-letter queue first, or delete with `--force`: their dead letters then wait until a queue of this name exists again.',
  ),
  QueueMoved: entry(
    true,
    503,
    5,
    'The queue was spread over other partitions; clients refresh and retry by themselves.',
  ),
  UnknownSubscription: entry(
    false,
    404,
    3,
    'Create it with `kiroku subscription create QUEUE NAME`, or list those of the queue with `kiroku queue show QUEUE`.',
  ),
  SubscriptionExists: entry(
    false,
    409,
    4,
    'Choose another name, or change the existing one with `kiroku subscription update`.',
  ),
  BeyondRecord: entry(
    false,
    404,
    3,
    'Start at `earliest`: older events were trimmed. `--record` and `--record-bytes` set how much a log keeps.',
  ),
  FutureMoment: entry(false, 400, 2, 'Only the past is on record; leave the moment out to see the present.'),
  NoAuditor: entry(
    true,
    503,
    5,
    'Try again soon, or start the engine with `--audit on`; `kiroku search` reads the record without an auditor.',
  ),
  UnknownMessage: entry(false, 404, 3, 'Check the id; messages older than the record are no longer there.'),
  NotDelayed: entry(
    false,
    409,
    4,
    'Only a delayed message can be recalled or rescheduled; `kiroku trace ID` shows what happened to it.',
  ),
  NotEditable: entry(
    false,
    409,
    4,
    'Only a message that is in a queue and not in flight can be edited; `kiroku dlq explain ID` says where it is.',
  ),
  BodyMismatch: entry(
    false,
    422,
    2,
    'Correct the body at the named place, or change the schema with `kiroku queue update QUEUE --body-schema`.',
  ),
  InvalidReceipt: entry(false, 400, 2, 'Pass the receipt exactly as it was delivered.'),
  UnknownReceipt: entry(
    false,
    404,
    3,
    'The message was settled already, or the queue was deleted and created again; receive again.',
  ),
  ReceiptExpired: entry(
    false,
    409,
    4,
    'The lease expired and this queue does not accept late acks; receive again.',
  ),
  LeaseCapReached: entry(
    false,
    409,
    4,
    'The lease cannot be extended beyond its cap; settle the message or let it return.',
  ),
  LeaseTooShort: entry(
    false,
    400,
    2,
    'Ask for a lease of at least the `leaseMinMs` of the queue, or lower it with `kiroku queue update`.',
  ),
  LeaseExpired: entry(
    false,
    409,
    4,
    'Another consumer may have received the message; use a longer lease, or let the client renew it.',
  ),
  HandlerStuck: entry(
    false,
    504,
    5,
    'Find out what the handler waits for, or raise messageTimeoutMs; its messages go to other consumers.',
  ),
  RedriveRunning: entry(
    false,
    409,
    4,
    'Wait for it (`kiroku redrive status QUEUE`), or end it with `kiroku redrive cancel QUEUE`.',
  ),
  UnknownRedrive: entry(false, 404, 3, 'List redrives with `kiroku redrive status QUEUE`.'),
  Unauthorized: entry(
    false,
    401,
    8,
    'Pass a valid token with --token, KIROKU_TOKEN or the Authorization header.',
  ),
  TokenExpired: entry(
    false,
    401,
    8,
    'Get a new one from its issuer, or ask the administrator for one (`kiroku token new`).',
  ),
  IssuerUnavailable: entry(
    true,
    503,
    5,
    'Check that the engine reaches the issuer that --oidc-issuer names. Tokens of the file are accepted meanwhile.',
  ),
  Forbidden: entry(
    false,
    403,
    8,
    'Use a token whose role, on this queue, allows this: viewer reads, operator handles messages, admin changes queues; in a browser the setting `console: on` is needed too.',
  ),
  TokenRequired: entry(
    false,
    400,
    8,
    'Set a token (KIROKU_TOKENS or --tokens) before binding beyond loopback, or bind 127.0.0.1.',
  ),
  Busy: entry(true, 503, 5, 'The engine is at a limit; try again after the given pause.'),
  OutOfOrder: entry(
    true,
    503,
    5,
    'An earlier send of this producer is not stored yet; clients repeat both in their order.',
  ),
  Unavailable: entry(
    true,
    503,
    5,
    'Start a node if none runs; `kiroku cluster status` and `kiroku doctor` say why nothing answers. A send can wait longer: `sendTimeoutMs`, `--wait`.',
  ),
  NotOwner: entry(true, 503, 5, 'The partition moved to another node; clients retry by themselves.'),
  Timeout: entry(true, 504, 5, 'No answer in time; check that the engine runs, or raise the timeout.'),
  ReplyTimeout: entry(
    true,
    504,
    5,
    'The request may still be handled; check that a worker replies, or allow more time.',
  ),
  SendUnknown: entry(
    true,
    504,
    5,
    'Whether the message was stored is unknown; sent again with the same `dedupId`, a queue with `--dedup` stores it once.',
  ),
  Stopped: entry(false, 409, 5, 'This client or consumer was stopped; create a new one.'),
  NatsUnreachable: entry(true, 503, 5, 'Start NATS or correct --nats; `kiroku up` runs its own.'),
  NatsUnauthorized: entry(
    false,
    500,
    8,
    'Correct the user and password, token, credentials or NKey for NATS: --nats-user, KIROKU_NATS_PASSWORD, KIROKU_NATS_TOKEN, --nats-creds, --nats-nkey. If another user started the engine, ask for a key: `kiroku client add`.',
  ),
  NatsForbidden: entry(false, 500, 8, 'Allow this NATS user the named subject, or use another user.'),
  NatsTlsFailed: entry(
    false,
    500,
    8,
    'Correct the certificates: --nats-tls-ca must have signed that of NATS, and NATS that of --nats-tls-cert; the host name must match.',
  ),
  NoQuorum: entry(
    true,
    503,
    5,
    'NATS answers, but JetStream has no quorum: start the missing nats-servers; everything continues by itself.',
  ),
  NatsTooOld: entry(false, 500, 5, 'Install nats-server 2.12 or newer.'),
  NatsServerMissing: entry(
    false,
    500,
    5,
    'Install nats-server 2.12 or newer, or set NATS_SERVER to its path.',
  ),
  JetStreamDisabled: entry(
    false,
    500,
    5,
    'Enable JetStream for this account, or use an account that has it; a nats-server of your own needs `-js -sd FOLDER`.',
  ),
  PortInUse: entry(false, 500, 4, 'Choose another port, or stop the program that uses it.'),
  StorageFull: entry(
    true,
    507,
    6,
    "Free disk space or raise the log's limit; settling continues, sends wait.",
  ),
  MemoryFull: entry(
    true,
    507,
    6,
    'Have messages consumed, or give the engine more memory; settling continues, sends wait.',
  ),
  RecordTooLarge: entry(
    false,
    500,
    6,
    "Set NATS's `max_payload` back if it was lowered; otherwise this is a defect in Kiroku: report it with the log around it.",
  ),
  ForeignStream: entry(
    false,
    500,
    4,
    'The stream is left as it is: choose another --log name, or see docs/damage.md if it holds your log.',
  ),
  Fenced: entry(true, 503, 5, 'Another node owns this partition now; clients retry by themselves.'),
  LogAmbiguous: entry(
    true,
    503,
    5,
    'An append got no answer; the owner fences, reads the log and continues.',
  ),
  LogDamaged: entry(
    false,
    500,
    7,
    'Run `kiroku verify` to see what is damaged and `kiroku repair` to reopen the partition.',
  ),
  LogShortened: entry(
    false,
    500,
    7,
    'The log lost its end; run `kiroku repair` to see what is lost and reopen it.',
  ),
  FutureVersion: entry(false, 500, 7, 'A newer Kiroku wrote this log; update this node.'),
  NotFinalized: entry(false, 409, 4, 'Upgrade every node, then run `kiroku cluster finalize`.'),
  Quarantined: entry(
    false,
    503,
    7,
    'The partition is closed: run `kiroku repair` if its log is damaged; update this node if a newer Kiroku wrote to it.',
  ),
  KeysUnavailable: entry(
    true,
    503,
    5,
    'The keys of erasable queues cannot be reached; check NATS KV. Clients retry by themselves.',
  ),
  KeysLost: entry(
    false,
    500,
    7,
    'A key is missing with no erasure on record: restore the key bucket from backup, or erase the message; `kiroku verify` lists the messages.',
  ),
  NotErasable: entry(
    false,
    409,
    4,
    'Encryption is chosen when a queue is created: create one with `--erasable message` or `--erasable group`.',
  ),
  WorkerInvalid: entry(
    false,
    400,
    2,
    'Export `default { async queue(batch, env, ctx) {} }` from the module.',
  ),
  WorkerBroken: entry(
    false,
    500,
    1,
    'Await every promise of the handler or pass it to ctx.waitUntil, throw errors that can be printed, and leave ending the process to its supervisor.',
  ),
  Internal: entry(false, 500, 1, 'This is a defect in Kiroku; please report it with the log around it.'),
}

/** One entry of the error registry. */
export interface ErrorEntry {
  /** Whether repeating the same request later can succeed without a change by the caller. */
  readonly retryable: boolean
  /** The status the HTTP door answers with. */
  readonly http: number
  /** The exit code of the CLI. */
  readonly exit: number
  /** What the reader should do now. */
  readonly help: string
}
