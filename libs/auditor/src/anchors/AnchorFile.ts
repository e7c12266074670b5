import type { KeyObject } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs'
import { KirokuError } from '@kiroku/protocol'
import {
  type Anchor,
  anchorVersion,
  lineDigest,
  parseAnchors,
  renderAnchor,
  type WrittenAnchor,
} from './Anchor.ts'

/** A log whose anchors are written. */
export interface AnchoredLog {
  readonly name: string
  readonly incarnation: string
}

/** A file of anchors, to which lines are added. Has one writer at a time. */
export class AnchorFile {
  readonly #path: string
  readonly #key: KeyObject | undefined
  readonly #log: AnchoredLog
  /** Last record that is anchored, by partition. */
  readonly #reached = new Map<number, number>()
  #number = 0
  #before = ''

  /**
   * Opens a file, or begins one. Errors: `InvalidArgument`, `FutureVersion` (what is there are no anchors of this log), and
   * those of the file system.
   * @param key an Ed25519 private key to sign with; undefined: anchors are not signed
   */
  constructor(path: string, log: AnchoredLog, key: KeyObject | undefined) {
    this.#path = path
    this.#key = key
    this.#log = log
    const found = existsSync(path) ? readFileSync(path, 'utf8') : ''
    const text = found.slice(0, found.lastIndexOf('\n') + 1)
    // What a crash or a full disk left of a line was never an anchor.
    if (text !== found) truncateSync(path, Buffer.byteLength(text))
    if (text === '') return
    for (const anchor of anchorsOf(log, text)) {
      this.#reached.set(anchor.partition, anchor.seq)
      this.#number = anchor.number
    }
    this.#before = lineDigest(text.trimEnd().split('\n').at(-1)!)
  }

  /** Last record of a partition that is anchored; 0: none. */
  reached(partition: number): number {
    return this.#reached.get(partition) ?? 0
  }

  /** Adds the head of a partition's chain. Errors: those of the file system. */
  add(partition: number, seq: number, hash: string, nowMs: number): void {
    const anchor: Anchor = {
      kiroku: 'anchor',
      version: anchorVersion,
      log: this.#log.name,
      incarnation: this.#log.incarnation,
      partition,
      seq,
      hash,
      madeAt: new Date(nowMs).toISOString(),
      number: this.#number + 1,
      before: this.#before,
    }
    const line = renderAnchor(anchor, this.#key)
    appendFileSync(this.#path, `${line}\n`, { mode: 0o600, flush: true })
    this.#number++
    this.#before = lineDigest(line)
    this.#reached.set(partition, seq)
  }
}

/** Reads anchors of a log. Errors: `InvalidArgument`, `FutureVersion`. @param key as for `parseAnchors` */
export const anchorsOf = (log: AnchoredLog, text: string, key?: KeyObject): WrittenAnchor[] => {
  const anchors = parseAnchors(text, key)
  const [{ log: name, incarnation }] = anchors as [Anchor]
  if (incarnation === log.incarnation) return anchors
  throw new KirokuError(
    'InvalidArgument',
    `the anchors are of log ${name} (${incarnation}), not of ${log.name} (${log.incarnation})`,
  )
}
