import type { Command } from '@kiroku/protocol'
import type { ManualTime } from '@kiroku/testkit'
import { startMemoryEngine } from '@kiroku/testkit/engine'
import { onTestFinished } from 'vitest'
import { createClient, inProcess, type ClientEvent } from './index.ts'

/** A client of an in-memory engine, and what the client reports. Both close after the test; `time` drives both. */
export const startTestClient = async (time?: ManualTime) => {
  const engine = await startMemoryEngine(time === undefined ? {} : { time })
  onTestFinished(() => engine.close())
  const events: ClientEvent[] = []
  const client = createClient(inProcess(engine.node()), {
    onEvent: (event) => events.push(event),
    ...(time === undefined ? {} : { clock: time }),
  })
  onTestFinished(() => client.close())
  return { engine, client, events }
}

/** Another client of that engine; `sees` gets the commands of each of its requests, which leave when it is done. */
export const watchedClient = (
  { engine }: Pick<Awaited<ReturnType<typeof startTestClient>>, 'engine'>,
  sees: (commands: readonly Command[]) => Promise<void> | void,
  time?: ManualTime,
) => {
  const node = engine.node()
  const client = createClient(
    inProcess({
      directory: () => node.directory(),
      onOwnerChanged: (listener) => node.onOwnerChanged(listener),
      request: async (partition, commands) => {
        await sees(commands)
        return node.request(partition, commands)
      },
    }),
    time === undefined ? {} : { clock: time },
  )
  onTestFinished(() => client.close())
  return client
}
