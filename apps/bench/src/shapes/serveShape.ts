import { randomBytes } from 'node:crypto'
import { PacedMessages } from '../first/PacedMessages.ts'
import { inParallel } from '../inParallel.ts'
import { serveTasks } from '../LoadProcess.ts'

/** How messages are handled: the largest batch, and how many handlers run at once. */
export interface Handling {
  readonly batch: number
  readonly handlers: number
}

/** One system's client, as its users write it: a queue in which each message is on disk before its send is confirmed. */
export interface ShapeDriver {
  /** Sends one; resolves when it is stored. */
  readonly send: (body: string) => Promise<unknown>
  /** Sends several at once, in the way that the system has for it; absent: it has none. */
  readonly sendBatch?: (bodies: readonly string[]) => Promise<unknown>
  /**
   * Begins to handle messages and to acknowledge each.
   *
   * @param handling absent: as the system's consumers are by default
   * @param handled called for each message
   * @returns ends that; resolves when all acknowledgements are stored, or where the system confirms none, are with the server
   */
  readonly consume: (
    handling: Handling | undefined,
    handled: (text: () => string) => void,
  ) => Promise<() => Promise<unknown>>
  /** Records of the log so far, where it is one. */
  readonly records?: () => Promise<number>
  readonly close: () => Promise<unknown>
}

/** How long something took, in ms. */
type Took = Promise<number>

const tasksOf = (driver: ShapeDriver) => {
  const paced = new PacedMessages()
  let stopPaced: (() => Promise<unknown>) | undefined

  const publish = async (args: Publishing): Promise<void> => {
    const body = textOf(args.bodyBytes)
    const { batch, window, messages } = args
    if (batch === 1) return inParallel(messages, window, () => driver.send(body))
    const bodies = Array.from({ length: batch }, () => body)
    await inParallel(Math.ceil(messages / batch), window, (i) =>
      driver.sendBatch!(i * batch + batch <= messages ? bodies : bodies.slice(0, messages - i * batch)),
    )
  }

  /** Begins to handle messages; resolves when its consumer has begun or the first is handled, whichever is sooner. */
  const begin = async (messages: number, handling: Handling | undefined, msMax?: number) => {
    let done = 0
    const { promise: all, resolve } = Promise.withResolvers<void>()
    const { promise: began, resolve: beginNow } = Promise.withResolvers<void>()
    const starting = driver.consume(handling, () => {
      if (++done === 1) beginNow()
      if (done === messages) resolve()
    })
    await Promise.race([starting, began])
    const timer = msMax === undefined ? undefined : setTimeout(resolve, msMax)
    /** Resolves when all are handled and acknowledged, or what was handled in time; with how many these are. */
    return async (): Promise<number> => {
      const stop = await starting
      await all
      clearTimeout(timer)
      await stop()
      return done
    }
  }

  return {
    /** Sends messages; resolves when all are stored. */
    publish: async (args: Publishing): Took => {
      const beganMs = performance.now()
      await publish(args)
      return performance.now() - beganMs
    },

    /** Handles `messages` messages that are waiting; resolves when they are acknowledged. */
    consume: async ({ messages, handling }: { messages: number; handling?: Handling }): Took => {
      const end = await begin(messages, handling)
      const beganMs = performance.now()
      await end()
      return performance.now() - beganMs
    },

    /** Handles up to `messages` waiting messages, for at most `msMax`; resolves once they are acknowledged. */
    drain: async ({ messages, handling, msMax }: Draining): Promise<{ messages: number; ms: number }> => {
      const beganMs = performance.now()
      const end = await begin(messages, handling, msMax)
      const done = await end()
      return { messages: done, ms: performance.now() - beganMs }
    },

    /** Sends messages and handles them at the same time; resolves when they are acknowledged. */
    live: async ({ handling, ...args }: Publishing & { handling?: Handling }): Took => {
      const end = await begin(args.messages, handling)
      const beganMs = performance.now()
      await Promise.all([publish(args), end()])
      return performance.now() - beganMs
    },

    /** Sends `count` messages at an even pace; resolves with the time each took to reach its handler, in ms. */
    measure: async ({ count, perSecond }: { count: number; perSecond: number }): Promise<number[]> => {
      // The consumer stays for all rounds.
      stopPaced ??= await driver.consume(undefined, (text) => paced.arrived(Number.parseInt(text())))
      return paced.run(count, perSecond, (n) => driver.send(`${n} `.padEnd(pacedBytes, 'x')))
    },

    /** Handles messages until there was one; resolves with how long that took since the client began to connect. */
    first: async (): Took => {
      const { promise, resolve } = Promise.withResolvers<number>()
      const stop = await driver.consume(undefined, () => resolve(performance.now() - connectMs))
      const tookMs = await promise
      await stop()
      return tookMs
    },

    /** Records of the log so far; 0 where it is none. */
    records: (): Promise<number> => driver.records?.() ?? Promise.resolve(0),

    /** Ends the consumer of `measure`. */
    rest: async (): Promise<void> => {
      await stopPaced?.()
      stopPaced = undefined
    },
  }
}

/** What is sent: how many messages, their size, the batch size, and how many batches are in flight at once. */
export interface Publishing {
  readonly messages: number
  readonly bodyBytes: number
  readonly batch: number
  readonly window: number
}

interface Draining {
  readonly messages: number
  readonly handling?: Handling
  readonly msMax: number
}

/** Bytes of a body that is sent at a pace. */
const pacedBytes = 128

/** Text that no store makes smaller by more than its alphabet allows. */
const textOf = (bytes: number): string => randomBytes(bytes).toString('base64url').slice(0, bytes)

/** When this process has loaded its client, and begins to connect. */
const connectMs = performance.now()

/** What the process of any system can be asked. */
export type ShapeLoad = ReturnType<typeof tasksOf>

/** In the process: does what {@link ShapeLoad} lists with one system's client, until its parent disconnects. */
export const serveShape = (driver: ShapeDriver): void => {
  const tasks = tasksOf(driver)
  serveTasks(tasks, async () => {
    await tasks.rest()
    await driver.close()
  })
}
