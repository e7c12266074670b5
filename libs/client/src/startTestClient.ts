import { startMemoryEngine } from '@kiroku/testkit/engine'
import { onTestFinished } from 'vitest'
import { createClient, inProcess, type ClientEvent } from './index.ts'

/** A client, with what it tells, of an engine in memory whose partitions lie apart. Both close when the test is over. */
export const startTestClient = async () => {
  const engine = await startMemoryEngine()
  onTestFinished(() => engine.close())
  const events: ClientEvent[] = []
  const client = createClient(inProcess(engine.node()), { onEvent: (event) => events.push(event) })
  onTestFinished(() => client.close())
  return { engine, client, events }
}
