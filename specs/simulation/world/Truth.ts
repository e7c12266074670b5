import { decodeRecord, zeroHash, type DecodedFrame, type LogRecord } from '@kiroku/log'
import { decodeEnvelope } from '@kiroku/protocol'
import type { Loop } from '../core/Loop.ts'
import { Ledger } from './Ledger.ts'
import { type OnMove } from './Move.ts'
import type { Stored, StoredBody } from './Stored.ts'

/** Who hears what became part of the log. */
export interface TruthListener {
  /** Before it is noted. */
  storing(frame: Stored): void
  moving: OnMove
  /** After it was noted. */
  stored(frame: Stored): void
  /** Frames that were given up: as if they had never been. */
  givenUp(partition: number, from: number, upTo: number): void
}

/** Who sent a record off, and when. */
interface Sending {
  readonly node: string
  readonly atMs: number
}

/**
 * What is really in the log, from the moment it is stored and before any node knows; also what was trimmed since.
 */
export class Truth {
  readonly ledgers: Ledger[]
  /** Frames by partition, in their order. */
  readonly frames: Stored[][]
  readonly #loop: Loop
  readonly #trimmedTo: (partition: number) => number
  readonly #listener: TruthListener
  readonly #open: (stored: Uint8Array) => Uint8Array
  /** What stored bodies say; their keys may be gone since. */
  readonly #said = new WeakMap<DecodedFrame, Map<number, StoredBody[]>>()
  readonly #sendings = new WeakMap<Uint8Array, Sending>()
  /** Large bodies by partition and sequence. */
  readonly #bodies = new Map<string, string>()
  /** Records of the chain by partition: their sequences and hashes. */
  readonly #chains: { readonly seq: number; readonly hash: Uint8Array }[][]
  /** Epoch of the last repair, by partition: what an owner before it still says rests on what may be given up. */
  readonly repairedEpochs: number[]

  /**
   * @param trimmedTo last record of a partition that is not stored any more
   * @param open a stored message as its sender made it
   */
  constructor(
    partitions: number,
    loop: Loop,
    listener: TruthListener,
    trimmedTo: (partition: number) => number,
    open: (stored: Uint8Array) => Uint8Array,
  ) {
    this.#open = open
    this.#trimmedTo = trimmedTo
    this.#loop = loop
    this.#listener = listener
    this.ledgers = Array.from({ length: partitions }, (_, p) => new Ledger(p, () => trimmedTo(p)))
    this.frames = Array.from({ length: partitions }, () => [])
    this.#chains = Array.from({ length: partitions }, () => [])
    this.repairedEpochs = new Array<number>(partitions).fill(0)
  }

  /** Notes that a node sends records off now; what it sends again is as old as it was. */
  sending(records: readonly Uint8Array[], node: string): void {
    for (const record of records)
      if (!this.isSent(record)) this.#sendings.set(record, { node, atMs: this.#loop.nowMs })
  }

  /** Whether a record was sent off before. */
  isSent(record: Uint8Array): boolean {
    return this.#sendings.has(record)
  }

  /** Takes what the store says it holds now. */
  stored(partition: number, record: LogRecord): void {
    if (record.foreign) return
    const decoded = decodeRecord(record.data)
    const repaired = decoded.kind === 'frame' ? decoded.events.find((e) => e.type === 'Repaired') : undefined
    // What follows a record that was never stored is not part of the log, though it is stored.
    const chain = this.#chains[partition]!
    const follows = Buffer.compare(decoded.prevHash, chain.at(-1)?.hash ?? zeroHash) === 0
    if (repaired === undefined && !follows) return
    if (repaired?.hash === '') this.lose(partition, repaired.from, repaired.upTo)
    chain.push({ seq: record.seq, hash: decoded.hash })
    if (decoded.kind === 'body') {
      this.#bodies.set(`${partition} ${record.seq}`, labelOf(this.#open(decoded.body)))
      return
    }
    const sending = this.#sendings.get(record.data)
    const frame: Stored = {
      partition,
      seq: record.seq,
      record: decoded,
      node: sending?.node ?? 'nobody',
      sentMs: sending?.atMs ?? this.#loop.nowMs,
      storedMs: this.#loop.nowMs,
    }
    this.frames[partition]!.push(frame)
    this.#listener.storing(frame)
    this.ledgers[partition]!.take(frame, this.#labels(frame), (move) => this.#listener.moving(move))
    this.#listener.stored(frame)
  }

  /** Sequences of the records that belong to the log: foreign ones and what rests on nothing do not. */
  sequences(partition: number): number[] {
    return this.#chains[partition]!.map(({ seq }) => seq)
  }

  /** The last of them; undefined: there is none. */
  lastSeq(partition: number): number | undefined {
    return this.#chains[partition]!.at(-1)?.seq
  }

  /** Forgets frames: the log lost them, or a repair gave them up. */
  lose(partition: number, from: number, upTo = Number.POSITIVE_INFINITY): void {
    const chain = this.#chains[partition]!
    while (chain.length > 0 && chain.at(-1)!.seq >= from) chain.pop()
    const all = this.frames[partition]!
    const kept = all.filter(({ seq }) => seq < from || seq > upTo)
    if (kept.length === all.length) return
    this.repairedEpochs[partition] = this.ledgers[partition]!.epoch
    this.frames[partition] = kept
    const ledger = new Ledger(partition, () => this.#trimmedTo(partition))
    this.ledgers[partition] = ledger
    for (const frame of kept) ledger.take(frame, this.#labels(frame), () => {})
    this.#listener.givenUp(partition, from, upTo)
  }

  /** A copy, since the recorder removes them. */
  #labels(frame: Stored): Map<number, StoredBody[]> {
    let labels = this.#said.get(frame.record)
    if (labels === undefined) this.#said.set(frame.record, (labels = this.#read(frame)))
    return new Map([...labels].map(([queue, bodies]) => [queue, [...bodies]]))
  }

  #read({ partition, seq, record }: Stored): Map<number, StoredBody[]> {
    const labels = new Map<number, StoredBody[]>()
    if (record.events.every((e) => !bringsBodies.has(e.type))) return labels
    for (const { queue, bodies } of record.sections)
      labels.set(
        queue,
        bodies.map((b) =>
          b instanceof Uint8Array
            ? { label: labelOf(this.#open(b)), seq }
            : { label: this.#bodies.get(`${partition} ${b.seq}`) ?? '', seq: b.seq },
        ),
      )
    return labels
  }
}

const bringsBodies: ReadonlySet<string> = new Set([
  'Enqueued',
  'ForwardReceived',
  'BodiesCarried',
  'LettersCarried',
  'BodyEdited',
])
const labelBytesMax = 60
const decoder = new TextDecoder()

/** What a body says, without what fills it up. */
export const labelOf = (envelope: Uint8Array): string =>
  decoder.decode(decodeEnvelope(envelope).body.subarray(0, labelBytesMax)).trim()
