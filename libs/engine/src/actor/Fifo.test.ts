import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { Fifo } from './Fifo.ts'

describe('a Fifo', () => {
  it('gives back what was put in, in order', () => {
    const fifo = new Fifo<number>()
    const taken: number[] = []
    for (let i = 0; i < 10_000; i++) {
      fifo.push(2 * i)
      fifo.push(2 * i + 1)
      taken.push(fifo.take())
      expect(fifo.size).toBe(i + 1)
    }
    while (fifo.size > 0) taken.push(fifo.take())
    expect(taken).toEqual(Array.from({ length: 20_000 }, (_, i) => i))
    expect(fifo.peek()).toBeUndefined()
  })

  it('holds nothing that was taken, although it is never empty', () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const fifo = new Fifo<Uint8Array>()
    fifo.push(new Uint8Array(1))
    collect()
    const before = process.memoryUsage().arrayBuffers
    for (let i = 0; i < 500; i++) {
      fifo.push(new Uint8Array(200_000))
      fifo.take()
    }
    collect()
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(40_000_000)
  })
})
