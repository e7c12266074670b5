import { PacedMessages } from '../first/PacedMessages.ts'
import { inParallel } from '../inParallel.ts'
import { serveTasks } from '../LoadProcess.ts'
import { RawHttp, requestBytes } from '../RawHttp.ts'
import type { RawRequest } from '../sqs/RawRequest.ts'

/** What a receive is answered. */
interface Received {
  readonly Messages?: readonly { readonly ReceiptHandle: string; readonly Body: string }[]
}

const open = new Map<string, RawHttp[]>()

/** Connections to a server, which stay open. */
const connectionsTo = async (url: string, count: number): Promise<readonly RawHttp[]> => {
  // Those that rested for too long were closed.
  const known = (open.get(url) ?? []).filter(({ isOpen }) => isOpen)
  open.set(url, known)
  while (known.length < count) known.push(await RawHttp.open(url))
  return known.slice(0, count)
}

const bytesOf = ({ head, body }: RawRequest): Buffer => requestBytes(head, body)
const receivedOf = (answer: Buffer): Received => JSON.parse(answer.toString()) as Received

/** Does `each` on every connection, one after the other on each, until it was done `count` times. */
const onEach = async (
  count: number,
  lanes: readonly RawHttp[],
  each: (lane: RawHttp) => Promise<unknown>,
): Promise<void> => {
  let left = count
  await Promise.all(
    lanes.map(async (lane) => {
      while (left-- > 0) await each(lane)
    }),
  )
}

/**
 * Asks on the connection that has been free for longest, since one that rests for a minute is closed; where none is, what has
 * waited for longest goes first.
 */
const onFree = (lanes: readonly RawHttp[]): ((bytes: Buffer) => Promise<void>) => {
  const free = [...lanes]
  const waiting: ((lane: RawHttp) => void)[] = []
  return async (bytes) => {
    const lane = free.shift() ?? (await new Promise<RawHttp>((resolve) => waiting.push(resolve)))
    await lane.ask(bytes)
    const next = waiting.shift()
    if (next === undefined) free.push(lane)
    else next(lane)
  }
}

const parked: RawHttp[] = []
const paced = new PacedMessages()

const tasks = {
  /** Sends a request again and again, `window` at a time. */
  repeat: async (args: { url: string; request: RawRequest; count: number; window: number }) => {
    const bytes = bytesOf(args.request)
    await onEach(args.count, await connectionsTo(args.url, args.window), (lane) => lane.ask(bytes))
  },

  /** Receives and deletes messages one by one, `window` at a time; the body of `remove` has `RECEIPT` in it. */
  receive: async (args: {
    url: string
    receive: RawRequest
    remove: RawRequest
    count: number
    window: number
  }) => {
    const bytes = bytesOf(args.receive)
    const { head, body } = args.remove
    await onEach(args.count, await connectionsTo(args.url, args.window), async (lane) => {
      for (;;) {
        const [message] = receivedOf(await lane.ask(bytes)).Messages ?? []
        if (message === undefined) continue
        await lane.ask(
          requestBytes(
            head,
            body.replace('RECEIPT', () => message.ReceiptHandle),
          ),
        )
        return
      }
    })
  },

  /** One message as it is received. */
  one: async (args: { url: string; receive: RawRequest }) => {
    const [lane] = await connectionsTo(args.url, 1)
    const { Messages: [message] = [] } = receivedOf(await lane!.ask(bytesOf(args.receive)))
    if (message === undefined) throw new Error('There is no message.')
    return { receipt: message.ReceiptHandle, body: message.Body }
  },

  /** Sends a request at an even pace, each on a free connection; resolves to how long each took, in ms. */
  pace: async (args: {
    url: string
    request: RawRequest
    count: number
    perSecond: number
    window: number
  }) => {
    const bytes = bytesOf(args.request)
    const ask = onFree(await connectionsTo(args.url, args.window))
    return paced.run(args.count, args.perSecond, async (n) => {
      await ask(bytes)
      paced.arrived(n)
    })
  },

  /** Lets long polls wait, each on a connection of its own and asked again when it comes back; what arrives is noted. */
  park: async (args: { url: string; requests: readonly RawRequest[]; polls: number }) => {
    const all = args.requests.map(bytesOf)
    await inParallel(args.polls, 64, async (i) => {
      const lane = await RawHttp.open(args.url)
      parked.push(lane)
      const again = async (): Promise<void> => {
        for (;;)
          for (const { Body } of receivedOf(await lane.ask(all[i % all.length]!)).Messages ?? [])
            paced.arrived(Number(Body))
      }
      again().catch((error: unknown) => {
        if (parked.includes(lane)) process.stderr.write(`${String(error)}\n`)
      })
    })
  },

  /**
   * Sends at an even pace to queues in turn, for polls that are parked, each on a free connection; resolves to how long each took to
   * arrive, in ms.
   */
  reach: async (args: {
    url: string
    requests: readonly RawRequest[]
    count: number
    perSecond: number
    window: number
  }) => {
    const ask = onFree(await connectionsTo(args.url, args.window))
    return paced.run(args.count, args.perSecond, (n) => {
      const { head, body } = args.requests[n % args.requests.length]!
      return ask(requestBytes(head, body.replace('BODY', String(n))))
    })
  },

  /** Ends the long polls. */
  unpark: () => {
    for (const lane of parked.splice(0)) lane.close()
  },

  /** Asks one after the other; resolves to how long each took, in ms. */
  time: async (args: { url: string; request: RawRequest; count: number }) => {
    const [lane] = await connectionsTo(args.url, 1)
    const bytes = bytesOf(args.request)
    const tookMs: number[] = []
    for (let i = 0; i < args.count; i++) {
      const beganMs = performance.now()
      await lane!.ask(bytes)
      tookMs.push(performance.now() - beganMs)
    }
    return tookMs
  },
}

/** What this process can be asked. */
export type SqsLoad = typeof tasks

serveTasks(tasks, () => {
  for (const lane of [...parked.splice(0), ...[...open.values()].flat()]) lane.close()
})
