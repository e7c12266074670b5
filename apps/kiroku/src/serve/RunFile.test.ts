import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder, waitUntil } from '@kiroku/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { keepRunFile, readRunFile, type RunFile } from './RunFile.ts'

const ours: RunFile = {
  natsUrl: 'nats://127.0.0.1:4222',
  apiUrl: 'http://127.0.0.1:8480',
  pid: process.pid,
  log: 'main',
}

it('is written again whatever becomes of it while its engine runs', async () => {
  const folder = await temporaryFolder()
  onTestFinished(() => folder.remove())
  const file = join(folder.path, 'run.json')
  const letGo = keepRunFile(folder.path, ours)
  onTestFinished(letGo)
  const whole = readFileSync(file, 'utf8')
  const isWhole = () => waitUntil(() => readFileSync(file, 'utf8') === whole)
  for (const damaged of ['null', whole.replace('4222', '4322')]) {
    writeFileSync(file, damaged)
    await isWhole()
  }
  rmSync(file)
  await waitUntil(() => readRunFile(folder.path) !== undefined)
  await isWhole()

  rmSync(file)
  mkdirSync(join(file, 'x'), { recursive: true })
  expect(readRunFile(folder.path)).toBeUndefined()
  letGo()
  // What it cannot replace, it leaves.
  keepRunFile(folder.path, ours)()
  expect(readRunFile(folder.path)).toBeUndefined()
})
