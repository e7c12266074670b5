import { repair } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import { isKirokuError } from '@kiroku/protocol'
import { NodeLog } from '../world/NodeLog.ts'
import type { World } from '../world/World.ts'
import { Caller } from './Caller.ts'
import { by } from './administer.ts'
import { resumeAll } from './resumeAll.ts'

const lookMs = 1_000

/** An operator who checks for partitions closed as damaged, and repairs them, until the world ends. */
export const repairDamage = async (world: World): Promise<void> => {
  const { loop, placement, plan } = world
  const caller = new Caller(world, 'repairer')
  const log = new NodeLog(world, caller.party)
  const isClosed = (p: number): boolean => placement.ownerOf(p)?.node.actors.get(p)?.life === 'Quarantined'
  await loop.as(caller.party, async () => {
    while (!world.isOver) {
      await loop.sleep(lookMs)
      for (let p = 0; p < plan.partitions; p++) {
        if (!isClosed(p) || !(await repairOne(world, log, p, isClosed))) continue
        resumeAll(world, p)
        // Its owner takes a while to notice.
        await loop.sleep(3 * lookMs)
      }
    }
  })
}

/** Whether it was repaired; otherwise it is tried again. */
const repairOne = async (
  world: World,
  log: NodeLog,
  partition: number,
  isClosed: (partition: number) => boolean,
): Promise<boolean> => {
  const order = { decodeCheckpoint, by, note: 'the simulation hurt it' }
  try {
    const done = await repair(log, partition, order)
    // The log by itself shows nothing: it is a node's note that says that its end is gone.
    const more =
      done.length === 0 && isClosed(partition)
        ? await repair(log, partition, { ...order, acknowledgeLostEnd: true })
        : []
    for (const { kind, from, upTo } of [...done, ...more]) {
      world.coverage.add('fault', `repaired by ${kind}`)
      world.history.note(() => `partition ${partition} is repaired by ${kind}: ${from} to ${upTo}`)
    }
    return done.length + more.length > 0
  } catch (error) {
    // Storage that is down or full, or another one that keeps writing.
    if (!isKirokuError(error) || error.id === 'LogDamaged' || error.id === 'Internal') throw error
    return false
  }
}
