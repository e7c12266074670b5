import type { IncomingMessage } from 'node:http'
import type { AbortSignalLike, Client } from '@kiroku/client'
import { actorOf, isLoopback, type Need } from '@kiroku/doors'
import { roleOn, type Actor, type QueueDescription } from '@kiroku/protocol'
import { admit } from '../access/admit.ts'
import type { Caller } from '../access/Caller.ts'
import type { Ending } from '../Ending.ts'
import { extensionsHeader, noExtensions, readExtensions, type Extensions } from '../extensions.ts'
import type { Queues } from '../queue/Queues.ts'
import { extensionsOf } from '../queue/tags.ts'

/** What the calls of a door have in common. */
export interface CallContext {
  readonly client: Client
  readonly queues: Queues
  readonly account: string
  /** The account that the URLs of queues must name; undefined: any. */
  readonly owner: string | undefined
  /** What the URLs of queues begin with; undefined: the address that the caller asked. */
  readonly url: string | undefined
  /** How long after a purge and a deletion the next is refused, in ms; undefined: not at all. */
  readonly pauseMs: number | undefined
}

/** One request of a caller: what an action works with. What few actions ask for is made only when they do. */
export class Call {
  /** When the request was begun, by `performance.now()`. */
  readonly atMs = performance.now()
  /** The path of the request, where it names a queue. */
  readonly queuePath: string | undefined
  readonly #context: CallContext
  readonly #request: IncomingMessage
  readonly #caller: Caller
  readonly #ending: Ending
  readonly #extensions: Extensions
  #region: string | undefined

  /** Errors: `InvalidParameterValue` where it asks for an extension that there is none. */
  constructor(
    context: CallContext,
    request: IncomingMessage,
    queuePath: string | undefined,
    caller: Caller,
    ending: Ending,
  ) {
    this.#context = context
    this.#request = request
    this.queuePath = queuePath
    this.#caller = caller
    this.#ending = ending
    const asked = request.headers[extensionsHeader]
    this.#extensions = asked === undefined ? noExtensions : readExtensions(extensionsHeader, String(asked))
  }

  get client(): Client {
    return this.#context.client
  }

  get queues(): Queues {
    return this.#context.queues
  }

  /** The account that the URLs of queues must name, where callers sign; undefined: any. */
  get owner(): string | undefined {
    return this.#context.owner
  }

  get pauseMs(): number | undefined {
    return this.#context.pauseMs
  }

  /** Who asks, as the record names them. */
  get by(): Actor {
    return actorOf(this.#caller, `sqs ${this.#peer}`, undefined)
  }

  /** Who asks, where callers sign. */
  get sender(): string | undefined {
    return this.#caller.keyId === undefined ? undefined : this.#caller.name
  }

  /** Aborted when the caller is gone, or the door closes. */
  get signal(): AbortSignalLike {
    return this.#ending
  }

  /** What the request, or the queue, asks for beyond Amazon SQS. */
  extensionsOn(queue: QueueDescription): Extensions {
    return this.extensionsWith(extensionsOf(queue))
  }

  /** The same of a queue that asks for `own`. */
  extensionsWith(own: Extensions): Extensions {
    return own.size === 0 ? this.#extensions : new Set([...own, ...this.#extensions])
  }

  get #peer(): string {
    return this.#request.socket.remoteAddress ?? 'unknown'
  }

  /** The URL of a queue, as this caller reaches it. */
  urlOf(queue: string): string {
    const { url, account } = this.#context
    return `${url ?? urlAsked(this.#request)}/${account}/${queue}`
  }

  arnOf(queue: string): string {
    return `arn:aws:sqs:${this.#region ?? regionOf(this.#request)}:${this.#context.account}:${queue}`
  }

  /** Refuses an action that the caller's role, or the policy of the queue, does not include. Errors: `Forbidden`, `AccessDenied` */
  may(action: string, need: Need): Promise<void> {
    const { account, queues } = this.#context
    const { headers } = this.#request
    return admit({ action, need, caller: this.#caller, account, peer: this.#peer, headers }, queues)
  }

  /** The request may wait for long: lets go of its headers, of which only the region is still needed. */
  waits(): void {
    this.#region = regionOf(this.#request)
    this.#request.headers = {}
    this.#request.rawHeaders = []
  }

  /** Whether the caller may know of a queue. */
  sees(queue: string): boolean {
    return roleOn(this.#caller.grants, queue) !== undefined
  }
}

const defaultRegion = 'us-east-1'

/** The region that a caller signs for. */
const regionOf = ({ headers }: IncomingMessage): string =>
  /Credential=[^/]+\/\d{8}\/([a-z0-9-]+)\/sqs\//.exec(headers.authorization ?? '')?.[1] ?? defaultRegion

/** The address that a caller asked: that of a proxy on this machine, where it says so. */
const urlAsked = ({ headers, socket }: IncomingMessage): string => {
  const { host = 'localhost' } = headers
  const isProxied = isLoopback((socket.remoteAddress ?? '').replace(/^::ffff:/, ''))
  const said = (name: string): string | undefined => {
    const value = headers[name]
    return isProxied && typeof value === 'string' ? value.split(',')[0]!.trim() : undefined
  }
  const isTls = said('x-forwarded-proto')?.toLowerCase() === 'https'
  return `${isTls ? 'https' : 'http'}://${said('x-forwarded-host') ?? host}`
}
