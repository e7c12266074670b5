/**
 * `npm run chaos -- [--rounds N] [--quick] [--cluster] [--sqs] [--only TEXT] [--seed S] [--json]`: kills nodes and nats-server under load, and
 * looks for whatever was lost, doubled or resurrected. With `--cluster` everything that may happen to three nodes of two
 * versions on three nats-servers does, which needs root; with `--only`, what has
 * the text in its name. With `--sqs` the load comes from the AWS SDK, and the door in a process of its own is killed too. Progress goes
 * to standard error.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runChaos, type ChaosResult } from './runChaos.ts'
import { runSqsChaos, type SqsChaosResult } from './sqs/runSqsChaos.ts'

const roundsDefault = 200
const roundsQuick = 8
/** Pauses of more than this many times what Kiroku aims at are named; machines are not always idle. */
const pausesMax = 3

const inSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`

const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    seed: { type: 'string' },
    quick: { type: 'boolean', default: false },
    cluster: { type: 'boolean', default: false },
    sqs: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
})

const wholeNumber = (text: string | undefined, otherwise: number): number => {
  const value = text === undefined ? otherwise : Number(text)
  if (!Number.isSafeInteger(value) || value < 1) {
    console.error(`"${text}" is not a whole number above 0`)
    process.exit(2)
  }
  return value
}

const rounds = wholeNumber(values.rounds, values.quick ? roundsQuick : roundsDefault)
const seed = wholeNumber(values.seed, 1 + Math.floor(Math.random() * 2 ** 31))
const folder = mkdtempSync(join(tmpdir(), 'kiroku-chaos-'))
const startedMs = performance.now()
const progress = (line: string): void =>
  console.error(`${((performance.now() - startedMs) / 1_000).toFixed(1)} s  ${line}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    rmSync(folder, { recursive: true, force: true })
    process.exit(130)
  })

const report = (result: ChaosResult): boolean => {
  const { violations, failures, ...figures } = result
  // The faults of a cluster are not only kills, nor all under full load.
  const enough = values.cluster || result.killsInFlight * 2 >= result.kills
  for (const { kind, text } of violations) console.error(`${kind}: ${text}`)
  for (const failure of failures) console.error(failure)
  if (!enough) console.error('fewer than half of the kills came with appends in flight')
  const seconds = Math.round((performance.now() - startedMs) / 100) / 10
  for (const { fault, rounds, longestPauseMs, longestOtherPauseMs, pauseMs } of result.faults)
    console.log(
      `${fault}: ${rounds} rounds, longest pause ${inSeconds(longestPauseMs)}` +
        (longestPauseMs > pausesMax * pauseMs ? `, more than ${pausesMax} times ${inSeconds(pauseMs)}` : '') +
        (longestOtherPauseMs > 0
          ? `; upon the fault before, or with the previous release: ${inSeconds(longestOtherPauseMs)}`
          : ''),
    )
  console.log(
    `${result.rounds} rounds, ${result.kills} kills (${result.killsInFlight} with appends in flight), ${result.acknowledged} sends acknowledged, ` +
      `${result.deadLettered} dead-lettered, ${result.edited} edited, ${result.redriven} redriven, ${result.erased} erased, ` +
      `${result.deduplicated} deduplicated: ${result.lost} lost, ${result.doubled} doubled, ` +
      `${result.resurrected} resurrected; verify ${result.verified ? 'passed' : 'failed'}; ${seconds} s`,
  )
  if (values.json) console.log(JSON.stringify({ ...figures, seed, seconds }))
  return enough && violations.length === 0 && failures.length === 0
}

const reportSqs = (result: SqsChaosResult): boolean => {
  const { rounds, acknowledged, lost, violations, verified } = result
  for (const text of violations) console.error(text)
  console.log(
    `${rounds} rounds, ${acknowledged} sends acknowledged: ${lost.length} lost, ${violations.length} out of order or resurrected; ` +
      `verify ${verified ? 'passed' : 'failed'}`,
  )
  if (values.json) console.log(JSON.stringify({ ...result, seed }))
  return verified && lost.length === 0 && violations.length === 0
}

progress(`seed ${seed}, ${rounds} rounds, data in ${folder}`)
let passed = false
try {
  passed = values.sqs
    ? reportSqs(await runSqsChaos({ rounds, seed, folder, progress }))
    : report(await runChaos({ rounds, seed, cluster: values.cluster, only: values.only, folder, progress }))
} catch (error) {
  console.error(error)
}
if (passed) rmSync(folder, { recursive: true, force: true })
else {
  console.error(`failed with --seed ${seed} --rounds ${rounds}; the data is kept in ${folder}`)
  process.exitCode = 1
}
