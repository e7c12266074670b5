import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { FrameReader, headerBytes } from './FrameReader.ts'

type Frame = readonly [request: number, partition: number, content: Uint8Array]

const encode = (frames: readonly Frame[]): Buffer =>
  Buffer.concat(
    frames.flatMap(([request, partition, content]) => {
      const header = Buffer.alloc(headerBytes)
      header.writeUInt32LE(content.length, 0)
      header.writeUInt32LE(request, 4)
      header.writeUInt32LE(partition, 8)
      return [header, content]
    }),
  )

it('finds the same frames however the stream is cut, in memory that is read into again', () => {
  const uint32 = fc.nat({ max: 0xffff_ffff })
  const frame = fc.tuple(uint32, uint32, fc.uint8Array({ maxLength: 40 }))
  fc.assert(
    fc.property(fc.array(frame, { maxLength: 8 }), fc.array(fc.nat({ max: 30 })), (frames, cuts) => {
      const found: Frame[] = []
      const reader = new FrameReader(40, (...each) => found.push(each))
      const stream = encode(frames)
      const memory = Buffer.alloc(stream.length)
      let at = 0
      for (const length of [...cuts, stream.length]) {
        const piece = stream.subarray(at, at + length)
        at += piece.length
        memory.set(piece)
        expect(reader.take(memory.subarray(0, piece.length))).toBeUndefined()
        memory.fill(0xff)
      }
      expect(found.map(([, , content]) => [...content])).toEqual(frames.map(([, , content]) => [...content]))
      expect(found.map(([request, partition]) => [request, partition])).toEqual(
        frames.map(([request, partition]) => [request, partition]),
      )
    }),
    { numRuns: 300, seed: 1 },
  )
})

it('refuses a frame that is larger than what is accepted, before it takes any of it', () => {
  const found: Frame[] = []
  const reader = new FrameReader(10, (...each) => found.push(each))
  const bytes = encode([
    [1, 0, new Uint8Array(10)],
    [2, 0, new Uint8Array(11)],
  ])
  expect(reader.take(bytes)).toBe('a frame of 11 bytes, where 10 are accepted')
  expect(found.map(([request]) => request)).toEqual([1])
})
