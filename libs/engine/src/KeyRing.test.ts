import { describe, expect, it } from 'vitest'
import { blockEntry, MemoryKeys } from '@kiroku/log'
import { beginFrame, evolve, PartitionState } from '@kiroku/partition'
import { KeyRing } from './KeyRing.ts'

const by = { name: 'ada', origin: 'test', reason: 'asked for' }
const days = 86_400_000

const given = () => {
  let now = 1_700_000_000_000
  const keys = new MemoryKeys(16 * days, () => now)
  const state = new PartitionState(0)
  beginFrame(state, 1, now)
  for (const [queue, erasable] of [
    [1, 'message'],
    [2, 'group'],
  ] as const)
    evolve(state, {
      type: 'QueueCreated',
      queue,
      name: `q${queue}`,
      config: { erasable, groups: 'fair' },
      by,
    })
  const ring = new KeyRing(keys, () => now)
  ring.begin(state)
  return {
    keys,
    state,
    ring,
    byMessage: state.queues.get(1)!,
    byGroup: state.queues.get(2)!,
    pass: (ms: number) => (now += ms),
  }
}

describe('the keys of a partition', () => {
  it('are there for the messages that come next, and more of them the more are sent', async () => {
    const { ring, byMessage } = given()
    expect(ring.ofMessage(byMessage, 1)).toBeUndefined()
    const first = ring.missingBlocks(byMessage, 1)
    await ring.provide(first)
    expect(ring.missingBlocks(byMessage, 100)).toEqual([])
    expect(ring.ofMessage(byMessage, 1)!.key).toHaveLength(32)
    byMessage.nextNumber = 257
    expect(ring.missingBlocks(byMessage, 1).length).toBeGreaterThan(first.length)
  })

  it('are the same for the next owner, and for two who ask at once', async () => {
    const { ring, keys, state, byMessage } = given()
    const missing = ring.missingBlocks(byMessage, 10)
    await Promise.all([ring.provide(missing), ring.provide(missing)])
    const next = new KeyRing(keys, () => 1_700_000_000_000)
    next.begin(state)
    await next.provide(missing)
    expect(next.ofMessage(byMessage, 7)).toEqual(ring.ofMessage(byMessage, 7))
  })

  it('are written again as long as they are used, so that none vanishes before its messages', async () => {
    const { ring, keys, byMessage, byGroup, pass } = given()
    await ring.provide([...ring.missingBlocks(byMessage, 1), ...ring.missingGroups(byGroup, ['g'])])
    const before = [ring.ofMessage(byMessage, 1), ring.ofGroup(byGroup, 'g')]
    for (let i = 0; i < 20; i++) {
      pass(3 * days)
      await ring.provide([...ring.missingBlocks(byMessage, 1), ...ring.missingGroups(byGroup, ['g'])])
    }
    expect([ring.ofMessage(byMessage, 1), ring.ofGroup(byGroup, 'g')]).toEqual(before)
    expect(await keys.get(blockEntry(0, 1, 1))).toBeDefined()
    // What stood there before is overwritten each time.
    expect(keys.stored.filter((value) => value.length === 40)).toHaveLength(1)
    pass(17 * days)
    expect(await keys.get(blockEntry(0, 1, 1))).toBeUndefined()
  })

  it('of messages that came from elsewhere stay as long as these', async () => {
    const { ring, keys, pass } = given()
    await keys.put('m.5.7.0', new Uint8Array(4_096).fill(1), 0)
    pass(15 * days)
    const entries = ring.missingElsewhere(['m.5.7.1', 'm.5.7.2'])
    expect(entries).toEqual(['m.5.7.0'])
    await ring.touch(entries)
    expect(ring.missingElsewhere(['m.5.7.1'])).toEqual([])
    pass(15 * days)
    expect(await keys.get('m.5.7.0')).toBeDefined()
    expect(ring.missingElsewhere(['m.5.7.1'])).toEqual(['m.5.7.0'])
  })

  it('are not used for anything from the moment on at which their erasure is decided', async () => {
    const { ring, keys, state, byMessage, byGroup } = given()
    await ring.provide([...ring.missingBlocks(byMessage, 2), ...ring.missingGroups(byGroup, ['g'])])
    const before = ring.ofGroup(byGroup, 'g')!
    const key = await ring.addGroupKey(byGroup.id, 'g')
    expect(ring.ofGroup(byGroup, 'g')).toEqual(before)
    evolve(state, { type: 'Erased', queue: 1, erasure: 1, numbers: [2, 1], by })
    evolve(state, { type: 'Erased', queue: 2, erasure: 2, group: 'g', key, by })
    ring.decided(key)
    expect(ring.ofMessage(byMessage, 2)).toBeUndefined()
    expect(ring.ofMessage(byMessage, 1)).toBeDefined()
    expect(ring.ofGroup(byGroup, 'g')!.name.endsWith(key)).toBe(true)
    // The store still holds them; whoever reads it now leaves them out.
    const next = new KeyRing(keys, () => 1_700_000_000_000)
    next.begin(state)
    await next.provide([...next.missingBlocks(byMessage, 2), ...next.missingGroups(byGroup, ['g'])])
    expect(next.ofMessage(byMessage, 2)).toBeUndefined()
    expect(next.ofGroup(byGroup, 'g')).toEqual(ring.ofGroup(byGroup, 'g'))
    for (const erasure of state.erasures) await next.erase(erasure)
    expect(keys.stored.some((value) => Buffer.from(value).includes(Buffer.from(before.key)))).toBe(false)
  })
})
