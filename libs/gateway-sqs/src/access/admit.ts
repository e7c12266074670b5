import { isLoopback, roleFor, type Need } from '@kiroku/doors'
import type { QueueDescription } from '@kiroku/protocol'
import { policyOf } from '../queue/attributes.ts'
import type { Queues } from '../queue/Queues.ts'
import { SqsError } from '../SqsError.ts'
import { callerArn, type Caller } from './Caller.ts'
import type { Facts } from './policy/conditions.ts'
import { decide, type Asked } from './policy/decide.ts'
import { grantable } from './policy/permissions.ts'
import { readPolicy, type Policy } from './policy/Policy.ts'

/** A request as policies see it. */
export interface Request {
  readonly action: string
  readonly need: Need
  readonly caller: Caller
  /** The account of the door, whose queues they are. */
  readonly account: string
  readonly peer: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
}

/**
 * Refuses what a caller may not do. Those of the door's account do what their role includes, unless the policy of the queue denies it;
 * those of other accounts, and nobody, only what it allows, and the former no more than their role includes.
 * Errors: `AccessDenied`, `MissingAuthenticationToken`, `Forbidden`.
 */
export const admit = async (request: Request, queues: Pick<Queues, 'find'>): Promise<void> => {
  const { action, need, caller, account } = request
  const isOwn = caller.account === account
  if (caller.account !== undefined) roleFor(caller, need)
  const queue = typeof need.on === 'object' ? need.on.queue : undefined
  const single = action.replace(/Batch$/, '')
  if (!isOwn && (queue === undefined || !grantable.has(single))) throw denied(request, 'owner')
  if (queue === undefined) return
  const found = await queues.find(queue)
  const policy = found === undefined ? undefined : readOnce(found)
  const said = policy === undefined ? undefined : decide(policy, askedOf(request, single, queue))
  if (said === 'deny' || (!isOwn && said !== 'allow')) throw denied(request, 'policy')
}

const askedOf = (request: Request, single: string, queue: string): Asked => {
  const { action, caller, account } = request
  return {
    actions: single === action ? [action] : [single, action],
    account,
    queue,
    caller: caller.account === undefined ? undefined : { account: caller.account, arn: callerArn(caller)! },
    facts: factsOf(request),
  }
}

/** Denies everything: what cannot be read may have been meant to. */
const unreadable: Policy = [
  {
    sid: undefined,
    effect: 'Deny',
    principals: '*',
    actions: ['*'],
    notActions: false,
    resources: ['*'],
    notResources: false,
    conditions: () => true,
  },
]

const read = new WeakMap<QueueDescription, Policy>()

/** The policy of a queue, which is read once for each time the queue is asked for. */
const readOnce = (queue: QueueDescription): Policy | undefined => {
  const text = policyOf(queue)
  if (text === undefined) return undefined
  let policy = read.get(queue)
  if (policy === undefined) {
    try {
      policy = readPolicy(text)
    } catch {
      policy = unreadable
    }
    read.set(queue, policy)
  }
  return policy
}

/** What the door knows of a request, which conditions may ask for. */
const factsOf = ({ caller, peer, headers }: Request): Facts => {
  const { account, name, keyId } = caller
  const text = (header: string): string | undefined => {
    const value = headers[header]
    return typeof value === 'string' ? value : undefined
  }
  const nowMs = Date.now()
  const address = peer.replace(/^::ffff:/, '')
  // What comes over loopback crosses no network, unless a proxy says that it did before.
  const isSecure = isLoopback(address) && (text('x-forwarded-proto') ?? 'https').toLowerCase() === 'https'
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['aws:currenttime', new Date(nowMs).toISOString()],
    ['aws:epochtime', String(Math.floor(nowMs / 1_000))],
    ['aws:principalaccount', account],
    ['aws:principalarn', callerArn(caller)],
    ['aws:principalisawsservice', 'false'],
    ['aws:principaltype', account === undefined ? 'Anonymous' : 'User'],
    ['aws:securetransport', String(isSecure)],
    ['aws:sourceip', address],
    ['aws:useragent', text('user-agent')],
    ['aws:userid', keyId],
    ['aws:username', account === undefined ? undefined : name],
    ['aws:viaawsservice', 'false'],
  ]
  return new Map(facts.filter((fact): fact is readonly [string, string] => fact[1] !== undefined))
}

/** Who is not of the account hears the same whether the queue is there or not. */
const denied = ({ action, caller, need, account }: Request, why: 'owner' | 'policy'): SqsError => {
  if (caller.account === undefined)
    return new SqsError('MissingAuthenticationToken', 'Request is missing Authentication Token')
  const on = typeof need.on === 'object' ? ` on queue ${need.on.queue}` : ''
  const reason =
    why === 'owner'
      ? 'because only callers of the account of the queue may'
      : caller.account === account
        ? 'with an explicit deny in a resource-based policy'
        : 'because no resource-based policy allows it'
  return new SqsError(
    'AccessDenied',
    `User: ${callerArn(caller)} is not authorized to perform: sqs:${action.toLowerCase()}${on} ${reason}`,
  )
}
