import type { Command } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { numbersOf } from '../testing/TestPartition.ts'
import { withQueue } from '../testing/withQueue.ts'

describe('a turn with more to deliver than one frame should hold', () => {
  it('serves the rest in the next turn, at once, and lets nobody go empty', () => {
    const p = withQueue()
    for (let i = 0; i < 30; i++) p.send('q', 1_000)
    const receive = (i: number): Command => ({
      type: 'Receive',
      queue: 'q',
      poll: `p${i}`,
      max: 1_000,
      waitMs: 0,
      mode: 'push',
      consumer: '',
    })
    const tokens = p.turn(...Array.from({ length: 30 }, (_, i) => receive(i)))
    p.pass(0)
    const delivered = p.frames.slice(-15).map(({ events }) => events.map(({ type }) => type))
    expect(delivered).toEqual(Array(15).fill(['Delivered', 'Delivered']))
    expect(tokens.map((t) => p.got(t)!.length)).toEqual(Array(30).fill(1_000))
    expect(p.counts('q')).toMatchObject({ available: 0, inflight: 30_000 })
  })
})

describe('a frame of very many messages', () => {
  it('is delivered with the right place of every body', () => {
    const p = withQueue({ batchBytes: 64 * 1024 * 1024 })
    const send = (n: number): Command => ({
      type: 'Enqueue',
      queue: 'q',
      producer: 'p',
      send: n,
      messages: Array.from({ length: 1_000 }, () => new Uint8Array(1)),
    })
    p.turn(...Array.from({ length: 70 }, (_, i) => send(i + 1)))
    const seen = new Set<number>()
    for (let i = 0; i < 70; i++) {
      const d = p.receive('q', { max: 1_000 })!
      expect(numbersOf(d.numbers).map((n) => n - 1)).toEqual(d.indexes)
      for (const index of d.indexes) seen.add(index)
    }
    expect(seen.size).toBe(70_000)
  })
})
