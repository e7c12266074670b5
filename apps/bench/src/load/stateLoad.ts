import { createMemoryLog, encodeRecord, zeroHash } from '@kiroku/log'
import { encodeEnvelope } from '@kiroku/protocol'
import { startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { serveTasks } from '../LoadProcess.ts'
import { StallWatch } from '../engine/StallWatch.ts'
import { largeStates } from './largeStates.ts'

/** What a large state costs its owner. */
export interface StateCost {
  /** The longest work of the thread between two events: replaying the log and making a checkpoint, and taking over from that, in ms. */
  readonly checkpointMs: number
  readonly takeOverMs: number
  readonly checkpointBytes: number
  readonly seconds: number
}

const takeOverMsMax = 300_000
const body = encodeEnvelope(new Uint8Array(16))

/** Sends until an engine has made its checkpoint, which comes with a frame. */
const untilCheckpoint = async (engine: MemoryEngine): Promise<void> => {
  const queue = 'others'
  const by = { name: 'bench', origin: 'bench' }
  await engine.node().request(0, [{ type: 'CreateQueue', queue, config: {}, by }])
  for (let send = 1; engine.node().actors.get(0)!.state.checkpoints.length === 0; send++) {
    await engine.node().request(0, [{ type: 'Enqueue', queue, producer: 'others', send, messages: [body] }])
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** A watch that begins once what was made before it is out of the way. */
const settled = async (): Promise<StallWatch> => {
  globalThis.gc!()
  await new Promise((resolve) => setTimeout(resolve, 20))
  const watch = new StallWatch()
  watch.begin()
  return watch
}

const tasks = {
  /** Has an engine replay a log that leads to such a state, make a checkpoint, and begin again with that. */
  stateCost: async ({ kind, items }: { kind: string; items: number }): Promise<StateCost> => {
    const log = createMemoryLog({ partitions: 1 })
    const at = Date.now()
    let hash = zeroHash
    for (const frame of largeStates[kind]!(items)) {
      const events = frame(at)
      const bodies = events.flatMap((e) => (e.type === 'Enqueued' ? [body] : []))
      const record = encodeRecord({ epoch: 1, at, events, sections: [{ queue: 1, bodies }] }, hash)
      log.faults.write(0, record.bytes)
      hash = record.hash
    }
    const begun = performance.now()
    const stalls = await settled()
    const engine = await startMemoryEngine({
      partitions: 1,
      log,
      checkpoints: { bytesMin: 1, ageMs: 1e12 },
      takeOverMsMax,
      onTrouble: (_, what) => {
        throw new Error(what)
      },
    })
    await untilCheckpoint(engine)
    const { busyMs: checkpointMs } = stalls.read()
    const [checkpoint] = log.faults.stored(0).checkpoints
    const bytes = (await (await log.partition(0)).checkpoints.get(checkpoint!))!.length
    const again = await settled()
    await engine.restart()
    const { busyMs: takeOverMs } = again.read()
    const seconds = (performance.now() - begun) / 1_000
    await engine.close()
    return { checkpointMs, takeOverMs, checkpointBytes: bytes, seconds }
  },
}

/** What this process can be asked. */
export type StateLoad = typeof tasks

serveTasks(tasks)
