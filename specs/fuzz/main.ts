/**
 * `npm run fuzz -- DOOR [--requests N] [--seed S] [--json]`: hostile requests to a door of a living engine. The last line says what
 * was found, as JSON with `--json`; findings and progress go to standard error. Exits with 1 if anything was found.
 */
import { parseArgs } from 'node:util'
import { fuzzApi } from './api/fuzzApi.ts'
import type { Fuzz } from './Fuzz.ts'

/** The doors; a gateway joins with its own. */
const doors: Readonly<Record<string, Fuzz>> = { api: fuzzApi }

const requestsDefault = 5_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    requests: { type: 'string', default: String(requestsDefault) },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
})
const [requests, seed] = [Number(values.requests), Number(values.seed)]
const fuzz = doors[positionals[0] ?? '']
if (fuzz === undefined || positionals.length !== 1 || !(requests >= 1) || !Number.isSafeInteger(seed)) {
  process.stderr.write(
    `usage: npm run fuzz -- ${Object.keys(doors).join('|')} [--requests N] [--seed S] [--json]\n`,
  )
  process.exit(2)
}
const result = await fuzz({ requests, seed, tell: (line) => process.stderr.write(`${line}\n`) })
process.stdout.write(
  values.json
    ? `${JSON.stringify(result)}\n`
    : `${result.requests} requests: ${result.serverErrors} errors of the server, ${result.hangs} hangs, ${result.lost} messages lost\n`,
)
process.exitCode = result.serverErrors + result.hangs + result.lost === 0 ? 0 : 1
