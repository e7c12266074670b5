import type { Need } from '@kiroku/doors'
import { required, queueOf, queueOfArn } from './input.ts'
import type { Action, Input } from './Action.ts'
import type { Call } from './Call.ts'
import { readHandle } from './moveTaskActions.ts'

/** What a request is about: the queue that it names, or whatever the caller may see. */
export const subjectOf = (
  { input: members }: Action,
  call: Pick<Call, 'queuePath' | 'owner'>,
  input: Input,
): Need['on'] => {
  if ('QueueUrl' in members) return { queue: queueOf(call, input) }
  if ('QueueName' in members) return { queue: required(input, 'QueueName') }
  if ('SourceArn' in members) return { queue: queueOfArn(input, 'SourceArn') }
  if ('TaskHandle' in members) return { queue: readHandle(required(input, 'TaskHandle')).source }
  return 'some'
}
