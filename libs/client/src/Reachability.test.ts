import { KirokuError } from '@kiroku/protocol'
import { beforeEach, expect, it } from 'vitest'
import type { ClientEvent } from './ClientEvent.ts'
import { realClock } from './Clock.ts'
import { Reachability } from './Reachability.ts'

let nowMs = 0
let events: ClientEvent[] = []
let reachability: Reachability
beforeEach(() => {
  nowMs = 0
  events = []
  reachability = new Reachability({ ...realClock, now: () => nowMs }, (event) => events.push(event))
})

const silence = new KirokuError('Unavailable', 'nobody answers')
const at = (ms: number, act: () => void): void => {
  nowMs = ms
  act()
}

it('says once that the engine is lost, and once that it is back, however many requests fail', () => {
  for (const ms of [0, 400, 900, 1_100, 1_500, 2_000])
    for (const partition of [0, 1]) at(ms, () => reachability.failed(partition, silence))
  expect(events).toEqual([{ type: 'engineLost', partition: 0, error: silence }])
  at(2_500, () => reachability.answered(0))
  expect(events).toHaveLength(1)
  at(2_600, () => reachability.answered(1))
  expect(events.slice(1)).toEqual([{ type: 'engineBack', awayMs: 2_600 }])
  at(2_700, () => reachability.answered(1))
  expect(events).toHaveLength(2)
})

it('says nothing of a change of owners, nor of an engine that answers with a refusal', () => {
  at(0, () => reachability.failed(0, new KirokuError('NotOwner', 'moved')))
  at(900, () => reachability.answered(0))
  at(1_000, () => reachability.failed(0, silence))
  at(1_500, () => reachability.failed(0, new KirokuError('StorageFull', 'full')))
  at(2_400, () => reachability.failed(0, silence))
  at(9_000, () => reachability.failed(1, silence))
  expect(events).toEqual([])
})

it('does not wait for a partition that is no longer used', () => {
  at(0, () => reachability.failed(1, silence))
  for (const ms of [0, 2_000, 40_000]) at(ms, () => reachability.failed(0, silence))
  at(40_100, () => reachability.answered(0))
  expect(events.map(({ type }) => type)).toEqual(['engineLost', 'engineBack'])
})
