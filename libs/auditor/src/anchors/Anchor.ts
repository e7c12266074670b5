import { createHash, type KeyObject, sign, verify } from 'node:crypto'
import { canonical, KirokuError } from '@kiroku/protocol'

/** The head of a partition's chain at a record: it vouches for every record up to there. */
export interface Anchor {
  readonly kiroku: 'anchor'
  readonly version: number
  readonly log: string
  readonly incarnation: string
  readonly partition: number
  readonly seq: number
  /** Hash of that record, in hex digits. */
  readonly hash: string
  /** When it was made, by the maker's clock. */
  readonly madeAt: string
  /** Its place among the anchors of its file, from 1, and the SHA-256 of the line before, in hex digits; empty: the first. */
  readonly number: number
  readonly before: string
}

/** An anchor as it is written. */
export interface WrittenAnchor extends Anchor {
  /** Ed25519 signature of all the rest as canonical JSON, in base64; absent: it was made without a key. */
  readonly signature?: string
}

/** Version of the format. */
export const anchorVersion = 1

/** An anchor as a line. @param key an Ed25519 private key; undefined: it is not signed */
export const renderAnchor = (anchor: Anchor, key: KeyObject | undefined): string => {
  const signature =
    key === undefined ? {} : { signature: sign(null, signedBytes(anchor), key).toString('base64') }
  return JSON.stringify({ ...anchor, ...signature } satisfies WrittenAnchor)
}

/** What the next line says of this one. */
export const lineDigest = (line: string): string => createHash('sha256').update(line).digest('hex')

/**
 * Reads anchors, a line each, and checks that none is missing between them, that all are of one log, and with a key that all
 * were signed with it. Errors: `InvalidArgument`, `FutureVersion`.
 * @param key the Ed25519 public key; undefined: signatures are not looked at
 */
export const parseAnchors = (text: string, key?: KeyObject): WrittenAnchor[] => {
  const lines = text.split('\n')
  if (lines.pop() !== '') throw invalid(lines.length + 1, 'is cut off')
  if (lines.length === 0) throw new KirokuError('InvalidArgument', 'there are no anchors in the file')
  const anchors: WrittenAnchor[] = []
  for (const [i, line] of lines.entries()) {
    const anchor = parseLine(line, i + 1)
    const last = anchors.at(-1)
    if (last !== undefined && anchor.incarnation !== last.incarnation)
      throw invalid(i + 1, `is of log ${anchor.log} (${anchor.incarnation}), those before are of ${last.log}`)
    if (anchor.number !== i + 1 || anchor.before !== (i === 0 ? '' : lineDigest(lines[i - 1]!)))
      throw invalid(i + 1, 'does not follow the one before: one was changed, added or taken out')
    if (key !== undefined && !isSignedWith(anchor, key)) throw invalid(i + 1, 'is not signed with this key')
    anchors.push(anchor)
  }
  return anchors
}

const isSignedWith = ({ signature, ...anchor }: WrittenAnchor, key: KeyObject): boolean =>
  signature !== undefined && verify(null, signedBytes(anchor), key, Buffer.from(signature, 'base64'))

const parseLine = (line: string, number: number): WrittenAnchor => {
  let anchor: Partial<WrittenAnchor> | null
  try {
    anchor = JSON.parse(line) as Partial<WrittenAnchor> | null
  } catch {
    throw invalid(number, 'is not JSON')
  }
  if (anchor?.kiroku !== 'anchor' || typeof anchor.version !== 'number') throw invalid(number, 'is no anchor')
  if (anchor.version > anchorVersion)
    throw new KirokuError(
      'FutureVersion',
      `anchor ${number} has version ${anchor.version}; this code reads up to ${anchorVersion}`,
    )
  if (!isWhole(anchor)) throw invalid(number, 'is no anchor')
  return anchor as WrittenAnchor
}

const isWhole = ({
  log,
  incarnation,
  hash,
  madeAt,
  before,
  partition,
  seq,
}: Partial<WrittenAnchor>): boolean =>
  [log, incarnation, hash, madeAt, before].every((text) => typeof text === 'string') &&
  [partition, seq].every((count) => Number.isSafeInteger(count))

const signedBytes = (anchor: Anchor): Buffer => Buffer.from(JSON.stringify(canonical(anchor)))

const invalid = (number: number, what: string): KirokuError =>
  new KirokuError('InvalidArgument', `anchor ${number} of the file ${what}`)
