import { temporaryFolder } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { runSqsChaos } from './runSqsChaos.ts'

it('[SQS-13] kill -9 of the engine, of nats-server and of the door under load of the AWS SDK loses no acknowledged send, keeps the order of groups and brings nothing back', async () => {
  await using folder = await temporaryFolder()
  const result = await runSqsChaos({ rounds: 3, seed: 1, folder: folder.path, progress: () => {} })
  expect(result).toMatchObject({ rounds: 3, lost: [], violations: [], verified: true })
  expect(result.acknowledged).toBeGreaterThanOrEqual(300)
}, 240_000)
