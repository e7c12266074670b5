import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { createMemoryLog, type MemoryLog } from '@kiroku/log'

/** A log as a version of the past left it. */
interface Corpus {
  readonly incarnation: string
  /** A message that went through everything. */
  readonly traced: string
  readonly partitions: readonly {
    readonly records: readonly { readonly seq: number; readonly data: string }[]
    readonly checkpoints: readonly { readonly seq: number; readonly data: string }[]
    readonly types: readonly string[]
  }[]
}

const folder = join(import.meta.dirname, 'corpora')

/** Names of the corpora, oldest first. */
export const corpusNames = (): string[] =>
  readdirSync(folder)
    .map((file) => file.replace('.json.br', ''))
    .sort()

/** Reads a corpus into a log in memory. */
export const readCorpus = async (name: string): Promise<{ corpus: Corpus; log: MemoryLog }> => {
  const text = brotliDecompressSync(readFileSync(join(folder, `${name}.json.br`))).toString()
  const corpus = JSON.parse(text) as Corpus
  const log = createMemoryLog({ partitions: corpus.partitions.length, incarnation: corpus.incarnation })
  for (const [n, { records, checkpoints }] of corpus.partitions.entries()) {
    for (const { seq, data } of records)
      if (log.faults.write(n, Buffer.from(data, 'base64')) !== seq) throw new Error(`${name} has a hole at ${seq}`)
    const handle = await log.partition(n)
    for (const { seq, data } of checkpoints) await handle.checkpoints.put(seq, Buffer.from(data, 'base64'))
  }
  return { corpus, log }
}
