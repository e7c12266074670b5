import { expect, it } from 'vitest'
import { noActivity } from '../../data/QueueActivity.ts'
import { forecast, nearLimit, retryShare } from './outlook.ts'

const going = (waiting: number) => ({ waiting, sent: 0, committed: 0 })

it('says when a queue is empty at its rate', () => {
  expect(forecast(8_400, going(-10), 15)).toEqual({ kind: 'shrinking', text: 'empty in 14 min' })
  expect(forecast(1, going(-100), 15)).toEqual({ kind: 'shrinking', text: 'empty in 1 s' })
})

it('says by how much a queue grows, also one that was empty', () => {
  expect(forecast(8_400, going(120), 15)).toEqual({ kind: 'growing', text: '+120/s' })
  expect(forecast(0, going(3.25), 15)).toEqual({ kind: 'growing', text: '+3.3/s' })
})

it('predicts nothing from a few seconds, nor when little happens', () => {
  expect(forecast(8_400, going(-10), 4).text).toBe('')
  expect(forecast(0, going(0), 15).text).toBe('')
  expect(forecast(5, going(0.1), 15).text).toBe('steady')
  expect(forecast(1e9, going(-1), 15).text).toBe('steady')
  expect(forecast(9, { sent: 5, committed: 5.6, waiting: -0.6 }, 15).text).toBe('steady')
})

it('reports a limit that is near, and none when there is none', () => {
  expect(nearLimit({ rateMax: 0, inflightMax: 10 }, { inflight: 9 }, noActivity)).toBe('9 of 10 in flight')
  expect(nearLimit({ rateMax: 50, inflightMax: 0 }, { inflight: 9 }, { delivered: 48 })).toBe(
    '48/s of 50/s delivered',
  )
  expect(nearLimit({ rateMax: 0, inflightMax: 0 }, { inflight: 9 }, { delivered: 48 })).toBeUndefined()
  expect(nearLimit({ rateMax: 50, inflightMax: 10 }, { inflight: 8 }, { delivered: 44 })).toBeUndefined()
})

it('knows no share of retries when nothing was delivered', () => {
  expect(retryShare(noActivity)).toBeUndefined()
  expect(retryShare({ ...noActivity, delivered: 8, redelivered: 2 })).toBe(0.25)
})
