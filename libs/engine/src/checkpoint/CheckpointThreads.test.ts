import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { PartitionState, snapshot } from '@kiroku/partition'
import type { CheckpointThread } from './CheckpointThread.ts'
import { CheckpointThreads } from './CheckpointThreads.ts'
import { piecesOf } from './SnapshotPieces.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const { rest, lists } = piecesOf(snapshot(new PartitionState(0)))
const task = { snapshot: rest, seq: 1, hash: new Uint8Array(32), largeBodies: [], behind: 0 }

/** Has a thread make the checkpoint of an empty state; resolves to its digest. */
const make = async (thread: CheckpointThread): Promise<string> => {
  thread.send({ make: task, lists })
  thread.send('end')
  const said = await thread.reply()
  if (!('made' in said)) throw new Error('no checkpoint')
  return said.made.digest
}

/** A thread that has made a checkpoint, and waits for the next. */
const waiting = async (threads: CheckpointThreads): Promise<CheckpointThread> => {
  const thread = threads.take()
  await make(thread)
  threads.giveBack(thread)
  return thread
}

it('the thread of one checkpoint makes the next, of its own snapshot alone', async () => {
  const threads = new CheckpointThreads()
  const first = threads.take()
  const digest = await make(first)
  threads.giveBack(first)
  const second = threads.take()
  expect(second).toBe(first)
  expect(await make(second)).toBe(digest)
  second.end()
})

it('checkpoints that are made at the same time have a thread each, of which one stays', async () => {
  const threads = new CheckpointThreads()
  const [one, other] = [threads.take(), threads.take()]
  expect(one).not.toBe(other)
  await Promise.all([make(one), make(other)])
  threads.giveBack(one)
  threads.giveBack(other)
  await expect(make(other)).rejects.toThrow('the checkpoint thread ended')
  expect(threads.take()).toBe(one)
  one.end()
})

it('a thread that died while it waited is not taken', async () => {
  const threads = new CheckpointThreads()
  const first = await waiting(threads)
  first.end()
  await expect(make(first)).rejects.toThrow('the checkpoint thread ended')
  expect(first.hasEnded).toBe(true)
  await expect(make(first)).rejects.toThrow('the checkpoint thread has ended')
  const next = threads.take()
  expect(next).not.toBe(first)
  await make(next)
  next.end()
})

it('a thread that waits for half a minute is ended', async () => {
  const threads = new CheckpointThreads()
  const first = await waiting(threads)
  vi.advanceTimersByTime(29_999)
  expect(threads.take()).toBe(first)
  threads.giveBack(first)
  vi.advanceTimersByTime(30_000)
  await expect(make(first)).rejects.toThrow('the checkpoint thread ended')
  const next = threads.take()
  expect(next).not.toBe(first)
  next.end()
})
