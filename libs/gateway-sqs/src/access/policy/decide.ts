import type { Facts } from './conditions.ts'
import { isLikeText } from './isLikeText.ts'
import type { Policy, Statement } from './Policy.ts'

/** What a policy is asked about. */
export interface Asked {
  /** The action by the names that statements may have for it: its own, and that of a batch's single action. */
  readonly actions: readonly string[]
  readonly account: string
  readonly queue: string
  /** Of the caller: its account and its ARN; undefined: nobody signed. */
  readonly caller: { readonly account: string; readonly arn: string } | undefined
  readonly facts: Facts
}

/**
 * What a policy says: `deny` where a statement denies, else `allow` where one allows, else nothing. A condition that is not
 * understood never allows, and denies where it would.
 */
export const decide = (policy: Policy, asked: Asked): 'allow' | 'deny' | undefined => {
  let said: 'allow' | undefined
  for (const statement of policy) {
    if (!isAbout(statement, asked)) continue
    const holds = statement.conditions(asked.facts)
    if (statement.effect === 'Deny' && holds !== false) return 'deny'
    if (statement.effect === 'Allow' && holds === true) said = 'allow'
  }
  return said
}

const isAbout = (
  { principals, actions, notActions, resources, notResources }: Statement,
  asked: Asked,
): boolean =>
  (principals === '*' || principals.some((each) => isPrincipal(each, asked.caller))) &&
  actions.some((each) => isAction(each, asked.actions)) !== notActions &&
  resources.some((each) => isResource(each, asked)) !== notResources

/** An account stands for all of its users. */
const isPrincipal = (principal: string, caller: Asked['caller']): boolean => {
  if (caller === undefined) return false
  const [, account, who] = /^arn:[\w-]+:iam::(\d{12}):(.+)$/.exec(principal) ?? [, principal, 'root']
  return account === caller.account && (who === 'root' || caller.arn.endsWith(`:${who}`))
}

const isAction = (pattern: string, actions: readonly string[]): boolean =>
  pattern === '*' ||
  actions.some((action) => isLikeText(pattern.toLowerCase(), `sqs:${action.toLowerCase()}`))

/** The door is one region, which its callers name as they like: it decides nothing. */
const isResource = (pattern: string, { account, queue }: Asked): boolean => {
  if (pattern === '*') return true
  const [, , , , ofAccount = '', name = ''] = pattern.split(':')
  return isLikeText(ofAccount, account) && isLikeText(name, queue)
}
