import { KirokuError } from '@kiroku/protocol'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { watchOutages } from './watchOutages.ts'

beforeEach(() => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
})

interface Request {
  readonly name: string
  readonly startedMs: number
}

/** Requests under a watch, and whether NATS is away. */
const watched = () => {
  const error = new KirokuError('NatsUnreachable', 'away')
  const world = {
    isAway: false,
    fails: false,
    asked: 0,
    told: [] as string[],
    unanswered: new Set<Request>(),
  }
  const outage = () => {
    world.asked++
    if (world.fails) return Promise.reject(new Error('no answer'))
    return Promise.resolve(world.isAway ? error : undefined)
  }
  const end = watchOutages(world.unanswered, outage, (request, { message }) => {
    world.unanswered.delete(request)
    world.told.push(`${request.name}: ${message}`)
  })
  onTestFinished(end)
  const request = (name: string) => world.unanswered.add({ name, startedMs: performance.now() })
  return { world, request, end }
}

it('what waits is answered once NATS has been away for 3 s, what came later after as long', async () => {
  const { world, request } = watched()
  request('old')
  await vi.advanceTimersByTimeAsync(10_000)
  world.isAway = true
  await vi.advanceTimersByTimeAsync(2_000)
  request('young')
  expect(world.told).toEqual([])
  await vi.advanceTimersByTimeAsync(2_000)
  expect(world.told).toEqual(['old: away'])
  await vi.advanceTimersByTimeAsync(1_500)
  expect(world.told).toEqual(['old: away', 'young: away'])
})

it('a short outage is waited out, and the next one starts the clock again', async () => {
  const { world, request } = watched()
  request('one')
  for (let i = 0; i < 3; i++) {
    world.isAway = true
    await vi.advanceTimersByTimeAsync(2_000)
    world.isAway = false
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(world.told).toEqual([])
})

it('a question that fails says nothing', async () => {
  const { world, request } = watched()
  request('one')
  world.fails = true
  await vi.advanceTimersByTimeAsync(5_000)
  expect(world.told).toEqual([])
  Object.assign(world, { fails: false, isAway: true })
  await vi.advanceTimersByTimeAsync(4_000)
  expect(world.told).toEqual(['one: away'])
})

it('nothing is asked while nothing waits, or after the end', async () => {
  const { world, request, end } = watched()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(world.asked).toBe(0)
  request('one')
  end()
  await vi.advanceTimersByTimeAsync(5_000)
  expect(world.asked).toBe(0)
})
