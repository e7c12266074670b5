import type { Client, ClientOptions } from '@kiroku/client'
import type { NatsOptions } from '@kiroku/nats'
import type { KirokuError } from '@kiroku/protocol'
import type { Invocation } from '../cli/CommandSpec.ts'
import { localActor } from './localActor.ts'
import type { Nats } from './describeCluster.ts'
import { natsTarget } from './natsTarget.ts'

/** A command at a terminal must not wait for minutes. */
const requestTimeoutMs = 10_000
const sendPatience = { silenceMs: 4_000, moveMs: 30_000 }

/** The shortest wait for an answer to a send, in ms. */
const silenceMsMin = 1_000

/** How long NATS may take where the command is about whether it answers, in ms. */
export const lookOptions = { timeoutMs: 1_500 }

/**
 * How long a command waits that sends one message. It says within 5 s of its start that nobody answers, whatever the start and
 * the connection took of that.
 *
 * @param waitMs what its flag says, in ms
 */
export const sendOptions = (waitMs: number | undefined): ClientOptions & typeof lookOptions => ({
  ...lookOptions,
  ...(waitMs === undefined ? {} : { sendTimeoutMs: waitMs }),
  sendPatience: {
    ...sendPatience,
    silenceMs: Math.max(silenceMsMin, sendPatience.silenceMs - performance.now()),
  },
})

/** What a command that talks to an engine gets in addition to the client. */
export interface Connected {
  readonly nats: Nats
  /** Where that is, and how it is entered. */
  readonly target: NatsOptions
  readonly log: string
  /** Why NATS stores nothing now; undefined: it does. Takes a second at most. */
  readonly outage: () => Promise<KirokuError | undefined>
}

/**
 * Connects to the engine that the settings name, runs `act`, and closes everything again.
 * Errors: `NatsUnreachable`, `InvalidArgument` (no such log), and those of `act`.
 */
export const withClient = async <A>(
  invocation: Pick<Invocation, 'settings'>,
  act: (client: Client, connected: Connected) => Promise<A>,
  options: ClientOptions & Pick<NatsOptions, 'timeoutMs'> = {},
): Promise<A> => {
  const settings = invocation.settings()
  const target = natsTarget(settings)
  const [{ connect }, { createClient }, { natsTransport }] = await Promise.all([
    import('@kiroku/nats'),
    import('@kiroku/client'),
    import('@kiroku/client-nats'),
  ])
  const { timeoutMs, ...clientOptions } = options
  const nats = await connect(timeoutMs === undefined ? target : { ...target, timeoutMs })
  try {
    const transport = natsTransport(nats, { log: settings.log, as: target.as, link: settings.link })
    const client = createClient(transport, {
      name: `cli-${process.pid}`,
      actor: localActor(),
      requestTimeoutMs,
      sendPatience,
      ...clientOptions,
    })
    try {
      return await act(client, { nats, target, log: settings.log, outage: async () => transport.outage?.() })
    } finally {
      await client.close()
    }
  } finally {
    await nats.close()
  }
}
