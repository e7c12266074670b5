import { PartitionState, snapshot } from '@kiroku/partition'
import { describe, expect, it } from 'vitest'
import type { SavedState, SavedStateStore } from './SavedState.ts'

/** What the contract needs from a store of moments. */
export interface SavedStateHarness {
  /** A new store with this limit of bytes. */
  readonly open: (bytesMax?: number) => Promise<SavedStateStore>
}

/** The contract of every store of moments: call it in a test file of the store. */
export const savedStateContract = (name: string, { open }: SavedStateHarness): void => {
  describe(`${name} keeps moments:`, () => {
    it('what is stored comes back as a copy that the caller owns', async () => {
      const store = await open()
      await store.put(moment(7))
      const found = (await store.get(0, 7))!
      expect(found).toEqual(moment(7))
      found.snapshot.live.number.fill(9)
      expect(await store.get(0, 7)).toEqual(moment(7))
    })

    it('a missing one is undefined', async () => {
      const store = await open()
      expect(await store.get(0, 7)).toBeUndefined()
      expect(await store.list(0)).toEqual([])
      await store.delete(0, 7)
    })

    it('they are listed by partition, oldest first, with their work and size', async () => {
      const store = await open()
      for (const seq of [20, 3, 100]) await store.put(moment(seq))
      await store.put(moment(5, 1))
      const notes = await store.list(0)
      expect(notes.map(({ seq, work }) => [seq, work])).toEqual([
        [3, 30],
        [20, 200],
        [100, 1_000],
      ])
      expect(notes.every(({ bytes }) => bytes > 0)).toBe(true)
      expect((await store.list(1)).map(({ seq }) => seq)).toEqual([5])
    })

    it('one of the same sequence replaces the older, and a deleted one is gone', async () => {
      const store = await open()
      await store.put(moment(7))
      await store.put({ ...moment(7), work: 8 })
      expect(await store.list(0)).toMatchObject([{ seq: 7, work: 8 }])
      await store.delete(0, 7)
      expect(await store.get(0, 7)).toBeUndefined()
      expect(await store.list(0)).toEqual([])
    })

    it('they stay within the limit of bytes, and the newest stays', async () => {
      const all = await open()
      await all.put(moment(1))
      const { bytes } = (await all.list(0))[0]!
      const store = await open(bytes * 4)
      for (let seq = 1; seq <= 20; seq++) await store.put(moment(seq))
      const kept = await store.list(0)
      expect(kept.reduce((sum, note) => sum + note.bytes, 0)).toBeLessThanOrEqual(bytes * 4)
      expect(kept.length).toBeGreaterThan(1)
      expect(kept.at(-1)!.seq).toBe(20)
    })
  })
}

const moment = (seq: number, partition = 0): SavedState => {
  const state = new PartitionState(partition)
  state.frameSeq = seq
  const slot = state.live.alloc(0, 1)
  state.live.state[slot] = 2
  state.live.schedule(slot, 5)
  return { partition, seq, work: seq * 10, hash: new Uint8Array(32).fill(seq), snapshot: snapshot(state) }
}
