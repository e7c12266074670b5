import { describe, expect, it } from 'vitest'
import { createWorld, type World } from '../harness/index.ts'

const send = async (world: World, group: string, count: number): Promise<void> => {
  await world.client.sendBatch(
    'jobs',
    Array.from({ length: count }, (_, i) => ({ body: `${group}${i}`, group })),
  )
  await world.time.settle()
}

const tenantsOf = (messages: readonly { readonly group: string | undefined }[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { group } of messages) counts[group!] = (counts[group!] ?? 0) + 1
  return counts
}

describe('a queue that is shared by tenants', () => {
  it('[ENG-14] serves quiet tenants ahead of one with more than its share in flight', async () => {
    await using world = await createWorld()
    await world.queue('jobs', { groups: 'fair', leaseMs: 600_000 })
    await send(world, 'noisy', 500)
    const flood = await world.receive('jobs', { max: 100 })
    expect(tenantsOf(flood)).toEqual({ noisy: 100 })
    for (const tenant of ['a', 'b', 'c']) await send(world, tenant, 5)
    expect(tenantsOf(await world.receive('jobs', { max: 12 }))).toEqual({ a: 4, b: 4, c: 4 })
    expect(tenantsOf(await world.receive('jobs', { max: 5 }))).toEqual({ a: 1, b: 1, c: 1, noisy: 2 })
  })

  it('[ENG-14] starves no consumer, and locks no order', async () => {
    await using world = await createWorld()
    await world.queue('jobs', { groups: 'fair', leaseMs: 600_000 })
    await send(world, 'noisy', 100)
    for (let i = 0; i < 10; i++) expect(await world.receive('jobs', { max: 10 })).toHaveLength(10)
  })

  it('[ENG-14] gives, among noisy tenants, to the one with the fewest in flight', async () => {
    await using world = await createWorld()
    await world.queue('jobs', { groups: 'fair', leaseMs: 600_000 })
    await send(world, 'x', 300)
    await world.receive('jobs', { max: 90 })
    await send(world, 'y', 300)
    expect(tenantsOf(await world.receive('jobs', { max: 40 }))).toEqual({ y: 40 })
    expect(tenantsOf(await world.receive('jobs', { max: 50 }))).toEqual({ y: 50 })
    expect(tenantsOf(await world.receive('jobs', { max: 40 }))).toEqual({ x: 20, y: 20 })
  })

  it('[ENG-14] forgives a tenant when its backlog is drained', async () => {
    await using world = await createWorld()
    await world.queue('jobs', { groups: 'fair', leaseMs: 600_000 })
    await send(world, 'x', 60)
    const all = await world.receive('jobs', { max: 60 })
    for (const message of all) await message.ack()
    await send(world, 'x', 10)
    await send(world, 'y', 10)
    expect(tenantsOf(await world.receive('jobs', { max: 10 }))).toEqual({ x: 5, y: 5 })
  })

  it('[ENG-14] works without tenants, and continues after a crash', async () => {
    await using world = await createWorld()
    await world.queue('jobs', { groups: 'fair', leaseMs: 600_000 })
    await send(world, 'x', 40)
    await world.receive('jobs', { max: 35 })
    await world.send('jobs', 'nobody')
    await send(world, 'y', 5)
    await world.restart('crash')
    const next = await world.receive('jobs', { max: 6 })
    expect(next.map((m) => m.group ?? 'none').sort()).toEqual(['none', 'y', 'y', 'y', 'y', 'y'])
  })
})
