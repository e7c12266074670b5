import type { StoreRoom } from '@kiroku/log'
import { isStreamMissing, toKirokuError } from '@kiroku/nats'
import {
  DiscardPolicy,
  jetstream,
  StorageType,
  type JetStreamClient,
  type JetStreamManager,
  type StreamInfo,
} from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/nats-core'
import { askLeader } from './askLeader.ts'
import {
  ballastBytesMax,
  ballastPieceBytes,
  ballastPiecesPerLook,
  ballastProbeMs,
  ballastShare,
  probeBytesPerMs,
  refusalsAreOneMs,
} from './limits.ts'
import { ballastName } from './names.ts'

/** Metadata key of the stream: how much the account stored when the store refused more, in bytes. */
const fullAtKey = 'kiroku-full-at'

/**
 * When less than this share of a store is free, it is probed from time to time whether it holds more by now.
 */
const probesBelowShare = 0.2

/** Whose ballast it is. */
interface BallastOf {
  readonly log: string
  readonly incarnation: string
  readonly replicas: number
}

/**
 * Reserves room in a store that does not report its room: a stream of meaningless pieces. When the store
 * refuses something, half of them go, so that settlements, checkpoints and trims have room, and what was
 * stored by then is how much the store holds. The stream's metadata records that, so that every node knows
 * it, also after a restart. The pieces come back when there is room for them; the limit is forgotten once the
 * store takes more than that.
 */
export class Ballast {
  readonly #of: BallastOf
  readonly #jsm: JetStreamManager
  readonly #js: JetStreamClient
  readonly #nc: NatsConnection
  #releasing: Promise<void> | undefined
  /** Whether a probe for more room is running, which a refusal ends. */
  #probing: Promise<boolean> | undefined
  #isProbeOver = false
  #isRemoved = false
  #releasedAtMs = Number.NEGATIVE_INFINITY
  #probedAtMs = Number.NEGATIVE_INFINITY

  /** @param nc connection for large data */
  constructor(of: BallastOf, jsm: JetStreamManager, nc: NatsConnection) {
    this.#of = of
    this.#jsm = jsm
    this.#js = jetstream(nc)
    this.#nc = nc
  }

  /**
   * The store refused something for lack of room. Never rejects; failures are retried at the next refusal.
   */
  async refused(): Promise<void> {
    if (this.#probing !== undefined) {
      this.#isProbeOver = true
      await this.#probing.catch(() => undefined)
      return
    }
    // What was in flight meanwhile is refused for the same reason.
    if (performance.now() - this.#releasedAtMs < refusalsAreOneMs) return
    this.#releasing ??= this.#release()
      .then(
        () => (this.#releasedAtMs = performance.now()),
        () => undefined,
      )
      .then(() => (this.#releasing = undefined))
    await this.#releasing
  }

  async #release(): Promise<void> {
    const { storage } = await this.#jsm.getAccountInfo()
    const info = await this.#info()
    if (info === undefined) return
    // Logged ahead of the purge, so that an operator who finds the ballast gone learns why.
    await this.#note(info, Math.min(fullAtOf(info) ?? Infinity, storage))
    await this.#keep(Math.floor(info.state.messages / 2))
  }

  /**
   * Brings the ballast to its share of what the account stores, and returns the room if the store has refused
   * something. Errors: those of JetStream.
   */
  async look(storage: number): Promise<StoreRoom | undefined> {
    this.#isRemoved = false
    const wanted = Math.floor((storage / this.#of.replicas) * ballastShare)
    const target = Math.floor(Math.min(wanted, ballastBytesMax) / ballastPieceBytes)
    const info = (await this.#info()) ?? (target === 0 ? undefined : await this.#make())
    if (info === undefined) return undefined
    const { messages, last_seq: behind } = info.state
    const fullAt = fullAtOf(info)
    if (fullAt === undefined) {
      if (messages < target) await this.#fill(behind, Math.min(target - messages, ballastPiecesPerLook))
      return undefined
    }
    const room = { freeBytes: Math.max(0, fullAt - storage), bytesMax: fullAt }
    const free = Math.floor(room.freeBytes / this.#of.replicas / ballastPieceBytes)
    if (messages < target && free >= 3 * target)
      await this.#fill(behind, Math.min(target - messages, ballastPiecesPerLook))
    else if (room.freeBytes < fullAt * probesBelowShare && this.#isProbeDue(room.freeBytes)) {
      this.#probing = this.#probe(info, free).finally(() => {
        this.#probing = undefined
        this.#isProbeOver = false
        this.#probedAtMs = performance.now()
      })
      if (await this.#probing) return undefined
    }
    return room
  }

  /**
   * Gives up the reserved room and the recorded limit, since the store now reports its room. Never rejects;
   * failures are retried at the next check.
   */
  async remove(): Promise<void> {
    if (this.#isRemoved) return
    const { stream } = ballastName(this.#of.log)
    this.#isRemoved = await this.#jsm.streams.delete(stream).then(() => true, isStreamMissing)
  }

  /** The more a probe writes, the rarer it is. */
  #isProbeDue(freeBytes: number): boolean {
    if (this.#probing !== undefined) return false
    const pauseMs = Math.max(ballastProbeMs, freeBytes / probeBytesPerMs)
    return performance.now() - Math.max(this.#probedAtMs, this.#releasedAtMs) >= pauseMs
  }

  /** Whether the store takes more than its known limit; if so, the limit is forgotten. */
  async #probe(info: StreamInfo, freePieces: number): Promise<boolean> {
    const { messages, last_seq: behind } = info.state
    let isLarger = false
    try {
      isLarger = await this.#fill(behind, freePieces + 1)
    } finally {
      await this.#keep(messages)
    }
    if (isLarger) await this.#note(info, undefined)
    return isLarger
  }

  async #info(): Promise<StreamInfo | undefined> {
    const { stream } = ballastName(this.#of.log)
    try {
      return await askLeader(this.#nc, `cannot ask for stream ${stream}`, () =>
        this.#jsm.streams.info(stream),
      )
    } catch (cause) {
      if (isStreamMissing(cause)) return undefined
      throw cause
    }
  }

  #make(): Promise<StreamInfo> {
    const { stream, subject } = ballastName(this.#of.log)
    return this.#jsm.streams.add({
      name: stream,
      subjects: [subject],
      storage: StorageType.File,
      discard: DiscardPolicy.New,
      num_replicas: this.#of.replicas,
      metadata: { kiroku: this.#of.incarnation },
    })
  }

  /**
   * Adds pieces after a sequence; false: the store refused some, or another node did this, or needs the room.
   */
  async #fill(behind: number, pieces: number): Promise<boolean> {
    const { subject } = ballastName(this.#of.log)
    const bytes = Math.min(ballastPieceBytes, (this.#nc.info?.max_payload ?? ballastPieceBytes) / 2)
    const piece = new Uint8Array(bytes)
    for (let n = 0; n < pieces; n++) {
      if (this.#isProbeOver) return false
      try {
        await this.#js.publish(subject, piece, { expect: { lastSequence: behind + n } })
      } catch (cause) {
        const { id } = toKirokuError(cause, 'cannot store ballast')
        if (id === 'StorageFull' || id === 'Fenced') return false
        throw cause
      }
    }
    return true
  }

  async #keep(pieces: number): Promise<void> {
    const { stream } = ballastName(this.#of.log)
    await this.#jsm.streams.purge(stream, pieces === 0 ? undefined : { keep: pieces })
  }

  async #note({ config }: StreamInfo, fullAt: number | undefined): Promise<void> {
    const { [fullAtKey]: _, ...rest } = config.metadata ?? {}
    const metadata = fullAt === undefined ? rest : { ...rest, [fullAtKey]: String(fullAt) }
    await this.#jsm.streams.update(config.name, { metadata })
  }
}

const fullAtOf = ({ config }: StreamInfo): number | undefined => {
  const text = config.metadata?.[fullAtKey]
  return text === undefined ? undefined : Number(text)
}
