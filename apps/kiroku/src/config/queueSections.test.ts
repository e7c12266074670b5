import { readLocated } from '@kiroku/worker/located'
import { describe, expect, it } from 'vitest'
import type { ConfigFile } from './ConfigFile.ts'
import { queueSections } from './queueSections.ts'

const sectionsIn = (text: string) => queueSections(readLocated('conf/kiroku.jsonc', text) as ConfigFile)

describe('the queues of a configuration file', () => {
  it('are read with numbers, or strings as on the command line', () => {
    const text = `{
      "log": "main",
      "queues": {
        "mail": {
          "leaseMs": "1m", // or 60000
          "deliveryDelayMs": 5000,
          "bodyBytesMax": "2MiB",
          "retriesMax": 5,
          "retry": "exponential:1s,2,10m,0.2",
          "exhaustion": "onNextReceive",
          "deadLetter": "mail-dlq",
        },
        "mail-dlq": { "deadLetter": null, "retry": { "kind": "fixed", "delayMs": 7 } },
        "plain": {},
        "events": {
          "subscriptions": {
            "audit": { "leaseMs": "2m", "tags": ["paid"], "deadLetter": "audit-dlq" },
            "all": {},
          },
        },
      },
    }`
    expect(sectionsIn(text)).toEqual({
      source: 'kiroku.jsonc',
      sections: {
        mail: {
          leaseMs: 60_000,
          deliveryDelayMs: 5_000,
          bodyBytesMax: 2 * 1024 * 1024,
          retriesMax: 5,
          retry: { kind: 'exponential', baseMs: 1_000, factor: 2, maxMs: 600_000, jitter: 0.2 },
          exhaustion: 'onNextReceive',
          deadLetter: 'mail-dlq',
        },
        'mail-dlq': { deadLetter: null, retry: { kind: 'fixed', delayMs: 7 } },
        plain: {},
        events: {
          subscriptions: {
            audit: { leaseMs: 120_000, tags: ['paid'], deadLetter: 'audit-dlq' },
            all: {},
          },
        },
      },
    })
    expect(sectionsIn('{}').sections).toEqual({})
  })

  it.each([
    [
      '"leaseSeconds": 5',
      /^conf\/kiroku.jsonc:3:3: queues.mail: there is no setting "leaseSeconds"; there are leaseMs, /,
    ],
    ['"leaseMs": -1', /^conf\/kiroku.jsonc:3:3: queues.mail: leaseMs must be from 0 ms to 12 h/],
    ['"leaseMs": "30"', /3:3: queues.mail: leaseMs: "30" is not a duration/],
    ['"retriesMax": 1001', /retriesMax must be a whole number from 0 to 1000 or "unlimited", not 1001/],
    ['"retriesMax": "5"', /retriesMax must be a whole number .* not "5"/],
    ['"exhaustion": "never"', /exhaustion must be one of onExpiry, onNextReceive, not "never"/],
    ['"retry": "exponential:1s,0.5"', /queues.mail: retry: "exponential:1s,0.5" needs a factor/],
    ['"retry": 5', /retry.kind must be one of/],
    ['"deadLetter": "a b"', /a b/],
    ['"deadLetter": 5', /deadLetter must be the name of a queue, or null, not 5/],
    ['"subscriptions": 5', /:3:3: queues.mail: subscriptions must be an object/],
    ['"subscriptions": { "a": { "leaseMs": -1 } }', /:3:29: queues.mail.subscriptions.a: leaseMs must be/],
    ['"subscriptions": { "a": { "retentionMs": 5 } }', /has no setting "retentionMs" of its own/],
    ['"subscriptions": { "a": { "tags": [] } }', /subscriptions.a: tags must be/],
    ['"subscriptions": { "a b": {} }', /:3:22: queues.mail.subscriptions: .*a b/],
  ])('are refused with line and column where they are wrong: %s', (setting, message) => {
    expect(() => sectionsIn(`{ "queues": {\n "mail": {\n  ${setting} } } }`)).toThrow(
      expect.objectContaining({ id: 'InvalidConfig', message: expect.stringMatching(message) }),
    )
  })

  it.each([
    ['{ "queues": [] }', /:1:3: queues must be an object/],
    ['{ "queues": { "mail": 3 } }', /:1:15: queues: mail must be an object/],
    ['{ "queues": { "a b": {} } }', /:1:15: queues: .*a b/],
  ])('have a name and an object each: %s', (text, message) => {
    expect(() => sectionsIn(text)).toThrow(message)
  })
})
