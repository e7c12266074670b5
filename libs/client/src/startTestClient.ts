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
