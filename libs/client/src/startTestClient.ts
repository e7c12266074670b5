import type { ManualTime } from '@kiroku/testkit'
import { startMemoryEngine } from '@kiroku/testkit/engine'
import { onTestFinished } from 'vitest'
import { createClient, inProcess, type ClientEvent } from './index.ts'

/** A client, with what it tells, of an engine in memory whose partitions lie apart. Both close when the test is over. With `time` it is the time of both. */
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
