import type { PartitionDescription, KirokuError } from '@kiroku/protocol'
import { Metrics } from '../Metrics.ts'
import { Sizes } from '../append/Sizes.ts'
import { BodyCache } from '../bodies/BodyCache.ts'
import { BodySchemas } from '../bodies/BodySchemas.ts'
import { LargeBodyWriter } from '../bodies/LargeBodyWriter.ts'
import { Checkpoints } from '../checkpoint/Checkpoints.ts'
import { KeyRing } from '../keys/KeyRing.ts'
import { StorageWatch } from '../store/StorageWatch.ts'
import type { Owner } from '../tasks/Owner.ts'
import { ownerTasks } from '../tasks/ownerTasks.ts'
import type { ActorOptions } from './ActorOptions.ts'
import { AliveNotes } from './AliveNotes.ts'
import { AnswerGate } from './AnswerGate.ts'
import { Deliverer } from './Deliverer.ts'
import { Intake } from './Intake.ts'
import type { Life } from './Life.ts'
import { Mailbox } from './Mailbox.ts'
import { PartitionTime } from './PartitionTime.ts'
import { TurnLoop } from './TurnLoop.ts'

/** What the parts ask of their actor. */
interface ActorWork {
  describe(): PartitionDescription
  /** A turn was decided. */
  decided(): void
  /** Something that a hand-over waits for may be done. */
  turned(): void
  /** The ownership ends with this. */
  ended(error: KirokuError): void
  /** The record is damaged, unless another owner overtook this one. */
  damaged(error: KirokuError): void
}

/** The parts of an actor, wired to each other. They outlive recoveries; `begin` gives them the state. */
export type ActorParts = ReturnType<typeof actorParts>

/** Makes the parts of an actor. */
export const actorParts = (options: ActorOptions, life: Life, work: ActorWork) => {
  const { log, time } = options
  const metrics = new Metrics()
  const sizes = new Sizes(log.recordBytesMax)
  const mailbox = new Mailbox(sizes, options.mailboxBytesMax)
  const cache = new BodyCache(log, options.bodies)
  const schemas = new BodySchemas()
  const now = (): number => partitionTime.now()
  const wake = (): void => loop.wake()
  const isActive = (): boolean => life.isActive
  const isFull = (): boolean => storage.full
  const writeFrame = (): void => {
    notes.isDue = true
    wake()
  }
  const act: Owner['act'] = (run, bytes) => loop.act(run, bytes)

  const storage = new StorageWatch(log, time, options.store, () => checkpoints.press(now()))
  const notes = new AliveNotes(time, { now, isActive, isFull, wake })
  const partitionTime = new PartitionTime(options, {
    isActive,
    isFull,
    wake,
    probe: writeFrame,
    trouble: (what) => options.onTrouble?.(what),
  })
  const writer = new LargeBodyWriter({ partition: log.partition, sizes, isActive, wake })
  const ring = new KeyRing(options.keys, () => partitionTime.storeMs(), options.lockFresh)
  const deliverer = new Deliverer(ring, cache, {
    actLasting: (run) => loop.act(run, 0, true),
    answer: (slot, answer) => gate.answer(slot, answer),
    damaged: work.damaged,
    done: work.turned,
  })
  const gate = new AnswerGate(options, metrics, deliverer)
  const checkpoints = new Checkpoints({
    ...options,
    cache,
    writer,
    sizes,
    storage,
    act,
    frame: writeFrame,
    hasRoomToCarry: (bytes) => storage.carries(bytes, mailbox.bytes),
    trimmedEarly: () => void metrics.earlyTrims++,
    ended: (seq, error) => {
      if (error === undefined) return void metrics.checkpoints++
      metrics.checkpointFailures++
      options.onTrouble?.(`the checkpoint at ${seq} failed: ${error.message}`)
    },
  })
  const owner: Owner = {
    ...options,
    cache,
    ring,
    schemas,
    sizes,
    storage,
    writer,
    now,
    isActive,
    act,
    refuse: (token, error) => gate.refuse(token, error),
    damaged: work.damaged,
  }
  const tasks = ownerTasks(owner)
  const loop = new TurnLoop({
    life,
    partitionTime,
    notes,
    mailbox,
    gate,
    sizes,
    cache,
    writer,
    cipher: tasks.cipher,
    checkpoints,
    storage,
    stateMemory: options.stateMemory,
    metrics,
    time,
    random: options.random,
    decided: work.decided,
    turned: work.turned,
    failed: work.ended,
  })
  const intake = new Intake({
    partition: log.partition,
    life,
    partitionTime,
    loop,
    mailbox,
    gate,
    sizes,
    storage,
    stateMemory: options.stateMemory,
    writer,
    cipher: tasks.cipher,
    schemas,
    editor: tasks.editor,
    eraser: tasks.eraser,
    backfill: tasks.backfill,
    describe: work.describe,
  })
  return {
    metrics,
    sizes,
    mailbox,
    cache,
    storage,
    notes,
    partitionTime,
    writer,
    deliverer,
    gate,
    checkpoints,
    tasks: tasks.all,
    loop,
    intake,
  }
}
