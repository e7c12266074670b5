/**
 * `npm run fuzz -- api [--requests N]` sends hostile requests to the HTTP API of a living engine, `npm run fuzz -- sqs
 * [--requests N]` to the door for Amazon SQS, and `npm run fuzz -- codecs [--inputs N]` gives hostile inputs to everything that reads what came from outside, N to each; both take `[--seed S] [--json]`.
 * The last line says what was found, as JSON with `--json`; findings and progress go to standard error. Exits with 1 if anything
 * was found.
 */
import { parseArgs } from 'node:util'
import { fuzzApi } from './api/fuzzApi.ts'
import { fuzzCodecs } from './codecs/fuzzCodecs.ts'
import type { Fuzz } from './Fuzz.ts'
import { fuzzSqs } from './sqs/fuzzSqs.ts'

/** How a subject is tried: what was found, as data and in words, and how much of it is wrong. */
type Try = (options: {
  readonly many: number
  readonly seed: number
  readonly tell: (line: string) => void
}) => Promise<{ readonly result: object; readonly words: string; readonly wrong: number }>

interface Subject {
  /** The flag that says how much is tried. */
  readonly flag: 'requests' | 'inputs'
  readonly manyDefault: number
  readonly try: Try
}

const doorUnderFire = (fuzz: Fuzz): Subject => ({
  flag: 'requests',
  manyDefault: 5_000,
  try: async ({ many, ...how }) => {
    const result = await fuzz({ requests: many, ...how })
    const { requests, serverErrors, hangs, lost } = result
    const words = `${requests} requests: ${serverErrors} errors of the server, ${hangs} hangs, ${lost} messages lost`
    return { result, words, wrong: serverErrors + hangs + lost }
  },
})

/** The subjects; a gateway joins with its own. */
const subjects: Readonly<Record<string, Subject>> = {
  api: doorUnderFire(fuzzApi),
  sqs: doorUnderFire(fuzzSqs),
  codecs: {
    flag: 'inputs',
    manyDefault: 5_000,
    try: async ({ many, ...how }) => {
      const result = await fuzzCodecs({ inputs: many, ...how })
      const { codecs, inputs, foreignErrors, hangs } = result
      const words = `${inputs} inputs to ${codecs} codecs: ${foreignErrors} errors that are not Kiroku's, ${hangs} hangs`
      return { result, words, wrong: foreignErrors + hangs }
    },
  },
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    requests: { type: 'string' },
    inputs: { type: 'string' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
})
const subject = subjects[positionals[0] ?? '']
const many = Number(values[subject?.flag ?? 'requests'] ?? subject?.manyDefault)
const seed = Number(values.seed)
if (subject === undefined || positionals.length !== 1 || !(many >= 1) || !Number.isSafeInteger(seed)) {
  const forms = Object.entries(subjects).map(([name, { flag }]) => `${name} [--${flag} N]`)
  process.stderr.write(`usage: npm run fuzz -- ${forms.join(' | ')} [--seed S] [--json]\n`)
  process.exit(2)
}
const { result, words, wrong } = await subject.try({
  many,
  seed,
  tell: (line) => process.stderr.write(`${line}\n`),
})
process.stdout.write(values.json ? `${JSON.stringify(result)}\n` : `${words}\n`)
process.exitCode = wrong === 0 ? 0 : 1
