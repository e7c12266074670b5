import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { encodeRecording, exportTrace, proofOf, recordingOf, renderProof, trace, verify } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import { isKirokuError } from '@kiroku/protocol'
import { startMemoryEngine } from '@kiroku/testkit/engine'
import { corpusNames, readCorpus } from '../../golden/readCorpus.ts'
import { Chance } from '../Chance.ts'
import { byteCodecs } from './byteCodecs.ts'
import type { Codec } from './Codec.ts'
import { commandCodec } from './commandCodec.ts'
import { Mutator } from './Mutator.ts'
import { textCodecs } from './textCodecs.ts'

/** What a run found. All but the first two should be 0. */
export interface CodecResult {
  /** Codecs that were tried, and inputs of all of them. */
  readonly codecs: number
  readonly inputs: number
  /** Errors that are none of Kiroku. */
  readonly foreignErrors: number
  /** Inputs that took longer than any may. */
  readonly hangs: number
}

/** How long an input may take, in ms: a pause of the machine is no hang. */
const patienceMs = 2_000

/** A queue of the corpora that has messages in every state. */
const recorded = 'mail'

/** Findings of a codec that are told. */
const toldMax = 5

/**
 * Hostile inputs to everything that reads what came from outside, made of valid ones. Each may be refused, by an error of
 * Kiroku and at once.
 * @param options.inputs per codec
 */
export const fuzzCodecs = async (options: {
  readonly inputs: number
  readonly seed: number
  /** Told what was found, in words, and how far the run is. */
  readonly tell: (line: string) => void
}): Promise<CodecResult> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'kiroku-fuzz-'))
  const engine = await startMemoryEngine({ partitions: 1 })
  try {
    const codecs = [...(await codecsOf(folder)), commandCodec(engine)]
    const result = { codecs: codecs.length, inputs: 0, foreignErrors: 0, hangs: 0 }
    for (const codec of codecs) {
      const { foreignErrors, hangs } = await tryOut(codec, options)
      result.inputs += options.inputs
      result.foreignErrors += foreignErrors
      result.hangs += hangs
    }
    return result
  } finally {
    await engine.close()
    rmSync(folder, { recursive: true })
  }
}

/** All codecs, with samples out of the logs that past versions left. */
const codecsOf = async (folder: string): Promise<readonly Codec[]> => {
  const corpora = await Promise.all(corpusNames().map(readCorpus))
  const partitions = corpora.flatMap(({ corpus }) => corpus.partitions)
  const bytesOf = (stored: readonly { readonly data: string }[]) =>
    stored.map(({ data }) => Buffer.from(data, 'base64'))
  const { corpus, log } = corpora.at(-1)!
  const recording = await recordingOf(
    log,
    recorded,
    { seq: 10 },
    { decodeCheckpoint, withState: true, now: Infinity },
  )
  const proof = renderProof(proofOf(log, await verify(log, { decodeCheckpoint }), Date.UTC(2026, 0, 1)))
  const told = exportTrace(await trace(log, corpus.traced, { decodeCheckpoint }))
  return [
    ...textCodecs(folder, { proof, trace: told }),
    ...byteCodecs({
      records: partitions.flatMap(({ records }) => bytesOf(records.slice(0, 40))),
      checkpoints: bytesOf(corpus.partitions.flatMap(({ checkpoints }) => checkpoints)),
      recordings: [encodeRecording(recording)],
    }),
  ]
}

const tryOut = async (
  codec: Codec,
  { inputs, seed, tell }: Parameters<typeof fuzzCodecs>[0],
): Promise<Pick<CodecResult, 'foreignErrors' | 'hangs'>> => {
  const chance = new Chance(seed)
  const mutator = new Mutator(chance)
  const told = new Set<string>()
  let [foreignErrors, hangs] = [0, 0]
  const find = (kind: string, input: string | Buffer): void => {
    if (told.has(kind) || told.size >= toldMax) return
    told.add(kind)
    tell(
      `${codec.name}: ${kind}: ${typeof input === 'string' ? JSON.stringify(input) : input.toString('base64')}`,
    )
  }
  for (let n = 0; n < inputs; n++) {
    const [input, read] = next(codec, mutator, chance)
    const beganMs = performance.now()
    try {
      const reading = read()
      if (reading instanceof Promise) await reading
    } catch (error) {
      if (!isKirokuError(error)) {
        foreignErrors++
        find(String(error).slice(0, 200), input)
      }
    }
    if (performance.now() - beganMs > patienceMs) {
      hangs++
      find('a hang', input)
    }
  }
  return { foreignErrors, hangs }
}

const next = (
  codec: Codec,
  mutator: Mutator,
  chance: Chance,
): readonly [input: string | Buffer, read: () => unknown] => {
  if (codec.kind === 'text') {
    const text = mutator.text(codec)
    return [text, () => codec.read(text)]
  }
  const bytes = mutator.bytes(codec.samples)
  if (chance.is(0.7)) codec.reseal?.(bytes)
  return [bytes, () => codec.read(bytes)]
}
