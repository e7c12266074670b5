import { SqsError, invalid, missing } from '../SqsError.ts'
import type { Call, Input } from './Action.ts'

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

/** The queue that a request names by its URL or its path. Errors: `MissingParameter`, `QueueDoesNotExist`. */
export const queueOf = ({ queueOfPath }: Pick<Call, 'queueOfPath'>, input: Input): string => {
  const url = input['QueueUrl'] as string | undefined
  const name = url === undefined || url === '' ? queueOfPath : url.split('?')[0]!.split('/').at(-1)
  if (name === undefined) throw missing('QueueUrl')
  if (!/^[A-Za-z0-9_-]{1,80}(\.fifo)?$/.test(name))
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

/** A page of a sorted list: what comes behind `token`, and the token of the next one. */
export const page = (
  names: readonly string[],
  input: Input,
): { readonly names: readonly string[]; readonly NextToken?: string } => {
  const max = within(input, 'MaxResults', 1, 1_000, 'Must be between 1 and 1000.')
  const token = input['NextToken'] as string | undefined
  const after = token === undefined ? undefined : Buffer.from(token, 'base64url').toString()
  const rest = after === undefined ? names : names.filter((name) => name > after)
  const found = rest.slice(0, max ?? 1_000)
  return max === undefined || found.length === rest.length
    ? { names: found }
    : { names: found, NextToken: Buffer.from(found.at(-1)!).toString('base64url') }
}
