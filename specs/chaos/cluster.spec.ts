import { temporaryFolder } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { whyNoMachines } from './EngineProcess.ts'
import { runChaos } from './runChaos.ts'

it('[CARD-07] whatever happens to three nodes of two versions on three nats-servers loses, doubles and resurrects nothing', async ({
  skip,
}) => {
  const whyNot = whyNoMachines()
  if (whyNot !== undefined) {
    if (process.env['KIROKU_REQUIRE_ALL'] === '1') throw new Error(whyNot)
    console.warn(`The chaos of a cluster is SKIPPED: ${whyNot}`)
    skip(whyNot)
  }
  await using folder = await temporaryFolder()
  const result = await runChaos({
    rounds: 10,
    seed: 1,
    cluster: true,
    folder: folder.path,
    progress: () => {},
  })
  expect(result.violations).toEqual([])
  expect(result.failures).toEqual([])
  expect(result).toMatchObject({ rounds: 10, lost: 0, doubled: 0, resurrected: 0, verified: true })
}, 300_000)
