import { describe, expect, it } from 'vitest'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { redriveOptionsOf } from './redriveOptions.ts'

const now = Date.UTC(2026, 10, 21)
const options = (flags: Readonly<Record<string, string | number | boolean>>) =>
  redriveOptionsOf(
    {
      text: (name: string) => flags[name] as string | undefined,
      int: (name: string) => flags[name] as number | undefined,
      flag: (name: string) => flags[name] === true,
    } as Invocation,
    now,
  )

describe('the flags of a redrive', () => {
  it('are empty by default', () => {
    expect(options({})).toEqual({})
  })
  it('become its target, its filter and its limits', () => {
    expect(
      options({
        to: 'inspect',
        tag: 'eu',
        cause: 'retry',
        error: 'no stock',
        attributes: 'tenant=acme,kind=a=b',
        after: '2h',
        before: '2026-11-20T12:00:00Z',
        rate: 50,
        max: 100,
        'dry-run': true,
      }),
    ).toEqual({
      to: 'inspect',
      filter: {
        tag: 'eu',
        cause: 'retry',
        error: 'no stock',
        attributes: { tenant: 'acme', kind: 'a=b' },
        enqueuedAfter: now - 7_200_000,
        enqueuedBefore: Date.UTC(2026, 10, 20, 12),
      },
      rateMax: 50,
      messagesMax: 100,
      dryRun: true,
    })
  })
  it.each([{ after: 'yesterday' }, { before: '2026-99-99' }, { attributes: 'tenant' }])(
    'are refused when they make no sense: %j',
    (flags) => {
      expect(() => options(flags)).toThrow(expect.objectContaining({ id: 'InvalidArgument' }) as Error)
    },
  )
})
