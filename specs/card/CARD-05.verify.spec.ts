import { parseProof, proofOf, renderProof, verify } from '@kiroku/audit'
import { decodeCheckpoint } from '@kiroku/engine'
import { expect, it } from 'vitest'
import { createWorld, everyState, untilCheckpoint, type World } from '../harness/index.ts'

const check = (world: World) => verify(world.log, { decodeCheckpoint })

const live = (world: World) =>
  everyState(world.client, { leaseMs: 60_000, pass: () => world.advance('90 seconds') })

it('[CARD-05] a record of every kind of event is verified without its engine', async () => {
  await using world = await createWorld()
  await live(world)
  await world.engine.stop('drain')
  const report = await check(world)
  expect(report).toMatchObject({ ok: true, partitions: [{ ok: true, foreign: 0 }] })
  expect(report.totals.transitions).toBeGreaterThan(20)
})

it('[CARD-05] damage anywhere is found, with its sequence', async () => {
  await using world = await createWorld()
  await live(world)
  await world.engine.stop('drain')
  const { lastSeq } = await (await world.log.partition(0)).state()
  for (const seq of [1, Math.floor(lastSeq / 2), lastSeq]) {
    world.log.faults.damage(0, seq)
    expect(await check(world)).toMatchObject({ ok: false, partitions: [{ problem: { seq } }] })
    world.log.faults.damage(0, seq)
    expect(await check(world)).toMatchObject({ ok: true })
  }
})

it('[CARD-05] a proof shows later that nothing before it has changed', async () => {
  await using world = await createWorld({ checkpoints: { bytesMin: 2_000, ageMs: 86_400_000 } })
  await live(world)
  const proof = parseProof(renderProof(proofOf(world.log, await check(world), Date.now())))
  await world.restart('crash')
  await world.send('mail', 'later')
  await untilCheckpoint(world.client)
  const report = await verify(world.log, { decodeCheckpoint, against: proof })
  expect(report).toMatchObject({ ok: true, partitions: [{ sinceProof: { result: 'same', unchecked: 0 } }] })

  await world.engine.stop('drain')
  world.log.faults.damage(0, 5)
  const later = await verify(world.log, { decodeCheckpoint, against: proof })
  expect(later).toMatchObject({ ok: false, partitions: [{ sinceProof: { result: 'changed' } }] })
})
