import { namesPage } from '@kiroku/doors'
import { SqsError, invalid, missing } from '../SqsError.ts'
import type { Input } from './Action.ts'
import type { Call } from './Call.ts'

/** A text that must be there. Errors: `MissingParameter`. */
export const required = (input: Input, name: string): string => {
  const value = input[name] as string | undefined
  if (value === undefined || value === '') throw missing(name)
  return value
}

/** A number within a range; undefined where none is given. Errors: `InvalidParameterValue`. */
export const within = (
  input: Input,
  name: string,
  min: number,
  max: number,
  reason: string,
): number | undefined => {
  const value = input[name] as number | undefined
  if (value !== undefined && !(value >= min && value <= max)) throw invalid(name, value, reason)
  return value
}

/** The queue that a request names by its URL, at whatever host, or by its path. Errors: `MissingParameter`, `QueueDoesNotExist`. */
export const queueOf = ({ queuePath, owner }: Pick<Call, 'queuePath' | 'owner'>, input: Input): string => {
  const given = input['QueueUrl'] as string | undefined
  const url = given === undefined || given === '' ? queuePath : given
  if (url === undefined) throw missing('QueueUrl')
  const end = url.indexOf('?')
  const path = end < 0 ? url : url.slice(0, end)
  const slash = path.lastIndexOf('/')
  const name = path.slice(slash + 1)
  const account = slash < 0 ? undefined : path.slice(path.lastIndexOf('/', slash - 1) + 1, slash)
  const isForeign = owner !== undefined && account !== undefined && account !== owner
  if (isForeign || !/^[A-Za-z0-9_-]{1,80}(\.fifo)?$/.test(name))
    throw new SqsError('QueueDoesNotExist', 'The specified queue does not exist.')
  return name
}

/** The queue that an ARN names. Errors: `InvalidParameterValue`. */
export const queueOfArn = (input: Input, name: string): string => {
  const arn = required(input, name)
  const queue = /^arn:[\w-]+:sqs:[\w-]*:\d*:([A-Za-z0-9_-]{1,80}(?:\.fifo)?)$/.exec(arn)?.[1]
  if (queue === undefined) throw invalid(name, arn, 'It is not the ARN of a queue.')
  return queue
}

const pageMax = 1_000

/** A page of the names that the caller may know: what comes behind the token that it gives, and the token of the next page. */
export const page = async (
  call: Pick<Call, 'client' | 'sees'>,
  input: Input,
  which: { readonly prefix?: string; readonly deadLetter?: string },
): Promise<{ readonly names: readonly string[]; readonly NextToken?: string }> => {
  const given = within(input, 'MaxResults', 1, pageMax, 'Must be between 1 and 1000.')
  const token = input['NextToken'] as string | undefined
  const after = token === undefined ? '' : Buffer.from(token, 'base64url').toString()
  const { names, isMore } = await namesPage(call.client, (name) => call.sees(name), {
    ...which,
    after,
    max: given ?? pageMax,
  })
  return given === undefined || !isMore
    ? { names }
    : { names, NextToken: Buffer.from(names.at(-1)!).toString('base64url') }
}
