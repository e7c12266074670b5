import { type GraphEdge, machineGraph, type Policy } from '@kiroku/message'
import { limits, type stateNames } from '@kiroku/protocol'
import { duration } from '../../parts/format.ts'

type StateName = (typeof stateNames)[number]

/** What is known of a message for the guards. Times are ms of partition time. */
export interface Facts {
  readonly state: StateName
  readonly attempt: number
  readonly delivery: number
  readonly leaseUntil: number
  readonly dueAt: number
  readonly now: number
  /** Absent: the queue no longer exists. */
  readonly policy?: Policy
}

/** Whether a guard holds, fails, or depends on who asks and how; with a reason in words. */
interface Verdict {
  readonly is: 'holds' | 'fails' | 'depends'
  readonly says: string
}

/** A transition of the machine for one message now. */
export interface NextStep {
  readonly event: string
  readonly to: string
  readonly isPossible: boolean
  /** What it waits for, or why it is impossible. */
  readonly says: readonly string[]
}

const verdict = (holds: boolean, yes: string, no: string): Verdict =>
  holds ? { is: 'holds', says: yes } : { is: 'fails', says: no }

const unknown = (says: string): Verdict => ({ is: 'depends', says })

const guards: Readonly<Record<string, (facts: Facts) => Verdict>> = {
  dueNow: ({ now, dueAt }) => verdict(now >= dueAt, 'it is due', `due in ${duration(dueAt - now)}`),
  dueLater: () => unknown('if a delay is requested, or the retry policy has one'),
  leaseOver: ({ now, leaseUntil }) =>
    verdict(
      now >= leaseUntil,
      'its lease has expired',
      `its lease lasts another ${duration(leaseUntil - now)}`,
    ),
  leaseHolder: ({ delivery }) =>
    unknown(`only by who holds delivery ${delivery === 0 ? '' : `${delivery} `}`.trim()),
  withinLeaseCap: () => unknown('within the longest lease that its queue allows'),
  lateHandle: ({ policy, attempt }) =>
    attempt === 0
      ? verdict(false, '', 'it was never delivered')
      : policy === undefined
        ? unknown('if its queue accepts late acknowledgements')
        : policy.lateHandles === 'accept'
          ? unknown('late, by who held an earlier delivery')
          : verdict(false, '', 'its queue refuses late acknowledgements'),
  attemptsUsedUp: ({ policy, attempt }) =>
    policy === undefined
      ? unknown('if no attempt is left')
      : verdict(
          policy.exhaustion === 'onExpiry' && attempt >= policy.attemptsMax,
          `attempt ${attempt} of ${policy.attemptsMax} is the last`,
          policy.exhaustion === 'onExpiry'
            ? policy.attemptsMax === limits.attemptsMax
              ? 'its retries are unlimited'
              : `it is attempt ${attempt} of ${policy.attemptsMax}`
            : 'its queue dead-letters on the next receive',
        ),
  noAttemptLeft: ({ policy, attempt }) =>
    policy === undefined
      ? unknown('if no attempt is left')
      : verdict(
          policy.exhaustion === 'onNextReceive' && attempt >= policy.attemptsMax,
          `all ${policy.attemptsMax} attempts are made`,
          policy.exhaustion === 'onNextReceive'
            ? policy.attemptsMax === limits.attemptsMax
              ? 'its retries are unlimited'
              : `${attempt} of ${policy.attemptsMax} attempts are made`
            : 'its queue dead-letters on failure',
        ),
  hasDeadLetter: ({ policy }) =>
    policy === undefined
      ? unknown('if its queue has a dead-letter queue')
      : verdict(
          policy.hasDeadLetter,
          'its queue has a dead-letter queue',
          'its queue has no dead-letter queue',
        ),
}

const { nodes, edges } = machineGraph()

/** What a state itself allows, then what its group allows. */
const edgesOf = (state: StateName): GraphEdge[] => {
  const parent = nodes.find(({ name }) => name === state)?.parent
  return [state, parent === '' ? undefined : parent].flatMap((name) =>
    edges.filter(({ from }) => from === name),
  )
}

/** All transitions of the machine from a message's state, and whether each can be taken now. */
export const nextSteps = (facts: Facts): readonly NextStep[] => {
  const before: { readonly event: string; readonly guards: readonly string[]; readonly to: string }[] = []
  return edgesOf(facts.state).map(({ event, to, guards: named }) => {
    const verdicts = named.map((name) => guards[name]?.(facts) ?? unknown(name))
    const failing = verdicts.filter(({ is }) => is === 'fails')
    // Of those with the same event the first that holds is taken: one with the same open conditions certainly
    // comes first.
    const first = before.find(
      (each) => each.event === event && each.guards.every((name) => named.includes(name)),
    )
    if (failing.length === 0)
      before.push({ event, to, guards: named.filter((_, i) => verdicts[i]!.is === 'depends') })
    const isPossible = failing.length === 0 && first === undefined
    const says =
      failing.length > 0
        ? failing
        : first !== undefined
          ? [{ says: `it goes to ${first.to} instead` }]
          : verdicts
    return { event, to: to === 'Ready' ? 'Available' : to, isPossible, says: says.map((each) => each.says) }
  })
}
