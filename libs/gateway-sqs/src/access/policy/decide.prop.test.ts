import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decide, type Asked } from './decide.ts'
import { isLikeText } from './isLikeText.ts'
import { readPolicy } from './Policy.ts'

/** The naive reading of a pattern: a regular expression. */
const matches = (pattern: string, text: string, flags = ''): boolean =>
  new RegExp(
    `^${[...pattern].map((c) => (c === '*' ? '.*' : c === '?' ? '.' : `\\${c}`.replace(/^\\(\w)/, '$1'))).join('')}$`,
    `s${flags}`,
  ).test(text)

interface Written {
  readonly Effect: string
  readonly Principal: '*' | { readonly AWS: readonly string[] }
  readonly Action?: readonly string[]
  readonly NotAction?: readonly string[]
  readonly Resource?: readonly string[]
  readonly NotResource?: readonly string[]
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined
}

/** What a statement means, read member by member from what was written. */
const naive = (statements: readonly Written[], { actions, queue, account, caller, facts }: Asked) => {
  const effects = statements
    .filter(({ Principal }) => {
      if (Principal === '*') return true
      if (caller === undefined) return false
      return Principal.AWS.some((each) =>
        [caller.account, `arn:aws:iam::${caller.account}:root`, caller.arn].includes(each),
      )
    })
    .filter(({ Action, NotAction }) => {
      const isNamed = (patterns: readonly string[]) =>
        patterns.some((each) => actions.some((action) => matches(each, `sqs:${action}`, 'i')))
      return Action === undefined ? !isNamed(NotAction!) : isNamed(Action)
    })
    .filter(({ Resource, NotResource }) => {
      const isNamed = (patterns: readonly string[]) =>
        patterns.some((each) => matches(each, `arn:aws:sqs:${each.split(':')[3]}:${account}:${queue}`))
      return Resource === undefined ? !isNamed(NotResource!) : isNamed(Resource)
    })
    .filter(({ Effect, Condition = {} }) => {
      const verdicts = Object.entries(Condition).flatMap(([operator, keys]) =>
        Object.entries(keys).map(([key, wanted]) => {
          const has = facts.get(key)
          if (has === undefined) return 'unknown'
          if (operator === 'StringEquals') return has === wanted ? 'yes' : 'no'
          if (operator === 'StringNotLike') return matches(wanted, has) ? 'no' : 'yes'
          return 'unknown'
        }),
      )
      if (verdicts.includes('no')) return false
      return Effect === 'Deny' || !verdicts.includes('unknown')
    })
    .map(({ Effect }) => Effect)
  return effects.includes('Deny') ? 'deny' : effects.includes('Allow') ? 'allow' : undefined
}

const some = (...texts: readonly string[]) =>
  fc.subarray([...texts], { minLength: 1, maxLength: 3 }).map((each): readonly string[] => each)
const action = some(
  '*',
  'sqs:*',
  'SQS:SendMessage',
  'sqs:send*',
  'sqs:Receive?essage',
  'sqs:SendMessageBatch',
)
const resource = some(
  '*',
  'arn:aws:sqs:*:*:orders*',
  'arn:aws:sqs:eu-1:000000000000:orders',
  'arn:aws:sqs:us-1:111111111111:*',
  'arn:aws:sqs::0000*:m?il',
)
const principal = fc.oneof(
  fc.constant<'*'>('*'),
  some('111111111111', 'arn:aws:iam::222222222222:root', 'arn:aws:iam::111111111111:user/ada').map((AWS) => ({
    AWS,
  })),
)
const condition = fc.dictionary(
  fc.constantFrom('StringEquals', 'StringNotLike', 'ForAnyValue:StringLike'),
  fc.dictionary(
    fc.constantFrom('aws:username', 'aws:sourceip', 'my:key'),
    fc.constantFrom('ada', '10.*', 'x'),
  ),
)
const statement = fc
  .record({
    Effect: fc.constantFrom('Allow', 'Deny'),
    who: principal,
    action: fc.record({ not: fc.boolean(), texts: action }),
    resource: fc.record({ not: fc.boolean(), texts: resource }),
    Condition: fc.option(condition, { nil: undefined }),
  })
  .map(({ action: a, resource: r, who, ...rest }): Written => ({
    ...rest,
    Principal: who,
    ...(a.not ? { NotAction: a.texts } : { Action: a.texts }),
    ...(r.not ? { NotResource: r.texts } : { Resource: r.texts }),
  }))
const asked = fc
  .record({
    action: fc.constantFrom(['SendMessage'], ['SendMessage', 'SendMessageBatch'], ['ReceiveMessage']),
    queue: fc.constantFrom('orders', 'orders-eu', 'mail'),
    user: fc.constantFrom(
      undefined,
      ['111111111111', 'ada'],
      ['111111111111', 'olga'],
      ['222222222222', 'ada'],
    ),
    ip: fc.constantFrom('10.1.2.3', '127.0.0.1'),
  })
  .map(({ action: actions, queue, user, ip }): Asked => {
    const [account, name] = user ?? []
    return {
      actions,
      queue,
      account: '000000000000',
      caller: account === undefined ? undefined : { account, arn: `arn:aws:iam::${account}:user/${name}` },
      facts: new Map([
        ['aws:sourceip', ip],
        ...(name === undefined ? [] : [['aws:username', name] as const]),
      ]),
    }
  })

describe('a policy', () => {
  it('says what its statements say one by one', () => {
    const seen = new Set<string | undefined>()
    fc.assert(
      fc.property(fc.array(statement, { minLength: 1, maxLength: 4 }), asked, (statements, of) => {
        const said = decide(readPolicy(JSON.stringify({ Statement: statements })), of)
        seen.add(said)
        expect(said).toBe(naive(statements, of))
      }),
      { numRuns: 2_000 },
    )
    expect(seen.size).toBe(3)
  })

  it('reads any text, or refuses it as an error of SQS', () => {
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((each) => `{"Statement":[${each}]}`),
    )
    fc.assert(
      fc.property(text, (each) => {
        try {
          readPolicy(each)
        } catch (error) {
          expect(error).toHaveProperty('kind', 'InvalidAttributeValue')
        }
      }),
    )
  })
})

it('a pattern is like the texts that its regular expression matches', () => {
  const letters = (of: string, maxLength: number) =>
    fc.array(fc.constantFrom(...of), { maxLength }).map((each) => each.join(''))
  fc.assert(
    fc.property(letters('ab*?', 8), letters('ab', 10), (pattern, text) => {
      expect(isLikeText(pattern, text)).toBe(matches(pattern, text))
    }),
    { numRuns: 5_000 },
  )
})
