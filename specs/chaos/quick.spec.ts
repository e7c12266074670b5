import { temporaryFolder } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { runChaos } from './runChaos.ts'

it('[CARD-07] kill -9 of nodes and of nats-server under load loses, doubles and resurrects nothing', async () => {
  await using folder = await temporaryFolder()
  const result = await runChaos({
    rounds: 5,
    seed: 1,
    cluster: false,
    folder: folder.path,
    progress: () => {},
  })
  expect(result.violations).toEqual([])
  expect(result.failures).toEqual([])
  expect(result).toMatchObject({ kills: 5, lost: 0, doubled: 0, resurrected: 0, verified: true })
  expect(result.acknowledged).toBeGreaterThanOrEqual(5_000)
  for (const happened of ['deadLettered', 'edited', 'redriven', 'erased', 'deduplicated'] as const)
    expect(result[happened], happened).toBeGreaterThan(0)
}, 240_000)
