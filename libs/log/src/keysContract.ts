import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { KeyStore } from './KeyStore.ts'

/** One key store, as the contract needs it. */
export interface KeysUnderTest {
  /** Opens the store again, on its own connection. */
  open(): Promise<KeyStore>
  /** Whether these bytes are anywhere in what the store can still hand out, earlier values included. */
  holds(bytes: Uint8Array): Promise<boolean>
  close(): Promise<void>
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The suite that every key store must pass. */
export const keysContract = (name: string, make: () => Promise<KeysUnderTest>): void => {
  describe(`${name} keeps the contract of the key store:`, () => {
    let made: KeysUnderTest
    let keys: KeyStore
    let other: KeyStore
    beforeEach(async () => {
      made = await make()
      keys = await made.open()
      other = await made.open()
    })
    afterEach(() => made.close())

    test('an entry that was never written is missing, and looking for it creates nothing', async () => {
      expect(await keys.get('m.0.1.0')).toBeUndefined()
      await keys.scrub('m.0.1.0')
      expect(await other.get('m.0.1.0')).toBeUndefined()
    })

    test('what one wrote the other reads at once, with its revision and its time', async () => {
      const before = Date.now()
      const revision = await keys.put('m.0.1.0', bytes('first-value'), 0)
      const entry = (await other.get('m.0.1.0'))!
      expect(Buffer.from(entry.value).toString()).toBe('first-value')
      expect(entry.revision).toBe(revision)
      expect(Math.abs(entry.timeMs - before)).toBeLessThan(60_000)
    })

    test('an entry is created once', async () => {
      expect(await keys.put('g.0.1.a', bytes('mine'), 0)).toBeDefined()
      expect(await other.put('g.0.1.a', bytes('theirs'), 0)).toBeUndefined()
      expect(Buffer.from((await other.get('g.0.1.a'))!.value).toString()).toBe('mine')
    })

    test('a write based on an outdated value changes nothing', async () => {
      const first = (await keys.put('m.0.1.0', bytes('one'), 0))!
      const second = (await other.put('m.0.1.0', bytes('two'), first))!
      expect(await keys.put('m.0.1.0', bytes('three'), first)).toBeUndefined()
      expect((await keys.get('m.0.1.0'))!.revision).toBe(second)
    })

    test('values hold any bytes, or none', async () => {
      const all = Uint8Array.from({ length: 4_096 }, (_, i) => i % 256)
      const revision = await keys.put('m.1.7.3', all, 0)
      expect(Buffer.compare((await other.get('m.1.7.3'))!.value, all)).toBe(0)
      await keys.put('m.1.7.3', new Uint8Array(0), revision!)
      expect((await other.get('m.1.7.3'))!.value).toHaveLength(0)
    })

    test('once an entry is scrubbed none of its earlier values can be read, however often it was written', async () => {
      let revision = 0
      for (const value of ['secret-one', 'secret-two', 'secret-three', 'what-is-left'])
        revision = (await keys.put('m.0.1.0', bytes(value), revision))!
      await keys.put('m.0.1.1', bytes('a neighbour'), 0)
      await other.scrub('m.0.1.0')
      for (const gone of ['secret-one', 'secret-two', 'secret-three'])
        expect(await made.holds(bytes(gone))).toBe(false)
      expect(await made.holds(bytes('what-is-left'))).toBe(true)
      expect(Buffer.from((await keys.get('m.0.1.1'))!.value).toString()).toBe('a neighbour')
      await other.scrub('m.0.1.0')
      expect((await keys.get('m.0.1.0'))!.revision).toBe(revision)
    })
  })
}
