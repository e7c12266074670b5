import {
  blockEntry,
  groupEntry,
  keyIds,
  keysKeptMs,
  lock,
  MemoryKeys,
  writeSealed,
  type KeyStore,
} from '@kiroku/log'
import { evolve, PartitionState } from '@kiroku/partition'
import { KirokuError, limits } from '@kiroku/protocol'
import { waitUntil } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { KeyRing, type EncryptionKey } from './KeyRing.ts'

const by = { name: 'ada', origin: 'test', reason: 'asked for' }
const days = 86_400_000
const isOwner = () => true

const given = (keptMs = 16 * days) => {
  let now = 1_700_000_000_000
  const keys = new MemoryKeys(keptMs, () => now)
  const state = new PartitionState(0)
  state.beginFrame(1, now)
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
  const ring = new KeyRing(keys, () => now, isOwner)
  ring.begin({ state })
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
    const next = new KeyRing(keys, () => 1_700_000_000_000, isOwner)
    next.begin({ state })
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

  it('are rewritten once, not forever, where the clock they are judged by is days ahead', async () => {
    const { keys, state } = given()
    const now = 1_700_000_000_000 + 5 * days
    let puts = 0
    const counted: KeyStore = {
      keptMs: keys.keptMs,
      get: (name) => keys.get(name),
      put: async (name, value, revision) => {
        if (++puts > 10) throw new Error('the keys are rewritten forever')
        return keys.put(name, value, revision)
      },
      scrub: (name) => keys.scrub(name),
    }
    const entry = blockEntry(0, 1, 1)
    const one = new KeyRing(counted, () => now, isOwner)
    one.begin({ state })
    await one.provide([entry])
    const next = new KeyRing(counted, () => now, isOwner)
    next.begin({ state })
    await next.provide([entry])
    expect(next.ofMessage(state.queues.get(1)!, 1)).toEqual(one.ofMessage(state.queues.get(1)!, 1))
    expect(next.missingBlocks(state.queues.get(1)!, 1)).toEqual([])
    // One that finds it there, and one for each owner.
    expect(puts).toBe(3)
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

  it.each([1, 2, 14, 60])(
    'outlast the longest retention of what is stored or forwarded at their oldest, with a record of %d days',
    async (record) => {
      const keptMs = keysKeptMs(record * days)
      const { ring, keys, byMessage, byGroup, pass } = given(keptMs)
      await ring.provide([...ring.missingBlocks(byMessage, 1), ...ring.missingGroups(byGroup, ['g'])])
      await keys.put('m.5.7.0', new Uint8Array(4_096).fill(1), 0)
      // The oldest at which they are still taken as they are: once for a send, twice for what comes from elsewhere.
      pass(keptMs / 4)
      expect(ring.missingBlocks(byMessage, 1)).toEqual([])
      expect(ring.missingGroups(byGroup, ['g'])).toEqual([])
      await ring.touch(ring.missingElsewhere(['m.5.7.1']))
      pass(keptMs / 4)
      expect(ring.missingElsewhere(['m.5.7.1'])).toEqual([])
      // A lease may outlast the retention.
      pass(Math.max(limits.retentionMsMax, record * days) + limits.leaseMsMax)
      expect(await keys.get('m.5.7.0')).toBeDefined()
      pass(-keptMs / 4)
      expect(await keys.get(blockEntry(0, 1, 1))).toBeDefined()
    },
  )

  it('are not used for anything from the moment on at which their erasure is decided', async () => {
    const { ring, keys, state, byMessage, byGroup } = given()
    await ring.provide([...ring.missingBlocks(byMessage, 2), ...ring.missingGroups(byGroup, ['g'])])
    const before = ring.ofGroup(byGroup, 'g')!
    const key = await ring.addGroupKey(byGroup.id, 'g')
    expect(ring.ofGroup(byGroup, 'g')).toEqual(before)
    evolve(state, { type: 'Erased', queue: 1, erasure: 1, numbers: [2, 1], by })
    evolve(state, { type: 'Erased', queue: 2, erasure: 2, group: 'g', key, by })
    ring.erasureDecided(key)
    expect(ring.ofMessage(byMessage, 2)).toBeUndefined()
    expect(ring.ofMessage(byMessage, 1)).toBeDefined()
    expect(ring.ofGroup(byGroup, 'g')!.name.endsWith(key)).toBe(true)
    // The store still holds them; a read leaves them out from now on.
    const next = new KeyRing(keys, () => 1_700_000_000_000, isOwner)
    next.begin({ state })
    await next.provide([...next.missingBlocks(byMessage, 2), ...next.missingGroups(byGroup, ['g'])])
    expect(next.ofMessage(byMessage, 2)).toBeUndefined()
    expect(next.ofGroup(byGroup, 'g')).toEqual(ring.ofGroup(byGroup, 'g'))
    for (const erasure of state.erasures) await next.erase(erasure)
    expect(keys.stored.some((value) => Buffer.from(value).includes(Buffer.from(before.key)))).toBe(false)
  })
})

describe('a group that is being erased', () => {
  it('goes on with the key before while any of its erasures is undecided, whatever came behind', async () => {
    const { ring, byGroup } = given()
    await ring.provide(ring.missingGroups(byGroup, ['g']))
    const before = ring.ofGroup(byGroup, 'g')!
    await ring.addGroupKey(byGroup.id, 'g')
    await ring.addGroupKey(byGroup.id, 'g')
    expect(ring.ofGroup(byGroup, 'g')).toEqual(before)
  })

  it('goes on with the key before also where a key behind it was stored without an answer', async () => {
    const { keys, state, byGroup } = given()
    let puts = 0
    const losing: KeyStore = {
      keptMs: keys.keptMs,
      get: (name) => keys.get(name),
      put: async (name, value, revision) => {
        const stored = await keys.put(name, value, revision)
        if (++puts === 3) throw new KirokuError('KeysUnavailable', 'the answer is lost')
        return stored
      },
      scrub: (name) => keys.scrub(name),
    }
    const ring = new KeyRing(losing, () => 1_700_000_000_000, isOwner)
    ring.begin({ state })
    await ring.provide(ring.missingGroups(byGroup, ['g']))
    const before = ring.ofGroup(byGroup, 'g')!
    await ring.addGroupKey(byGroup.id, 'g')
    await expect(ring.addGroupKey(byGroup.id, 'g')).rejects.toMatchObject({ id: 'KeysUnavailable' })
    const entry = groupEntry(0, byGroup.id, 'g')
    await ring.provide([entry])
    expect(keyIds(keys.peek(entry)!)).toHaveLength(3)
    expect(ring.ofGroup(byGroup, 'g')).toEqual(before)
  })

  it('has a key to go on with although it had none before', async () => {
    const { ring, byGroup } = given()
    const key = await ring.addGroupKey(byGroup.id, 'g')
    expect(ring.missingGroups(byGroup, ['g'])).toEqual([])
    expect(ring.ofGroup(byGroup, 'g')?.name.endsWith(key)).toBe(false)
  })

  it('is sealed with no key before its erasure is decided where the one before vanished', async () => {
    const { keys, state, byGroup, pass } = given()
    let gets = 0
    const vanishing: KeyStore = {
      keptMs: keys.keptMs,
      get: (name) => {
        // The key before was made without a look at what is there.
        if (++gets === 1) pass(17 * days)
        return keys.get(name)
      },
      put: (name, value, revision) => keys.put(name, value, revision),
      scrub: (name) => keys.scrub(name),
    }
    const ring = new KeyRing(vanishing, () => 1_700_000_000_000, isOwner)
    ring.begin({ state })
    const key = await ring.addGroupKey(byGroup.id, 'g')
    expect(keyIds(keys.peek(groupEntry(0, byGroup.id, 'g'))!)).toEqual([key])
    expect(ring.ofGroup(byGroup, 'g')).toBeUndefined()
  })

  it('is no matter to what is decided of another', async () => {
    const { ring, byGroup } = given()
    await ring.provide(ring.missingGroups(byGroup, ['g', 'h']))
    const before = ring.ofGroup(byGroup, 'g')
    const [first, second] = [await ring.addGroupKey(byGroup.id, 'g'), await ring.addGroupKey(byGroup.id, 'h')]
    expect(ring.claim(second)).toBe(true)
    expect(ring.ofGroup(byGroup, 'g')).toEqual(before)
    expect(ring.claim(first)).toBe(true)
  })
})

describe('keys that are erased while the store answers', () => {
  /** A store that holds back its answers to one kind of call on one entry while it is told to. */
  const slow = (keys: KeyStore, kind: 'get' | 'put', entry: string) => {
    const held: (() => void)[] = []
    let isHeld = false
    const late = async <A>(call: 'get' | 'put', name: string, answer: A): Promise<A> => {
      if (isHeld && call === kind && name === entry) await new Promise<void>((resolve) => held.push(resolve))
      return answer
    }
    const store: KeyStore = {
      keptMs: keys.keptMs,
      get: async (name) => late('get', name, await keys.get(name)),
      put: async (name, value, revision) => late('put', name, await keys.put(name, value, revision)),
      scrub: (name) => keys.scrub(name),
    }
    return {
      store,
      isAsked: () => held.length > 0,
      hold: () => (isHeld = true),
      /** Holds back no further answer; what is held back stays so. */
      goOn: () => (isHeld = false),
      answer: () => held.forEach((resolve) => resolve()),
    }
  }
  const sealed = ({ name, key }: EncryptionKey) =>
    writeSealed({ head: { keys: [name] }, box: lock(Uint8Array.of(0, 1), name, key) })
  const entryOf = ({ name }: EncryptionKey) => name.slice(0, name.lastIndexOf('.'))
  const now = () => 1_700_000_000_000
  const eraseGroup = async (ring: KeyRing, state: PartitionState, erasure: number) => {
    const key = await ring.addGroupKey(2, 'g')
    evolve(state, { type: 'Erased', queue: 2, erasure, group: 'g', key, by })
    ring.erasureDecided(key)
    for (const one of state.erasures) await ring.erase(one)
    evolve(state, { type: 'KeysDeleted', queue: 2, erasure })
    return key
  }

  it('open nothing, and nothing is sealed with them', async () => {
    const { ring, keys, state, byGroup } = given()
    await ring.provide(ring.missingGroups(byGroup, ['g']))
    const before = ring.ofGroup(byGroup, 'g')!
    const late = slow(keys, 'get', entryOf(before))
    const next = new KeyRing(late.store, now, isOwner)
    next.begin({ state })
    late.hold()
    const opened = next.open([sealed(before)])
    await waitUntil(late.isAsked)
    late.goOn()
    const key = await eraseGroup(next, state, 1)
    late.answer()
    expect((await opened)[0]!.state).toBe('erased')
    expect(next.ofGroup(byGroup, 'g')!.name.endsWith(key)).toBe(true)
  })

  it('open nothing that is read together with what waits for other keys', async () => {
    const { ring, keys, state, byMessage } = given()
    await ring.provide(ring.missingBlocks(byMessage, 1))
    await keys.put('m.5.7.0', new Uint8Array(4_096).fill(1), 0)
    const late = slow(keys, 'get', 'm.5.7.0')
    const next = new KeyRing(late.store, now, isOwner)
    next.begin({ state })
    await next.provide([blockEntry(0, 1, 1)])
    const elsewhere = { name: 'm.5.7.1', key: new Uint8Array(32).fill(1) }
    late.hold()
    const opened = next.open([
      sealed(next.ofMessage(byMessage, 1)!),
      sealed(elsewhere),
      sealed(next.ofMessage(byMessage, 2)!),
    ])
    await waitUntil(late.isAsked)
    late.goOn()
    evolve(state, { type: 'Erased', queue: 1, erasure: 1, numbers: [2, 1], by })
    next.erasureDecided(undefined)
    await next.erase(state.erasures[0]!)
    evolve(state, { type: 'KeysDeleted', queue: 1, erasure: 1 })
    late.answer()
    expect((await opened).map((one) => one.state)).toEqual(['open', 'open', 'erased'])
  })

  it('open nothing for who lost the partition and has it again', async () => {
    const { ring, keys, state, byMessage } = given()
    await ring.provide(ring.missingBlocks(byMessage, 1))
    const entry = blockEntry(0, 1, 1)
    const message = sealed(ring.ofMessage(byMessage, 1)!)
    const late = slow(keys, 'get', entry)
    const next = new KeyRing(late.store, now, isOwner)
    next.begin({ state })
    late.hold()
    const opened = next.open([message])
    await waitUntil(late.isAsked)
    late.goOn()
    next.end()
    evolve(state, { type: 'Erased', queue: 1, erasure: 1, numbers: [1, 1], by })
    ring.erasureDecided(undefined)
    await ring.erase(state.erasures[0]!)
    evolve(state, { type: 'KeysDeleted', queue: 1, erasure: 1 })
    next.begin({ state })
    late.answer()
    expect((await opened)[0]!.state).toBe('erased')
  })

  it('are not the ones with which a group goes on after another erasure', async () => {
    const { ring, keys, state, byGroup } = given()
    await ring.provide(ring.missingGroups(byGroup, ['g']))
    const late = slow(keys, 'put', entryOf(ring.ofGroup(byGroup, 'g')!))
    const next = new KeyRing(late.store, now, isOwner)
    next.begin({ state })
    await next.provide([entryOf(ring.ofGroup(byGroup, 'g')!)])
    late.hold()
    const first = next.addGroupKey(2, 'g')
    await waitUntil(late.isAsked)
    late.goOn()
    await eraseGroup(next, state, 1)
    late.answer()
    const key = await first
    expect(keys.stored.some((value) => Buffer.from(value).includes(Buffer.from(key, 'hex')))).toBe(true)
  })
})
