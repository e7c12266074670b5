import {
  type Command,
  type Delivery,
  errorFromWire,
  isKirokuError,
  KirokuError,
  type Reply,
  type SettleItem,
  type WireError,
} from '@kiroku/protocol'
import { createInbox, headers, type Msg, type NatsConnection } from '@nats-io/nats-core'
import { decodeCommands, encodeError, encodeReply } from './CommandCodec.ts'
import { commandSubject, ownerSubject, partHeader, payloadMarginBytes } from './commandSubjects.ts'
import { onReconnect } from './onReconnect.ts'

/** The handler of one partition's commands. */
export interface CommandService {
  readonly log: string
  readonly partition: number
  /** The signal aborts when the service stops. Rejections with a `KirokuError` go to the client. */
  readonly handle: (commands: readonly Command[], signal: AbortSignal) => Promise<Reply>
  /** Called with deliveries that reached no one, because the client was gone when its reply came. */
  readonly undelivered: (items: readonly SettleItem[]) => void
  /** Called with a failure that is not a `KirokuError`; the client gets `Internal`. */
  readonly onDefect?: (error: unknown) => void
}

/** A partition that is being served. */
export interface CommandServing {
  /** Answers commands of this process like those that come over NATS. Rejects with a `KirokuError`. */
  request(commands: readonly Command[]): Promise<Reply>
  /**
   * Announces that the epoch's owner now answers, so that clients repeat what they asked of the one before; and again
   * whenever NATS was away, since then they found nobody here.
   */
  announce(epoch: number): void
  /**
   * Takes no more commands and resolves when those in flight are answered, or after `timeoutMs` (default
   * 1,000).
   */
  stop(timeoutMs?: number): Promise<void>
}

/** How long a delivery is remembered while its reply may still turn out to have no reader, in ms. */
const undeliveredMs = 5_000

/** Takes commands for one partition from NATS. */
export const serveCommands = (nc: NatsConnection, service: CommandService): CommandServing => {
  const { log, partition } = service
  const stopping = new AbortController()
  const underWay = new Set<Promise<void>>()
  const receipts = new DeliveryReceipts(nc, service.undelivered)

  const handled = async (commands: readonly Command[]): Promise<Reply> => {
    const reply = await service.handle(commands, stopping.signal)
    // A repeated delivery: an earlier answer without a reader no longer means that it reached no one.
    for (const each of deliveriesOf(reply)) if (each.isRepeat === true) receipts.forget(each)
    return reply
  }

  const answer = async (msg: Msg): Promise<void> => {
    let reply: Reply
    try {
      reply = await handled(decodeCommands(msg.data))
    } catch (thrown) {
      respond(nc, msg, encodeError(wireError(thrown, service.onDefect)))
      return
    }
    const items = deliveriesOf(reply).map(({ queue, sub, delivery, numbers }) => ({
      queue,
      sub,
      delivery,
      numbers,
    }))
    respond(nc, msg, encodeReply(reply), items.length === 0 ? undefined : receipts.expect(items))
  }

  /** Lets `stop` wait for an answer. */
  const track = (answering: Promise<unknown>): void => {
    const tracked: Promise<void> = answering.then(
      () => void underWay.delete(tracked),
      () => void underWay.delete(tracked),
    )
    underWay.add(tracked)
  }

  const subscription = nc.subscribe(commandSubject(log, partition), {
    callback: (error, msg) => {
      if (error !== null || msg.reply === undefined || msg.reply === '') return
      track(answer(msg).catch((defect: unknown) => service.onDefect?.(defect)))
    },
  })

  let announced = 0
  const tell = (): void => {
    if (announced > 0 && !nc.isClosed()) nc.publish(ownerSubject(log, partition), String(announced))
  }
  const stopTelling = onReconnect(nc, tell)

  return {
    request: (commands) => {
      const reply = handled(commands).catch((thrown: unknown) => {
        throw errorFromWire(wireError(thrown, service.onDefect))
      })
      track(reply)
      return reply
    },
    announce: (epoch) => {
      announced = epoch
      tell()
    },
    stop: async (timeoutMs = 1_000) => {
      stopTelling()
      if (!nc.isClosed()) subscription.unsubscribe()
      stopping.abort(new KirokuError('NotOwner', `Partition ${partition} is handed over`))
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, timeoutMs)))
      await Promise.race([Promise.all(underWay).then(() => flush(nc)), late])
      clearTimeout(timer)
      receipts.close()
    },
  }
}

const flush = (nc: NatsConnection): Promise<void> => nc.flush().catch(() => undefined)

const wireError = (thrown: unknown, onDefect: ((error: unknown) => void) | undefined): WireError => {
  if (isKirokuError(thrown)) return thrown as WireError
  onDefect?.(thrown)
  return { id: 'Internal', message: 'The engine failed on this request' }
}

/**
 * Publishes a reply, in several messages where it is too large; the last one asks whether it has a reader.
 */
const respond = (nc: NatsConnection, msg: Msg, bytes: Uint8Array, receiptSubject?: string): void => {
  if (nc.isClosed()) return
  const to = msg.reply!
  const asked = receiptSubject === undefined ? {} : { reply: receiptSubject }
  const partBytes = (nc.info?.max_payload ?? 1024 * 1024) - payloadMarginBytes
  if (bytes.length <= partBytes) return nc.publish(to, bytes, asked)
  const parts = Math.ceil(bytes.length / partBytes)
  for (let i = 0; i < parts; i++) {
    const header = headers()
    header.set(partHeader, `${i + 1}/${parts}`)
    const part = bytes.subarray(i * partBytes, (i + 1) * partBytes)
    nc.publish(to, part, { headers: header, ...(i === parts - 1 ? asked : {}) })
  }
}

const deliveriesOf = (reply: Reply): Delivery[] => {
  const deliveries: Delivery[] = []
  for (const { ok } of reply.answers)
    if (ok !== undefined && 'delivery' in ok && typeof ok.delivery === 'object') deliveries.push(ok.delivery)
  return deliveries
}

/**
 * Notices deliveries that the server could not hand to anyone: it then answers the publish with status 503.
 */
class DeliveryReceipts {
  readonly #prefix = `${createInbox()}.`
  readonly #undelivered: CommandService['undelivered']
  readonly #close: () => void
  /** Two generations: the older one is forgotten next. */
  #young = new Map<string, SettleItem[]>()
  #old = new Map<string, SettleItem[]>()
  #ids = 0
  #timer: NodeJS.Timeout | undefined

  constructor(nc: NatsConnection, undelivered: CommandService['undelivered']) {
    this.#undelivered = undelivered
    const subscription = nc.subscribe(`${this.#prefix}*`, {
      callback: (error, msg) => {
        if (error === null && msg.headers?.code === 503) this.#notice(msg.subject)
      },
    })
    this.#close = () => {
      if (!nc.isClosed()) subscription.unsubscribe()
    }
  }

  /** The reply subject for a message that carries these deliveries. */
  expect(items: SettleItem[]): string {
    const subject = this.#prefix + (++this.#ids).toString(36)
    this.#young.set(subject, items)
    this.#timer ??= setInterval(() => this.#age(), undeliveredMs).unref()
    return subject
  }

  /** Forgets earlier answers with this delivery. */
  forget({ queue, sub, delivery }: SettleItem): void {
    for (const expected of [this.#young, this.#old])
      for (const [subject, items] of expected) {
        const left = items.filter((i) => i.delivery !== delivery || i.sub !== sub || i.queue !== queue)
        if (left.length === 0) expected.delete(subject)
        else if (left.length < items.length) expected.set(subject, left)
      }
  }

  close(): void {
    clearInterval(this.#timer)
    this.#close()
  }

  #notice(subject: string): void {
    const items = this.#young.get(subject) ?? this.#old.get(subject)
    if (items === undefined) return
    this.#young.delete(subject)
    this.#old.delete(subject)
    this.#undelivered(items)
  }

  #age(): void {
    this.#old = this.#young
    this.#young = new Map()
    if (this.#old.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}
