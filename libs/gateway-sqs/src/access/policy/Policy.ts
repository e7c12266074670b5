import { SqsError } from '../../SqsError.ts'
import { isObject } from '../../wire/isObject.ts'
import { readConditions, type Conditions } from './conditions.ts'

/** Whom a statement is about: everyone, or accounts and users by their ARNs. */
type Principals = '*' | readonly string[]

/** One statement, with lists where single values may stand. */
export interface Statement {
  readonly sid: string | undefined
  readonly effect: 'Allow' | 'Deny'
  readonly principals: Principals
  readonly actions: readonly string[]
  /** The actions are those that it is not about. */
  readonly notActions: boolean
  readonly resources: readonly string[]
  readonly notResources: boolean
  readonly conditions: Conditions
}

/** A policy of a queue, as it is decided by. */
export type Policy = readonly Statement[]

/** A policy as it is written. */
export interface PolicyDocument {
  readonly Version?: string
  readonly Id?: string
  readonly Statement: unknown
}

export const statementsMax = 20
const bytesMax = 8_192
const principalsMax = 50

/** A policy that is not taken. */
const malformed = (why: string): SqsError =>
  new SqsError('InvalidAttributeValue', `Invalid value for the parameter Policy. Reason: ${why}`)

/** Reads a policy strictly: what is not understood is not kept. Errors: `InvalidAttributeValue`, `OverLimit`. */
export const readPolicy = (text: string): Policy => {
  if (Buffer.byteLength(text) > bytesMax) throw malformed(`A policy can have ${bytesMax} bytes.`)
  const document = parseDocument(text)
  const unknown = Object.keys(document).find((name) => !['Version', 'Id', 'Statement'].includes(name))
  if (unknown !== undefined) throw malformed(`A policy has no member ${quoted(unknown)}.`)
  const { Version = '2008-10-17', Id = '' } = document
  if (Version !== '2008-10-17' && Version !== '2012-10-17')
    throw malformed('Version must be 2008-10-17 or 2012-10-17.')
  if (typeof Id !== 'string') throw malformed('Id must be a text.')
  const statements = statementsOf(document)
  if (statements.length === 0) throw malformed('A policy needs a statement.')
  if (statements.length > statementsMax)
    throw new SqsError(
      'OverLimit',
      `${statements.length} statements were found, maximum allowed is ${statementsMax}.`,
    )
  const read = statements.map(readStatement)
  const sids = read.flatMap(({ sid }) => (sid === undefined ? [] : [sid]))
  if (new Set(sids).size < sids.length) throw malformed('Each Sid must be unique.')
  return read
}

/** The JSON of a policy. Errors: `InvalidAttributeValue`. */
export const parseDocument = (text: string): PolicyDocument => {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value as unknown as PolicyDocument
  } catch {
    // It is no JSON.
  }
  throw malformed('A policy is an object in JSON.')
}

/** The statements of a policy, as they are written. */
export const statementsOf = ({ Statement }: PolicyDocument): readonly unknown[] =>
  Array.isArray(Statement) ? Statement : Statement === undefined ? [] : [Statement]

const members = new Set([
  'Sid',
  'Effect',
  'Principal',
  'Action',
  'NotAction',
  'Resource',
  'NotResource',
  'Condition',
])

const readStatement = (value: unknown): Statement => {
  if (!isObject(value)) throw malformed('A statement is an object.')
  const unknown = Object.keys(value).find((name) => !members.has(name))
  if (unknown !== undefined) throw malformed(`A statement has no member ${quoted(unknown)} here.`)
  const { Sid: sid, Effect: effect } = value
  if (sid !== undefined && typeof sid !== 'string') throw malformed('Sid must be a text.')
  if (effect !== 'Allow' && effect !== 'Deny') throw malformed('Effect must be Allow or Deny.')
  const actions = either(value, 'Action')
  const wrongAction = actions.texts.find((each) => each !== '*' && !/^sqs:[a-z*?]+$/i.test(each))
  if (wrongAction !== undefined) throw malformed(`${quoted(wrongAction)} is no action of SQS.`)
  const resources = either(value, 'Resource')
  const wrongResource = resources.texts.find((each) => !isResource(each))
  if (wrongResource !== undefined) throw malformed(`${quoted(wrongResource)} is no ARN of queues.`)
  return {
    sid,
    effect,
    principals: readPrincipals(value['Principal']),
    actions: actions.texts,
    notActions: actions.isNot,
    resources: resources.texts,
    notResources: resources.isNot,
    conditions: readConditions(value['Condition'], malformed),
  }
}

/** A member or its opposite, exactly one of which a statement has. */
const either = (
  statement: Readonly<Record<string, unknown>>,
  name: string,
): { readonly texts: readonly string[]; readonly isNot: boolean } => {
  const isNot = statement[`Not${name}`] !== undefined
  if (isNot === (statement[name] !== undefined)) throw malformed(`A statement needs ${name} or Not${name}.`)
  const texts = textsOf(statement[isNot ? `Not${name}` : name])
  if (texts === undefined || texts.length === 0) throw malformed(`${name} must be texts.`)
  return { texts, isNot }
}

/** `*`, or an ARN of queues, in whose parts `*` and `?` may stand. */
const isResource = (text: string): boolean =>
  text === '*' || /^arn:[\w*?-]+:sqs:[\w*?-]*:[\d*?]*:[\w.*?-]+$/.test(text)

const readPrincipals = (value: unknown): Principals => {
  if (value === '*') return '*'
  const kinds = isObject(value) ? Object.keys(value) : []
  const texts = isObject(value) ? kinds.flatMap((kind) => textsOf(value[kind]) ?? ['']) : []
  if (texts.length === 0) throw malformed('Principal must be "*", or an object with AWS.')
  if (texts.length > principalsMax) throw malformed(`A policy can name ${principalsMax} principals.`)
  const own = isObject(value) ? (textsOf(value['AWS']) ?? []) : []
  if (own.includes('*')) return '*'
  const wrong = own.find((each) => !/^(\d{12}|arn:[\w-]+:(iam|sts)::\d{12}:[\w+=,.@/-]+)$/.test(each))
  if (wrong !== undefined)
    throw malformed(`${quoted(wrong)} is no principal: write an account, the ARN of a user, or *.`)
  const foreign = kinds.find((kind) => !['AWS', 'Service', 'Federated', 'CanonicalUser'].includes(kind))
  if (foreign !== undefined) throw malformed(`There are no principals of the kind ${quoted(foreign)}.`)
  // Services and federated users never ask here: they are kept, and match nobody.
  return own
}

/** One text or several; undefined: it is neither. */
const textsOf = (value: unknown): readonly string[] | undefined => {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
    ? (value as readonly string[])
    : undefined
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 100))
