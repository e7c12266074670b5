import { createHash, hash } from 'node:crypto'
import { setImmediate as nextTick } from 'node:timers/promises'
import {
  isOwnSnapshot,
  oldestBodySeq,
  readOlderSnapshot,
  snapshotVersion,
  stateHash,
  type Snapshot,
} from '@kiroku/partition'
import { KirokuError } from '@kiroku/protocol'
import { Packr } from 'msgpackr'
import { firstsApart, firstsTogether } from './letterFirsts.ts'

/** A checkpoint as it is stored: a state, and the record of the log that it stands on. */
export interface Checkpoint {
  readonly seq: number
  /** Hash of the record at `seq`. */
  readonly hash: Uint8Array
  readonly stateHash: string
  readonly snapshot: Snapshot
  /** Frames that name bodies in records ahead of them, and the first such record of each, by turns. */
  readonly largeBodies?: readonly number[]
}

/** A checkpoint with its digest, ready to be stored. */
export interface EncodedCheckpoint {
  readonly bytes: Uint8Array
  readonly digest: string
  readonly stateHash: string
}

const magic = Buffer.from('KCP1')
const digestBytes = 32
const packr = new Packr({ moreTypes: true, useRecords: false })

/** Encodes a checkpoint; runs on a thread of its own where states are large. */
export const encodeCheckpoint = (
  snapshot: Snapshot,
  seq: number,
  recordHash: Uint8Array,
  largeBodies: readonly number[],
): EncodedCheckpoint => {
  const state = stateHash(snapshot)
  const content: Checkpoint = {
    seq,
    hash: recordHash,
    stateHash: state,
    snapshot: firstsApart(snapshot),
    largeBodies,
  }
  const payload = packr.pack(content)
  const digest = hash('sha256', payload, 'buffer')
  return { bytes: Buffer.concat([magic, digest, payload]), digest: digest.toString('hex'), stateHash: state }
}

/**
 * Reads a checkpoint back; undefined: its format is no longer read, and the log must be. Errors: `LogDamaged` when it is
 * not what was stored, `FutureVersion`.
 */
export const decodeCheckpoint = (
  bytes: Uint8Array,
): (Checkpoint & { readonly digest: string }) | undefined => {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!buffer.subarray(0, 3).equals(magic.subarray(0, 3)))
    throw new KirokuError('LogDamaged', 'this is not a checkpoint')
  if (buffer[3] !== magic[3]) throw new KirokuError('FutureVersion', 'the checkpoint is of another version')
  const payload = buffer.subarray(magic.length + digestBytes)
  const digest = hash('sha256', payload, 'buffer')
  if (!digest.equals(buffer.subarray(magic.length, magic.length + digestBytes)))
    throw new KirokuError('LogDamaged', 'the checkpoint does not match its digest')
  const stored = unpack(payload)
  const { version } = stored.snapshot as { readonly version: number }
  if (version > snapshotVersion)
    throw new KirokuError(
      'FutureVersion',
      `a checkpoint has version ${version}; this code reads ${snapshotVersion}`,
    )
  if (isOwnSnapshot(version))
    return { ...stored, snapshot: firstsTogether(stored.snapshot), digest: digest.toString('hex') }
  // What an older version wrote holds where both mean the same by it, which the hash of the state tells.
  const snapshot = readOlderSnapshot(stored.snapshot)
  return snapshot !== undefined && stateHash(snapshot, stored.stateHash) === stored.stateHash
    ? { ...stored, snapshot, digest: digest.toString('hex') }
    : undefined
}

/** Whoever can write to the store can write a right digest over anything. */
const unpack = (payload: Buffer): Checkpoint => {
  let stored: Partial<Checkpoint> | null
  try {
    stored = packr.unpack(payload) as Partial<Checkpoint> | null
  } catch (cause) {
    throw new KirokuError('LogDamaged', 'a checkpoint cannot be read', { cause })
  }
  const { version } = (stored?.snapshot ?? {}) as { readonly version?: unknown }
  if (typeof version === 'number') return stored as Checkpoint
  throw new KirokuError('LogDamaged', 'a checkpoint holds no state')
}

/** A checkpoint as it was read, and the oldest frame with a body that its state needs. */
export interface ReadCheckpoint extends Checkpoint {
  readonly digest: string
  readonly oldestBody: number
}

/** Reads a checkpoint back, and finds the oldest body in its state. Undefined and errors: as `decodeCheckpoint`. */
export const readCheckpoint = (bytes: Uint8Array): ReadCheckpoint | undefined => {
  const checkpoint = decodeCheckpoint(bytes)
  return checkpoint === undefined
    ? undefined
    : { ...checkpoint, oldestBody: oldestBodySeq(checkpoint.snapshot) }
}

const digestPieceBytes = 4 * 1024 * 1024

/** The digest of stored checkpoint bytes, recomputed, in hex; in pieces, so that a large one does not hold the thread. */
export const digestOf = async (bytes: Uint8Array): Promise<string> => {
  const digest = createHash('sha256')
  for (let at = magic.length + digestBytes; at < bytes.length; at += digestPieceBytes) {
    if (at > digestPieceBytes) await nextTick()
    digest.update(bytes.subarray(at, at + digestPieceBytes))
  }
  return digest.digest('hex')
}
