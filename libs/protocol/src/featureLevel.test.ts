import { describe, expect, it } from 'vitest'
import type { LogEvent } from './event/LogEvent.ts'
import { featureLevel, inForce, introduced, type Introduced, requireInForce } from './featureLevel.ts'
import { defaultQueueConfig } from './settings/defaultQueueConfig.ts'

const by = { name: 'tester', origin: 'test' }
const notFinalized = (what: RegExp) =>
  expect.objectContaining({ id: 'NotFinalized', message: expect.stringMatching(what) })

/** As if these had come with later levels. */
const later: Introduced = {
  events: new Map([['Trimmed', 2]]),
  settings: { idleMs: 2, 'groups=fair': 3 },
}

describe('a feature level', () => {
  it('is that of the last event or setting that came', () => {
    expect(Math.max(...introduced.events.values(), ...Object.values(introduced.settings))).toBe(featureLevel)
  })

  it('lets an event be recorded once it is in force, and no sooner', () => {
    const event: LogEvent = { type: 'Trimmed', upTo: 1 }
    expect(() => requireInForce(event, 1, later)).toThrow(
      notFinalized(/Trimmed needs cluster version 2, but 1 is in force.*kiroku cluster finalize/),
    )
    requireInForce(event, 2, later)
    requireInForce(event, 3, later)
    requireInForce({ type: 'ForeignRecordSkipped', seq: 1 }, 0, later)
  })

  it('is put in force by an event of its own', () => {
    requireInForce({ type: 'ClusterVersionRaised', version: 1, by }, 0)
    expect(() => requireInForce({ type: 'ClusterVersionRaised', version: 0, by }, 0)).toThrow(
      notFinalized(/./),
    )
  })
})

describe('a setting that came with a feature level', () => {
  it('is recorded once that is in force, and refused before', () => {
    expect(() => inForce({ idleMs: 5 }, 1, later)).toThrow(
      notFinalized(/idleMs as 5 needs cluster version 2, but 1 is in force.*kiroku cluster finalize/),
    )
    expect(inForce({ idleMs: 5 }, 2, later)).toEqual({ idleMs: 5 })
  })

  it('is left out before while it has its default, so that older nodes find nothing that they do not know', () => {
    const { idleMs: _, ...known } = defaultQueueConfig
    expect(inForce(defaultQueueConfig, 1, later)).toEqual(known)
    expect(inForce(defaultQueueConfig, 2, later)).toEqual(defaultQueueConfig)
  })

  it('may be a choice of one that was there before', () => {
    expect(inForce({ groups: 'ordered' }, 0, later)).toEqual({ groups: 'ordered' })
    expect(() => inForce({ groups: 'fair' }, 2, later)).toThrow(notFinalized(/groups as "fair"/))
    expect(inForce({ groups: 'fair' }, 3, later)).toEqual({ groups: 'fair' })
  })
})
