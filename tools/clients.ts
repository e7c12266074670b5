/**
 * `npm run clients -- sqs [--json]`: tries a door with the official clients of its system that are installed, by the specs that
 * the suite runs as well. With `--json` the last line says for each how many of its tests passed and failed.
 * `.ci/install-clients` brings the clients; one that is missing is skipped, and said so.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { sqsClients, type SqsClient } from '../specs/sqs/sqsClients.ts'
import { readVitestReport, type VitestReport } from './VitestReport.ts'

const root = path.resolve(import.meta.dirname, '..')
const words = process.argv.slice(2).filter((word) => !word.startsWith('-'))

/** What became of one client. */
interface Tried {
  readonly name: string
  readonly version: string
  readonly protocol: string
  readonly passed: number
  readonly failed: number
}

const tried = (client: SqsClient, version: string, { tests }: VitestReport): Tried => {
  const { name, protocol, files, title } = client
  const own = tests.filter(
    ({ file, fullName }) =>
      files.includes(path.basename(file)) && (title === undefined || fullName.includes(title)),
  )
  const passed = own.filter(({ status }) => status === 'passed').length
  // One whose tests did not run at all was not tried.
  const failed = own.length === 0 ? 1 : own.filter(({ status }) => status === 'failed').length
  return { name, version, protocol, passed, failed }
}

const run = async (files: readonly string[], report: string): Promise<void> => {
  const args = ['vitest', 'run', '--project', 'doors', '--reporter=json', `--outputFile.json=${report}`]
  const child = spawn('npx', [...args, ...files.map((file) => `specs/sqs/${file}`)], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await once(child, 'exit')
}

const main = async (): Promise<number> => {
  if (words.length !== 1 || words[0] !== 'sqs') {
    console.error('usage: npm run clients -- sqs [--json]')
    return 2
  }
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kiroku-clients-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const found = sqsClients.flatMap((client) => {
    const version = client.version()
    if (version !== undefined) return [{ client, version }]
    console.error(
      `SKIPPED: ${client.name} (${client.protocol}) is not installed; .ci/install-clients installs it.`,
    )
    return []
  })
  const report = path.join(folder, 'report.json')
  await run([...new Set(found.flatMap(({ client }) => client.files))], report)
  const read = readVitestReport(report)
  for (const { test, message } of read.failures) console.error(`${test}: ${message}`)
  const clients = found.map(({ client, version }) => tried(client, version, read))
  for (const { name, version, protocol, passed, failed } of clients)
    console.log(`${name} ${version} (${protocol}): ${passed} passed, ${failed} failed`)
  if (process.argv.includes('--json')) console.log(JSON.stringify({ clients }))
  return read.failed > 0 || clients.some(({ failed }) => failed > 0) ? 1 : 0
}

process.exitCode = await main()
