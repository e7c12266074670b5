import { equalBytes, isSealed, type BodyRef } from '@kiroku/log'
import { decide, editable, type PartitionState, type QueueState } from '@kiroku/partition'
import {
  type CommandOf,
  decodeEnvelope,
  encodeEnvelope,
  type EnvelopeMeta,
  KirokuError,
  messageId,
  valueBytes,
} from '@kiroku/protocol'
import { limits } from '../limits.ts'

import { RedriveTargets } from '../tasks/RedriveTargets.ts'
import { asKirokuError } from '../asKirokuError.ts'
import type { Owner } from '../tasks/Owner.ts'

type EditOwner = Pick<
  Owner,
  'incarnation' | 'log' | 'partitions' | 'time' | 'route' | 'cache' | 'schemas' | 'writer' | 'act'
>

/** Replaces the bodies of messages: their metadata stays, and the schemas of their queues hold. */
export class BodyEditor {
  readonly #o: EditOwner
  readonly #targets: RedriveTargets
  #underWay = 0

  constructor(owner: EditOwner) {
    this.#o = owner
    const { route, partitions, time } = owner
    this.#targets = new RedriveTargets(route, partitions, () => time.monotonicMs())
  }

  /** Checks an edit and has it decided; answers with the error where it is refused. */
  async edit(state: PartitionState, command: CommandOf<'EditBody'>, token: number): Promise<void> {
    this.#underWay++
    try {
      await this.#edit(state, command, token)
    } catch (e) {
      this.#o.act((turn) => turn.refuse(token, asKirokuError(e)))
    } finally {
      this.#underWay--
    }
  }

  async #edit(state: PartitionState, command: CommandOf<'EditBody'>, token: number): Promise<void> {
    if (this.#underWay > limits.editsUnderWay)
      throw new KirokuError('Busy', 'too many bodies are edited at once', { retryAfterMs: 100 })
    const { queue: name, number, body } = command
    const queue = state.names.get(name)
    if (queue === undefined) throw new KirokuError('UnknownQueue', `there is no queue "${name}"`)
    const was = editable(state, queue, number)
    if (typeof was === 'string') throw new KirokuError('NotEditable', was)
    const [envelope] = await this.#o.cache.fetch([was.seq], queue.id, [was.index])
    if (queue.config.erasable !== 'none' || isSealed(envelope!))
      throw new KirokuError('NotEditable', `message ${number} of queue "${name}" is encrypted; send another`)
    const { meta, body: before } = decodeEnvelope(envelope!)
    this.#mustBe(meta, queue, command)
    const contentType = command.contentType ?? meta.contentType
    if (contentType === meta.contentType && equalBytes(before, body))
      return this.#o.act((turn) => turn.ok(token, { queue: queue.id, number, isEdited: false }))
    await this.#mustFit(meta, queue, body)
    const edits = (Number.isInteger(meta.edits) ? meta.edits! : 0) + 1
    const edited = encodeEnvelope(body, {
      ...meta,
      ...(contentType === undefined ? {} : { contentType }),
      edits,
    })
    const write = await this.#o.writer.write([edited])
    const replacement = { queue: queue.id, was, body: write.messages[0]!, bytes: edited.length }
    this.#o.act(
      (turn) => {
        decide<BodyRef>(turn, { type: 'ReplaceBody', command, edited: replacement }, token)
        this.#o.writer.close(write)
      },
      write.inlineBytes + valueBytes(command.by),
    )
  }

  /** The message with this number must be the one that the command means. */
  #mustBe({ lineage }: EnvelopeMeta, { id, name }: QueueState, c: CommandOf<'EditBody'>): void {
    const { incarnation, log } = this.#o
    const here = messageId({ incarnation, partition: log.partition, queue: id, number: c.number })
    if (c.messageId !== here && c.messageId !== lineage?.messageId)
      throw new KirokuError('UnknownMessage', `message ${c.number} of queue "${name}" is not ${c.messageId}`)
  }

  async #mustFit({ lineage }: EnvelopeMeta, { config, name }: QueueState, body: Uint8Array): Promise<void> {
    if (body.length > config.bodyBytesMax)
      throw new KirokuError(
        'BodyTooLarge',
        `the body has ${body.length} bytes; queue "${name}" takes up to ${config.bodyBytesMax}`,
      )
    if (config.bodySchema !== null) await this.#o.schemas.hold(body, config.bodySchema, name)
    // A client wrote the envelope, and may have written anything.
    if (typeof lineage?.queue !== 'string' || lineage.cause === 'redriven') return
    const origin = await this.#targets.find(lineage.queue)
    if (origin !== undefined && origin.bodySchema !== null)
      await this.#o.schemas.hold(body, origin.bodySchema, origin.name)
  }
}
