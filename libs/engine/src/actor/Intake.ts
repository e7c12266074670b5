import { isSealed } from '@kiroku/log'
import { decide, recordBytes, startOf, type PartitionState } from '@kiroku/partition'
import { type Command, type CommandOf, KirokuError, type PartitionDescription } from '@kiroku/protocol'
import type { Sizes } from '../append/Sizes.ts'
import { asKirokuError } from '../asKirokuError.ts'
import type { BodyEditor } from '../bodies/BodyEditor.ts'
import type { BodySchemas } from '../bodies/BodySchemas.ts'
import { LargeBodyWrite } from '../bodies/LargeBodyWrite.ts'
import type { LargeBodyWriter } from '../bodies/LargeBodyWriter.ts'
import type { BodyCipher } from '../keys/BodyCipher.ts'
import type { Eraser } from '../keys/Eraser.ts'
import type { StorageWatch } from '../store/StorageWatch.ts'
import type { Backfill } from '../tasks/Backfill.ts'
import type { AnswerGate } from './AnswerGate.ts'
import type { Life } from './Life.ts'
import type { Bringing, First, Mailbox } from './Mailbox.ts'
import type { PartitionTime } from './PartitionTime.ts'
import type { Slot } from './Request.ts'
import type { TurnLoop } from './TurnLoop.ts'
import { commandBytes, messageBytes } from './commandBytes.ts'

/** What the intake looks at, and whom it hands commands to. */
interface IntakeParts {
  readonly partition: number
  readonly life: Life
  readonly partitionTime: PartitionTime
  readonly loop: TurnLoop
  readonly mailbox: Mailbox
  readonly gate: AnswerGate
  readonly sizes: Sizes
  readonly storage: StorageWatch
  /** What the messages of the whole node take. */
  readonly stateMemory: { readonly isFull: boolean; readonly reason: string }
  readonly writer: LargeBodyWriter
  readonly cipher: BodyCipher
  readonly schemas: BodySchemas
  readonly editor: BodyEditor
  readonly eraser: Eraser
  readonly backfill: Backfill
  describe(): PartitionDescription
}

/** Commands that are decided as they came, without bodies. */
type Plain = NonNullable<First['command']>

/**
 * Where commands come in: refuses what the partition cannot take now, does what must be done before the others are
 * decided, and puts them into the mailbox. Reads the state between turns and never changes it.
 */
export class Intake {
  readonly #p: IntakeParts
  #state!: PartitionState

  constructor(parts: IntakeParts) {
    this.#p = parts
  }

  begin(state: PartitionState): void {
    this.#state = state
  }

  /** Takes one command in; its answer goes to the slot. */
  accept(command: Command, slot: Slot): void {
    const { gate, cipher, partition, storage, stateMemory, mailbox } = this.#p
    const token = gate.open(slot)
    if (command.type === 'DescribePartition')
      return gate.resolve({ token, answer: { ok: this.#p.describe() } })
    const plainBytes = commandBytes(command)
    if (!this.#hasRoomFor(command, plainBytes)) {
      const reason = `partition ${partition}: ${storage.reason(mailbox.bytes + plainBytes)}`
      return gate.refuse(token, new KirokuError('StorageFull', reason, { retryAfterMs: 1_000 }))
    }
    // What else adds to memory only moves messages, or is asked for by people.
    if (command.type === 'Enqueue' && stateMemory.isFull)
      return gate.refuse(token, new KirokuError('MemoryFull', stateMemory.reason, { retryAfterMs: 1_000 }))
    const unfit = this.#refusalOf(command)
    if (unfit !== undefined) return gate.refuse(token, unfit)
    switch (command.type) {
      case 'Enqueue':
      case 'Forward':
        return this.#acceptBodies(command, token, plainBytes + cipher.growth(command))
      case 'Erase':
        return this.#p.eraser.request(command, token)
      case 'ConfirmClock':
        return this.#confirmClock(command, token)
      case 'EditBody':
        return void this.#p.editor.edit(this.#state, command, token)
      case 'CreateSubscription':
      case 'ResetSubscription':
        if (this.#isLocating(command, token)) return
        break
      case 'CreateQueue':
      case 'ConfigureQueue':
        if (this.#isChecking(command, token, plainBytes)) return
        break
    }
    if (!mailbox.put({ command, token, bytes: plainBytes })) this.#refuseBusy(token)
  }

  /** Why a command is refused whatever happens meanwhile. */
  #refusalOf(command: Exclude<Command, { type: 'DescribePartition' }>): KirokuError | undefined {
    const tooLarge = this.#p.sizes.refuseBody(command) ?? this.#refuseLong(command)
    if (tooLarge !== undefined || command.type !== 'Enqueue') return tooLarge
    return this.#p.schemas.refuseSend(this.#state, command)
  }

  #refuseBusy(token: number): void {
    const what = `partition ${this.#p.partition} has too much waiting`
    this.#p.gate.refuse(token, new KirokuError('Busy', what, { retryAfterMs: 100 }))
  }

  #acceptBodies(command: CommandOf<'Enqueue' | 'Forward'>, token: number, bytes: number): void {
    const { sizes, cipher, gate, mailbox, writer } = this.#p
    const areLarge = sizes.areLarge(command.messages, bytes) && this.#bringsBodies(command)
    // Others are refused when they are decided; these would be references by then.
    if (areLarge && command.type === 'Enqueue' && command.messages.some(isSealed))
      return gate.refuse(token, new KirokuError('MalformedRequest', 'a message is not an envelope'))
    const writesLate = areLarge && cipher.writesLate(command)
    const write =
      areLarge && !writesLate ? new LargeBodyWrite(command.messages, sizes.inlineBytes(bytes)) : undefined
    const mail: Bringing = { command, token, bytes, bodyBytes: messageBytes(command), write, writesLate }
    if (!mailbox.put(mail)) return this.#refuseBusy(token)
    if (write === undefined || write.isDone) return
    writer.start(
      write,
      () => mailbox.ready(mail),
      () => {},
    )
  }

  /** Whether the store has room for a command behind those that wait, which are not stored yet and take room all the same. */
  #hasRoomFor(command: Command, bytes: number): boolean {
    const { storage } = this.#p
    const waiting = this.#p.mailbox.bytes
    if (command.type === 'Enqueue') return storage.takes(bytes, waiting)
    if (command.type === 'Receive') return storage.delivers
    // Letters may take the reserve, since their source lets go of them then, but not the room for a fence.
    return command.type !== 'Forward' || !this.#bringsBodies(command) || storage.carries(bytes, waiting)
  }

  /** Letters that came before are confirmed and not stored again. */
  #bringsBodies(command: CommandOf<'Enqueue' | 'Forward'>): boolean {
    if (command.type === 'Enqueue') return true
    const { from, target, forward, messages } = command
    const next = this.#state.nextForward(from, target) ?? 1
    return this.#state.queues.has(target) && next < forward + messages.length
  }

  /** Refuses an administrative command whose texts no record can hold; sends are looked at when it is their turn. */
  #refuseLong(command: Exclude<Command, { type: 'DescribePartition' }>): KirokuError | undefined {
    switch (command.type) {
      case 'Enqueue':
      case 'Forward':
      case 'Receive':
      case 'Ack':
      case 'Extend':
      case 'Retry':
      case 'Release':
      case 'DeadLetter':
        return undefined
      default: {
        const plain = command.type === 'EditBody' ? { ...command, body: new Uint8Array(0) } : command
        return this.#p.sizes.refuseRecord(recordBytes(this.#state, plain), command)
      }
    }
  }

  #confirmClock({ clock, by }: CommandOf<'ConfirmClock'>, token: number): void {
    const { gate, partitionTime, loop } = this.#p
    if (clock !== 'store' && clock !== 'node')
      return gate.refuse(token, new KirokuError('InvalidArgument', 'clock: "store" or "node"'))
    if (partitionTime.confirm({ clock, by, token })) loop.wake()
    else loop.act((turn) => turn.ok(token, { steppedMs: 0 }))
  }

  /** Asks the log where a subscription begins, before that is decided; false when there is nothing to ask. */
  #isLocating(command: CommandOf<'CreateSubscription' | 'ResetSubscription'>, token: number): boolean {
    const state = this.#state
    const { backfill, gate, life, loop, partitionTime } = this.#p
    const asked = startOf(state, partitionTime.now(), command)
    if (asked === undefined) return false
    void backfill.locate(asked.queue, asked.start, loop.lastSeq).then(
      (located) => {
        if (this.#state !== state || !life.isActive) return
        loop.act(
          (turn) => decide(turn, { type: 'OpenAt', command, located }, token),
          recordBytes(state, command),
        )
      },
      (e: unknown) => gate.refuse(token, asKirokuError(e)),
    )
    return true
  }

  /** Checks a new schema before its queue gets it; false when there is none. */
  #isChecking(
    command: Plain & CommandOf<'CreateQueue' | 'ConfigureQueue'>,
    token: number,
    bytes: number,
  ): boolean {
    const { bodySchema } = command.config
    if (typeof bodySchema !== 'object' || bodySchema === null) return false
    const { schemas, gate, life, loop, mailbox } = this.#p
    void schemas.check(bodySchema).then(
      () => {
        if (!life.isActive) return
        if (!mailbox.put({ command, token, bytes })) return this.#refuseBusy(token)
        loop.wake()
      },
      (e: unknown) => gate.refuse(token, asKirokuError(e)),
    )
    return true
  }
}
