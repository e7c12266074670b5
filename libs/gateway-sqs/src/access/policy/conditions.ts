import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { isObject } from '../../wire/isObject.ts'
import { isLikeText } from './isLikeText.ts'

/** What the door knows of a request, by the names of condition keys in lower case. */
export type Facts = ReadonlyMap<string, string>

/** Whether a condition holds; undefined: it is not understood. */
type Verdict = boolean | undefined

/** Whether all conditions of a statement hold. */
export type Conditions = (facts: Facts) => Verdict

/** Keys of which the door knows that no request here has them: nothing comes by way of another service or a VPC. */
const absent = new Set([
  'aws:multifactorauthpresent',
  'aws:sourceaccount',
  'aws:sourcearn',
  'aws:sourceorgid',
  'aws:sourcevpc',
  'aws:sourcevpce',
])

/** Compares what a request has with one value of a condition; undefined: the value is not understood. */
type Comparison = (has: string, wanted: string) => Verdict

const number = (text: string): number => (/^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN)

/** Dates are written in ISO 8601 or in seconds since 1970. */
const date = (text: string): number => (/^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text))

const ordered =
  (valueOf: (text: string) => number, holds: (has: number, wanted: number) => boolean): Comparison =>
  (has, wanted) => {
    const [a, b] = [valueOf(has), valueOf(wanted)]
    return Number.isNaN(a) || Number.isNaN(b) ? undefined : holds(a, b)
  }

const inNetwork: Comparison = (has, wanted) => {
  const [network = '', bits] = wanted.split('/')
  const family = isIPv4(network) ? 'ipv4' : isIPv6(network) ? 'ipv6' : undefined
  const bitsMax = family === 'ipv4' ? 32 : 128
  const length = bits === undefined ? bitsMax : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN
  if (family === undefined || !(length <= bitsMax) || !(isIPv4(has) || isIPv6(has))) return undefined
  // A list finds addresses of version 4 in networks of version 6.
  if (isIPv4(has) !== (family === 'ipv4')) return false
  const list = new BlockList()
  list.addSubnet(network, length, family)
  return list.check(has, family)
}

const flag: Comparison = (has, wanted) =>
  /^(true|false)$/i.test(wanted) ? has.toLowerCase() === wanted.toLowerCase() : undefined

/** The parts of ARNs are compared one by one, so that `*` does not reach beyond its part. */
const likeArn: Comparison = (has, wanted) => {
  const [a, b] = [arnParts(has), arnParts(wanted)]
  return a.length === 6 && b.length === 6 && b.every((part, i) => isLikeText(part, a[i]!))
}
const arnParts = (arn: string): readonly string[] => {
  const parts = arn.split(':')
  return parts.length < 6 ? parts : [...parts.slice(0, 5), parts.slice(5).join(':')]
}

const equal: Comparison = (has, wanted) => has === wanted
const like: Comparison = (has, wanted) => isLikeText(wanted, has)
const equalInAnyCase: Comparison = (has, wanted) => has.toLowerCase() === wanted.toLowerCase()
const sameNumber = ordered(number, (a, b) => a === b)
const sameDate = ordered(date, (a, b) => a === b)

/** An operator that holds if some value fits; with `isNot`, if none does. */
interface Operator {
  readonly compare: Comparison
  readonly isNot?: true
}

const operators: Readonly<Record<string, Operator>> = {
  StringEquals: { compare: equal },
  StringNotEquals: { compare: equal, isNot: true },
  StringEqualsIgnoreCase: { compare: equalInAnyCase },
  StringNotEqualsIgnoreCase: { compare: equalInAnyCase, isNot: true },
  StringLike: { compare: like },
  StringNotLike: { compare: like, isNot: true },
  NumericEquals: { compare: sameNumber },
  NumericNotEquals: { compare: sameNumber, isNot: true },
  NumericLessThan: { compare: ordered(number, (a, b) => a < b) },
  NumericLessThanEquals: { compare: ordered(number, (a, b) => a <= b) },
  NumericGreaterThan: { compare: ordered(number, (a, b) => a > b) },
  NumericGreaterThanEquals: { compare: ordered(number, (a, b) => a >= b) },
  DateEquals: { compare: sameDate },
  DateNotEquals: { compare: sameDate, isNot: true },
  DateLessThan: { compare: ordered(date, (a, b) => a < b) },
  DateLessThanEquals: { compare: ordered(date, (a, b) => a <= b) },
  DateGreaterThan: { compare: ordered(date, (a, b) => a > b) },
  DateGreaterThanEquals: { compare: ordered(date, (a, b) => a >= b) },
  Bool: { compare: flag },
  IpAddress: { compare: inNetwork },
  NotIpAddress: { compare: inNetwork, isNot: true },
  ArnEquals: { compare: likeArn },
  ArnLike: { compare: likeArn },
  ArnNotEquals: { compare: likeArn, isNot: true },
  ArnNotLike: { compare: likeArn, isNot: true },
}

/** One condition: an operator on a key. */
const holds = (name: string, key: string, values: readonly string[]): Conditions => {
  const ifExists = name.endsWith('IfExists')
  const plain = ifExists ? name.slice(0, -'IfExists'.length) : name
  const operator = Object.hasOwn(operators, plain) ? operators[plain] : undefined
  const isNull = name === 'Null'
  return (facts) => {
    const has = facts.get(key)
    if ((has === undefined && !absent.has(key)) || values.some((each) => each.includes('${')))
      return undefined
    if (isNull) return some(values.map((each) => flag(String(has === undefined), each)))
    if (operator === undefined) return undefined
    if (has === undefined) return ifExists || operator.isNot === true
    const fits = some(values.map((each) => operator.compare(has, each)))
    return fits === undefined || operator.isNot === undefined ? fits : !fits
  }
}

const some = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.includes(true) ? true : verdicts.includes(undefined) ? undefined : false

const every = (verdicts: readonly Verdict[]): Verdict =>
  verdicts.includes(false) ? false : verdicts.includes(undefined) ? undefined : true

/**
 * Reads the conditions of a statement. Operators and keys that are not known are kept, and not understood.
 * @param wrong makes the error for what is no condition
 */
export const readConditions = (value: unknown, wrong: (why: string) => Error): Conditions => {
  if (value === undefined) return () => true
  if (!isObject(value)) throw wrong('Condition is an object of operators.')
  const all = Object.entries(value).flatMap(([operator, keys]) => {
    if (!isObject(keys)) throw wrong(`Condition ${operator.slice(0, 100)} is an object of keys.`)
    return Object.entries(keys).map(([key, given]) => {
      const values = (Array.isArray(given) ? given : [given]) as readonly unknown[]
      if (values.length === 0 || values.some((each) => typeof each === 'object'))
        throw wrong(`Condition ${operator.slice(0, 100)} compares ${key.slice(0, 100)} with texts.`)
      return holds(operator, key.toLowerCase(), values.map(String))
    })
  })
  return (facts) => every(all.map((each) => each(facts)))
}
