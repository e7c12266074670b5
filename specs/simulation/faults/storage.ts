import type { Chance } from '../core/Chance.ts'
import { resumeAll } from '../workload/resumeAll.ts'
import type { NodeProcess } from '../world/NodeProcess.ts'
import type { Hurt, World } from '../world/World.ts'

/** A partition whose log is undamaged: a single damage per partition can always be repaired. */
const unhurt = (world: World, chance: Chance): number | undefined => {
  const partition = chance.below(world.plan.partitions)
  if (world.hurts.has(partition)) return undefined
  if (world.isSpread) world.coverage.add('fault', 'damage beside a spread queue')
  return partition
}

const kill = (owner: NodeProcess | undefined): void => owner?.party.die()

/** Flips a byte of a stored record, or removes it; mostly it has to be read soon. */
export const damage = (world: World, chance: Chance): void => {
  const partition = unhurt(world, chance)
  if (partition === undefined) return
  const { firstSeq } = world.log.faults.stored(partition)
  const from = Math.max(firstSeq, world.setUpSeqs[partition]! + 1)
  const candidates = world.truth.sequences(partition).filter((seq) => seq >= from)
  if (candidates.length === 0) return
  const seq = chance.pick(candidates)
  if (chance.happens(0.5)) world.log.faults.damage(partition, seq, chance.below(40))
  else world.log.faults.loseRecord(partition, seq)
  world.hurts.set(partition, { kind: 'damage', seq, atMs: world.loop.nowMs })
  world.history.note(() => `record ${seq} of partition ${partition} is damaged`)
  if (chance.happens(0.8)) kill(world.placement.ownerOf(partition))
}

/**
 * Forgets the end of a log, as a store does that answered before it had written. Mostly its owner's machine goes with
 * it, and its next process finds the notes of the one before.
 */
export const loseTail = (world: World, chance: Chance): void => {
  const partition = unhurt(world, chance)
  if (partition === undefined) return
  const { faults } = world.log
  const { firstSeq, lastSeq, checkpoints } = faults.stored(partition)
  // A trimmed log that lost its last checkpoint cannot be reopened by anybody.
  const oldestState = firstSeq === 1 ? 1 : (checkpoints[0] ?? lastSeq)
  const least = Math.max(firstSeq, oldestState, world.setUpSeqs[partition]! + 1)
  // A standby takes over with what it read of a lost end: up to the fence of the next owner, or beyond it.
  const readSeq = world.placement.standbyOf(partition)?.node.ahead.get(partition)?.reachedSeq
  const standbyFollows = readSeq !== undefined && chance.happens(0.7)
  const from = standbyFollows ? readSeq - chance.below(8) : lastSeq - chance.below(6)
  const count = lastSeq - Math.max(from - 1, least)
  if (count < 1) return
  world.land(partition)
  faults.loseTail(partition, count)
  const kept = faults.stored(partition).lastSeq
  world.history.note(() => `partition ${partition} loses its records from ${kept + 1} on`)
  const owner = world.placement.ownerOf(partition)
  const hurt: Hurt = { kind: 'tail', seq: kept + 1, atMs: world.loop.nowMs }
  world.truth.lose(partition, kept + 1)
  resumeAll(world, partition)
  if (owner === undefined) return void world.hurts.set(partition, hurt)
  const notedSeq = noteOf(world, owner, partition)
  if (!standbyFollows && chance.happens(0.3))
    return void world.hurts.set(partition, { ...hurt, heir: owner.name, notedSeq })
  kill(owner)
  if (standbyFollows) return void world.hurts.set(partition, hurt)
  const heir = world.newNode(owner.disk)
  world.placement.reserve(partition, heir)
  world.hurts.set(partition, { ...hurt, heir: heir.name, notedSeq })
}

/** What the small file on a node's machine says was stored; 0: nothing. */
const noteOf = ({ log }: World, { disk }: NodeProcess, partition: number): number => {
  const text = disk.get(`tail-${log.meta.incarnation}-${partition}.json`)
  return text === undefined ? 0 : (JSON.parse(text) as { seq: number }).seq
}

/** Forgets or damages the newest checkpoint, where an older one or the whole log is left. */
export const loseCheckpoint = (world: World, chance: Chance): void => {
  const partition = unhurt(world, chance)
  if (partition === undefined) return
  const { faults } = world.log
  const { firstSeq, checkpoints } = faults.stored(partition)
  const newest = checkpoints.at(-1)
  if (newest === undefined || (firstSeq > 1 && checkpoints.length < 2)) return
  world.hurts.set(partition, { kind: 'checkpoint', seq: newest, atMs: world.loop.nowMs })
  if (chance.happens(0.5)) faults.loseCheckpoint(partition, newest)
  else faults.damageCheckpoint(partition, newest)
  world.history.note(() => `checkpoint ${newest} of partition ${partition} is gone`)
  if (chance.happens(0.8)) kill(world.placement.ownerOf(partition))
}
