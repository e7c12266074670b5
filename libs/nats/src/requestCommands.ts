import { inboxOf } from '@kiroku/nats-access'
import { ChurnMap, type Command, KirokuError, type Reply } from '@kiroku/protocol'
import { createInbox, headers, type Msg, type NatsConnection, type PublishOptions } from '@nats-io/nats-core'
import { decodeReply, encodeCommands } from './CommandCodec.ts'
import { commandSubject, linkHeader, ownerSubject } from './commandSubjects.ts'
import { toKirokuError } from './jetStreamErrors.ts'
import { onReconnect } from './onReconnect.ts'
import { assemble } from './parts.ts'

/** Sends commands to the owners of one log's partitions. */
export interface CommandRequester {
  /**
   * One request. Errors: `Unavailable` (the partition has no owner), `Timeout`, `NatsUnreachable`, `BodyTooLarge`,
   * and what the owner rejects with.
   */
  request(
    partition: number,
    commands: readonly Command[],
    options: { readonly timeoutMs: number },
  ): Promise<Reply>
  onOwnerChanged(listener: (partition: number, epoch: number) => void): () => void
  /** Reports that a connection which was lost is there again. */
  onReconnected(listener: () => void): () => void
  /** Replies that came after their request was given up. */
  onStray(listener: (partition: number, reply: Reply) => void): () => void
  /** Fails what is in flight with `NatsUnreachable` and detaches from the connection, which stays open. */
  close(): void
}

/** What is to be known of direct links to owners. */
export interface LinkNews {
  /** Whether a partition's owner is to be asked for its link. */
  wants(partition: number): boolean
  /** A partition's owner says where its link is; undefined: it has none. */
  told(partition: number, address: string | undefined): void
  /** News may have been missed: what was told before may be wrong. */
  missed(): void
}

/** How requests are made. */
export interface RequesterOptions {
  readonly log: string
  /** As in `NatsOptions`. */
  readonly as?: string | undefined
  readonly links?: LinkNews | undefined
}

/** How often requests are checked for their timeout, in ms. */
const sweepMs = 100

interface Pending {
  readonly partition: number
  readonly deadlineMs: number
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: unknown) => void
  readonly parts: Uint8Array[]
  readonly asksForLink: boolean
}

/** Makes the requesting side: one inbox for all replies, told apart by a number in the subject. */
export const requestCommands = (
  nc: NatsConnection,
  { log, as, links }: RequesterOptions,
): CommandRequester => {
  const prefix = `${createInbox(inboxOf(as))}.`
  const asking = headers()
  asking.set(linkHeader, 'wanted')
  const pending = new ChurnMap<number, Pending>()
  /** Partition of each of the last requests, so that deliveries in late replies can be released. */
  const recent = new Int32Array(recentMax)
  const strayParts = new Map<number, Uint8Array[]>()
  const ownerListeners = new Set<(partition: number, epoch: number) => void>()
  const strayListeners = new Set<(partition: number, reply: Reply) => void>()
  let ids = 0
  let down = false
  let sweep: NodeJS.Timeout | undefined

  const giveUp = (id: number, request: Pending, error: KirokuError): void => {
    pending.delete(id)
    if (request.parts.length > 0) strayParts.set(id, request.parts)
    request.reject(error)
  }

  const failAll = (text: string): void => {
    for (const [id, request] of [...pending]) giveUp(id, request, new KirokuError('NatsUnreachable', text))
  }

  const expire = (): void => {
    const now = performance.now()
    for (const [id, request] of pending)
      if (request.deadlineMs <= now)
        giveUp(
          id,
          request,
          new KirokuError('Timeout', `Partition ${request.partition} did not answer in time`),
        )
    for (const id of strayParts.keys()) if (id <= ids - recentMax) strayParts.delete(id)
    if (pending.size > 0) return
    clearInterval(sweep)
    sweep = undefined
  }

  const receive = (msg: Msg): void => {
    const id = Number.parseInt(msg.subject.slice(prefix.length), 36)
    const request = pending.get(id)
    if (request === undefined) return stray(id, msg)
    if (msg.headers?.code === 503) {
      pending.delete(id)
      const text = `No engine serves partition ${request.partition} of the log "${log}"`
      return request.reject(new KirokuError('Unavailable', text))
    }
    const bytes = assemble(request.parts, msg)
    if (bytes === undefined) return
    pending.delete(id)
    try {
      const reply = decodeReply(bytes)
      if (request.asksForLink) links?.told(request.partition, linkIn(msg))
      request.resolve(reply)
    } catch (error) {
      request.reject(error)
    }
  }

  // After a timeout, or the second answer when two owners answer around a take-over.
  const stray = (id: number, msg: Msg): void => {
    if (!(id > ids - recentMax && id <= ids) || msg.headers?.code === 503) return
    const parts = strayParts.get(id) ?? []
    const bytes = assemble(parts, msg)
    if (bytes === undefined) return void strayParts.set(id, parts)
    strayParts.delete(id)
    try {
      const reply = decodeReply(bytes)
      for (const listener of strayListeners) listener(recent[id % recentMax]!, reply)
    } catch {
      // An error for a request that was given up.
    }
  }

  const replies = nc.subscribe(`${prefix}*`, {
    callback: (error, msg) => {
      if (error === null) receive(msg)
    },
  })
  const owners = nc.subscribe(ownerSubject(log, '*'), {
    callback: (error, msg) => {
      if (error !== null) return
      const partition = Number(msg.subject.slice(msg.subject.lastIndexOf('.') + 1))
      const epoch = Number(msg.string())
      if (!Number.isInteger(partition) || !Number.isInteger(epoch)) return
      links?.told(partition, linkIn(msg))
      for (const listener of ownerListeners) listener(partition, epoch)
    },
  })

  void (async () => {
    for await (const status of nc.status()) {
      if (status.type === 'disconnect') {
        down = true
        failAll('The connection to NATS is lost')
      }
    }
  })()
  // Before all who are told through this, and may ask at once.
  const stopWatching = onReconnect(nc, () => {
    down = false
    links?.missed()
  })
  void nc.closed().then(() => {
    down = true
    failAll('The connection to NATS is closed')
  })

  const request: CommandRequester['request'] = (partition, commands, { timeoutMs }) =>
    new Promise<Reply>((resolve, reject) => {
      if (down) throw new KirokuError('NatsUnreachable', 'There is no connection to NATS')
      const bytes = encodeCommands(commands)
      const bytesMax = nc.info?.max_payload ?? Infinity
      if (bytes.length > bytesMax)
        throw new KirokuError(
          'BodyTooLarge',
          `The request has ${bytes.length} bytes; this NATS takes ${bytesMax}`,
        )
      const id = ++ids
      const deadlineMs = performance.now() + timeoutMs
      const asksForLink = links?.wants(partition) === true
      pending.set(id, { partition, deadlineMs, resolve, reject, parts: [], asksForLink })
      recent[id % recentMax] = partition
      sweep ??= setInterval(expire, sweepMs).unref()
      const reply = prefix + id.toString(36)
      publish(partition, bytes, asksForLink ? { reply, headers: asking } : { reply })
    })

  const publish = (partition: number, bytes: Uint8Array, options: PublishOptions): void => {
    try {
      nc.publish(commandSubject(log, partition, as), bytes, options)
    } catch (cause) {
      throw toKirokuError(cause, `Cannot send to partition ${partition}`)
    }
  }

  return {
    request,
    onOwnerChanged: (listener) => {
      ownerListeners.add(listener)
      return () => void ownerListeners.delete(listener)
    },
    onReconnected: (listener) => onReconnect(nc, listener),
    onStray: (listener) => {
      strayListeners.add(listener)
      return () => void strayListeners.delete(listener)
    },
    close: () => {
      down = true
      failAll('The client is closed')
      clearInterval(sweep)
      stopWatching()
      if (nc.isClosed()) return
      replies.unsubscribe()
      owners.unsubscribe()
    },
  }
}

const linkIn = ({ headers: of }: Msg): string | undefined => of?.get(linkHeader) || undefined

/** Requests remembered after their end. */
const recentMax = 16_384
