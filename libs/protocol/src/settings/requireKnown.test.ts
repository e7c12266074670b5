import { describe, expect, it } from 'vitest'
import { defaultQueueConfig } from './defaultQueueConfig.ts'
import { requireKnownOwn, requireKnown } from './requireKnown.ts'

const newer = (what: RegExp) =>
  expect.objectContaining({ id: 'FutureVersion', message: expect.stringMatching(what) })

describe('settings on record', () => {
  it('are known where this version has all of them, in any number', () => {
    requireKnown({}, 'mail')
    requireKnown({ ...defaultQueueConfig }, 'mail')
    requireKnown(
      { deadLetter: { name: 'dead', partition: 1, queue: 4 }, retry: { kind: 'rocketmq' } },
      'mail',
    )
    requireKnownOwn({ leaseMs: 5, deadLetter: null, tags: ['a'] }, 'mail', 'audit')
    requireKnownOwn({ tags: null }, 'mail', 'audit')
  })
  it('are refused for a name that no version up to this one had, with what to do', () => {
    expect(() => requireKnown({ leaseMs: 5, weather: 'blue' }, 'mail')).toThrow(
      newer(/queue "mail" has the setting weather.*a newer Kiroku wrote it.*install that version/),
    )
    expect(() => requireKnownOwn({ weather: 1 }, 'mail', 'audit')).toThrow(
      newer(/subscription "audit" of queue "mail" has the setting weather/),
    )
  })
  it('are refused for the name of what every object has', () => {
    expect(() => requireKnown({ constructor: 1 }, 'mail')).toThrow(newer(/setting constructor/))
  })
  it('are refused for a choice or a kind of retry that this version does not have', () => {
    expect(() => requireKnown({ erasable: 'tenant' }, 'mail')).toThrow(newer(/setting erasable as "tenant"/))
    expect(() => requireKnown({ retry: { kind: 'fibonacci' } }, 'mail')).toThrow(
      newer(/setting retry as .*fibonacci/),
    )
    expect(() => requireKnownOwn({ exhaustion: 'never' }, 'mail', 'main')).toThrow(
      newer(/setting exhaustion/),
    )
  })
  it('are refused where a subscription has what only queues have in this version', () => {
    expect(() => requireKnownOwn({ retentionMs: 5 }, 'mail', 'main')).toThrow(newer(/setting retentionMs/))
  })
  it('may be out of the range of today, which earlier versions may have had wider', () => {
    requireKnown({ leaseMs: -1 }, 'mail')
  })
})
