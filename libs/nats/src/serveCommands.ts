import { type Command, errorFromWire, KirokuError, type Reply, type UndeliveredItem } from '@kiroku/protocol'
import { headers, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/nats-core'
import { decodeCommands, encodeError, encodeReply } from './CommandCodec.ts'
import { DeliveryReceipts } from './DeliveryReceipts.ts'
import { commandSubject, linkHeader, ownerSubject } from './commandSubjects.ts'
import { fromClient } from './fromClient.ts'
import { isAnswerable, nameIn } from './isAnswerable.ts'
import { onReconnect } from './onReconnect.ts'
import { publishInParts } from './parts.ts'
import { wireError } from './wireError.ts'

/** The handler of one partition's commands. */
export interface CommandService {
  readonly log: string
  readonly partition: number
  /** The signal aborts when the service stops. Rejections with a `KirokuError` go to the client. */
  readonly handle: (commands: readonly Command[], signal: AbortSignal) => Promise<Reply>
  /** Called with deliveries that reached no one, because the client was gone when its reply came. */
  readonly undelivered: (items: readonly UndeliveredItem[]) => void
  /** Where clients on this machine reach the owner without NATS; they are told with answers and announcements. */
  readonly link?: string | undefined
  /** Called with a failure that is not a `KirokuError`; the client gets `Internal`. */
  readonly onDefect?: (error: unknown) => void
}

/** A partition that is being served. */
export interface CommandServing {
  /** Answers commands of this process like those that come over NATS. Rejects with a `KirokuError`. */
  request(commands: readonly Command[]): Promise<Reply>
  /**
   * Remembers what a reply to `request` delivers while it is on its way out of this process.
   * @returns what to call when it reached no one; undefined: it delivers nothing
   */
  expect(reply: Reply): (() => void) | undefined
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

/** Takes commands for one partition from NATS. */
export const serveCommands = (nc: NatsConnection, service: CommandService): CommandServing => {
  const { log, partition } = service
  const stopping = new AbortController()
  /** Commands that are not answered yet; `stop` waits for them. */
  let underWay = 0
  let allAnswered = (): void => {}
  const over = (): void => {
    if (--underWay === 0) allAnswered()
  }
  const receipts = new DeliveryReceipts(nc, service.undelivered)

  const handle = (commands: readonly Command[]): Promise<Reply> => {
    try {
      return service.handle(commands, stopping.signal)
    } catch (thrown) {
      return Promise.reject(thrown as Error)
    }
  }

  const answered = (reply: Reply): Reply => {
    over()
    receipts.forgetRepeated(reply)
    return reply
  }
  const refused = (thrown: unknown): never => {
    over()
    throw errorFromWire(wireError(thrown, service.onDefect))
  }

  const answer = async (msg: Msg, as: string | undefined): Promise<void> => {
    let reply: Reply
    try {
      const commands = decodeCommands(msg.data)
      reply = await handle(as === undefined ? commands : fromClient(as, commands))
      receipts.forgetRepeated(reply)
    } catch (thrown) {
      publishInParts(nc, msg.reply!, encodeError(wireError(thrown, service.onDefect)))
      return
    }
    const asksForLink = msg.headers?.has(linkHeader) === true
    // Asks whether the reply has a reader.
    const receipt = receipts.expect(reply)
    publishInParts(nc, msg.reply!, encodeReply(reply), {
      ...withHeader(linkHeader, asksForLink ? service.link : undefined),
      ...(receipt === undefined ? {} : { reply: receipt }),
    })
  }

  const take = (msg: Msg, as: string | undefined): void => {
    if (!isAnswerable(msg, as)) return
    underWay++
    void answer(msg, as)
      .catch((defect: unknown) => service.onDefect?.(defect))
      .finally(over)
  }
  const listen = (subject: string, nameOf: (msg: Msg) => string | undefined) =>
    nc.subscribe(subject, {
      callback: (error, msg) => {
        if (error === null) take(msg, nameOf(msg))
      },
    })
  const subscriptions = [
    listen(commandSubject(log, partition), () => undefined),
    listen(commandSubject(log, partition, '*'), nameIn),
  ]

  let announced = 0
  const tell = (): void => {
    if (announced === 0 || nc.isClosed()) return
    nc.publish(ownerSubject(log, partition), String(announced), withHeader(linkHeader, service.link))
  }
  const stopTelling = onReconnect(nc, tell)

  return {
    // No async function, and one promise: thousands of receives may wait here, and each keeps what it has.
    request: (commands) => {
      underWay++
      return handle(commands).then(answered, refused)
    },
    expect: (reply) => {
      const subject = receipts.expect(reply)
      return subject === undefined ? undefined : () => receipts.lost(subject)
    },
    announce: (epoch) => {
      announced = epoch
      tell()
    },
    stop: async (timeoutMs = 1_000) => {
      stopTelling()
      if (!nc.isClosed()) for (const each of subscriptions) each.unsubscribe()
      stopping.abort(new KirokuError('NotOwner', `Partition ${partition} is handed over`))
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, timeoutMs)))
      const all = new Promise<void>((resolve) => (underWay === 0 ? resolve() : (allAnswered = resolve)))
      await Promise.race([all.then(() => flush(nc)), late])
      clearTimeout(timer)
      receipts.close()
    },
  }
}

const flush = (nc: NatsConnection): Promise<void> => nc.flush().catch(() => undefined)

const withHeader = (name: string, value: string | undefined): { headers?: MsgHdrs } => {
  if (value === undefined) return {}
  const made = headers()
  made.set(name, value)
  return { headers: made }
}
