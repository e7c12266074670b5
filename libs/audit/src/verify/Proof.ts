import { frameVersion, hexOf, sha256, type Log } from '@kiroku/log'
import { canonical, KirokuError } from '@kiroku/protocol'
import type { Totals, VerifyReport } from './VerifyReport.ts'

/** One partition in a proof. */
export interface PartitionProof {
  readonly partition: number
  /** First and last record that were verified. */
  readonly firstSeq: number
  readonly seq: number
  /** Hash of Kiroku's last record up to there, in hex digits: the head of the chain. */
  readonly head: string
  readonly frames: number
  readonly events: number
  readonly transitions: number
}

/**
 * The result of a verification, to be kept elsewhere: since each record names the hash of the one before, the
 * heads vouch for every record up to them.
 */
export interface Proof {
  readonly kiroku: 'proof'
  readonly version: number
  readonly log: string
  readonly incarnation: string
  /** Version of the frame format that was read. */
  readonly frameVersion: number
  /** When it was made, by the maker's clock. */
  readonly madeAt: string
  readonly partitions: readonly PartitionProof[]
  readonly totals: Totals
  /** SHA-256 of all this as canonical JSON, in hex digits: it shows a damaged file, not a forged one. */
  readonly digest: string
}

const version = 1

/** The proof of a verification that found nothing wrong. `nowMs`: the time now. Errors: `LogDamaged`. */
export const proofOf = (log: Log, report: VerifyReport, nowMs: number): Proof => {
  if (!report.ok) throw new KirokuError('LogDamaged', 'a damaged record cannot be proved')
  const { name, incarnation } = log.meta
  const content = {
    kiroku: 'proof' as const,
    version,
    log: name,
    incarnation,
    frameVersion,
    madeAt: new Date(nowMs).toISOString(),
    partitions: report.partitions.map(
      ({ partition, firstSeq, lastSeq, head, frames, events, transitions }): PartitionProof => ({
        partition,
        firstSeq,
        seq: lastSeq,
        head,
        frames,
        events,
        transitions,
      }),
    ),
    totals: report.totals,
  }
  return { ...content, digest: digestOf(content) }
}

/** A proof as text for a file. */
export const renderProof = (proof: Proof): string => `${JSON.stringify(proof, undefined, 2)}\n`

/** Reads what `renderProof` wrote. Errors: `MalformedJson`, `InvalidArgument`, `FutureVersion`. */
export const parseProof = (text: string): Proof => {
  let proof: Partial<Proof> | null
  try {
    proof = JSON.parse(text) as Partial<Proof> | null
  } catch (cause) {
    throw new KirokuError('MalformedJson', 'the proof is not JSON', { cause })
  }
  if (proof?.kiroku !== 'proof' || typeof proof.version !== 'number')
    throw new KirokuError('InvalidArgument', 'this is not a proof of `kiroku verify --export`')
  if (proof.version > version)
    throw new KirokuError(
      'FutureVersion',
      `the proof has version ${proof.version}; this code reads up to ${version}`,
    )
  const { digest, ...content } = proof
  if (digest !== digestOf(content))
    throw new KirokuError(
      'InvalidArgument',
      'the proof does not match its own digest: it was changed after it was written',
    )
  const { log, incarnation, partitions } = proof as { [K in keyof Proof]?: unknown }
  const isWhole = [log, incarnation].every((text) => typeof text === 'string') && Array.isArray(partitions)
  if (!isWhole) throw new KirokuError('InvalidArgument', 'the proof does not say what it is a proof of')
  return proof as Proof
}

/** Errors: `InvalidArgument` when it is of another log. */
export const checkProof = (log: Log, proof: Proof): void => {
  const { name, incarnation, partitions } = log.meta
  if (proof.incarnation !== incarnation || proof.partitions.some(({ partition }) => partition >= partitions))
    throw new KirokuError(
      'InvalidArgument',
      `the proof is of log ${proof.log} (${proof.incarnation}), not of ${name} (${incarnation})`,
    )
}

const digestOf = (content: object): string =>
  hexOf(sha256(new TextEncoder().encode(JSON.stringify(canonical(content)))))
