import { createMemoryLog, zeroHash } from '@kiroku/log'
import type { LogEvent } from '@kiroku/protocol'
import { ManualTime } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { Metrics } from '../Metrics.ts'
import { AppendPipeline, type Append } from './AppendPipeline.ts'

const noted = (note: string): LogEvent => ({
  type: 'OwnerChanged',
  epoch: 1,
  node: note,
  part: 1,
  of: 1,
})

/** Appends to a log whose every write takes 100 ms, and what their owner is told of them. */
const given = async () => {
  const time = new ManualTime()
  const log = createMemoryLog(
    { partitions: 1 },
    { schedule: (ms, run) => void time.after(ms, run), recordBytesMax: 1_000 },
  )
  const part = await log.partition(0)
  log.faults.slow(100)
  const told: (readonly [string, ...Pick<Append, 'seq' | 'state'>[]])[] = []
  const tell = ({ seq, state }: Append) => ({ seq, state })
  const pipeline = new AppendPipeline(
    part,
    { epoch: 1, seq: 0, hash: zeroHash },
    {
      landed: (append) => told.push(['landed', tell(append)]),
      failed: (failed) => told.push(['failed', ...failed.map(tell)]),
    },
    new Metrics(),
    time,
  )
  const append = (note: string) => pipeline.frame({ at: 1, events: [noted(note)], sections: [] }, [])
  return { time, log, told, pipeline, append }
}

describe('an owner is told of a failed append', () => {
  it('when those behind it are no longer in flight, once for all of them', async () => {
    const { time, log, told, pipeline, append } = await given()
    log.faults.onAppend(0, 'full')
    append('a')
    await time.advance(50)
    append('b')
    await time.advance(50)
    expect(pipeline.last!.state).toBe('inFlight')
    expect(told).toEqual([])
    await time.advance(50)
    expect(told).toEqual([['failed', { seq: 1, state: 'failed' }, { seq: 2, state: 'failed' }]])
  })

  it('behind what it is told of those ahead of it', async () => {
    const { time, told, append } = await given()
    append('a')
    append('too large'.padEnd(2_000))
    await time.advance(50)
    expect(told).toEqual([])
    await time.advance(50)
    expect(told).toEqual([
      ['landed', { seq: 1, state: 'stored' }],
      ['failed', { seq: 2, state: 'failed' }],
    ])
  })
})
