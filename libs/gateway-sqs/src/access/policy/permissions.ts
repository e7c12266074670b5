import { invalid, missing, SqsError } from '../../SqsError.ts'
import { isObject } from '../../wire/isObject.ts'
import { parseDocument, readPolicy, statementsMax, statementsOf } from './Policy.ts'

/** Actions that callers of other accounts, and nobody, can be let do; the others are the owner's alone. */
export const grantable: ReadonlySet<string> = new Set([
  'ChangeMessageVisibility',
  'DeleteMessage',
  'GetQueueAttributes',
  'GetQueueUrl',
  'ListDeadLetterSourceQueues',
  'PurgeQueue',
  'ReceiveMessage',
  'SendMessage',
])

const actionsMax = 7

/** What is added to a policy under a label. */
export interface Permission {
  readonly label: string
  readonly accounts: readonly string[]
  readonly actions: readonly string[]
}

/** Errors: `MissingParameter`, `InvalidParameterValue`, `OverLimit`. */
const checkPermission = ({ label, accounts, actions }: Permission): void => {
  if (!/^[A-Za-z0-9_-]{1,80}$/.test(label))
    throw invalid(
      'Label',
      label.slice(0, 200),
      'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length.',
    )
  if (actions.length === 0) throw missing('Actions')
  if (actions.length > actionsMax)
    throw new SqsError('OverLimit', `${actions.length} Actions were found, maximum allowed is ${actionsMax}.`)
  if (accounts.length === 0 || accounts.some((each) => !/^\d{12}$/.test(each)))
    throw invalid('PrincipalId', `[${accounts.join(', ').slice(0, 200)}]`, 'Unable to verify.')
  const owners = actions.find((each) => each !== '*' && !grantable.has(each))
  if (owners !== undefined)
    throw invalid(
      'ActionName',
      `SQS:${owners.slice(0, 100)}`,
      'Only the queue owner is allowed to invoke this action.',
    )
}

const sidOf = (statement: unknown): unknown => (isObject(statement) ? statement['Sid'] : undefined)

const oneOrMany = (texts: readonly string[]): string | readonly string[] =>
  texts.length === 1 ? texts[0]! : texts

/** A policy with one more statement. Errors: `MissingParameter`, `InvalidParameterValue`, `OverLimit`. */
export const withPermission = (policy: string | undefined, permission: Permission, arn: string): string => {
  checkPermission(permission)
  const { label, accounts, actions } = permission
  const document =
    policy === undefined
      ? { Version: '2008-10-17', Id: `${arn}/SQSDefaultPolicy`, Statement: [] }
      : parseDocument(policy)
  const statements = statementsOf(document)
  if (statements.some((each) => sidOf(each) === label)) throw invalid('Label', label, 'Already exists.')
  if (statements.length >= statementsMax)
    throw new SqsError('OverLimit', `A policy can have ${statementsMax} statements.`)
  const added = {
    Sid: label,
    Effect: 'Allow',
    Principal: { AWS: oneOrMany(accounts.map((account) => `arn:aws:iam::${account}:root`)) },
    Action: oneOrMany(actions.map((action) => `SQS:${action}`)),
    Resource: arn,
  }
  const text = JSON.stringify({ ...document, Statement: [...statements, added] })
  readPolicy(text)
  return text
}

/** A policy without the statement of a label; empty: nothing is left of it. Errors: `InvalidParameterValue`. */
export const withoutPermission = (policy: string | undefined, label: string): string => {
  const document = policy === undefined ? { Statement: [] } : parseDocument(policy)
  const statements = statementsOf(document)
  const left = statements.filter((each) => sidOf(each) !== label)
  if (left.length === statements.length) throw invalid('Label', label.slice(0, 200), "can't find label.")
  return left.length === 0 ? '' : JSON.stringify({ ...document, Statement: left })
}
