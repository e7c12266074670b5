import { isKirokuError, type RedriveDescription } from '@kiroku/protocol'
import { errorKinds, SqsError } from '../SqsError.ts'
import { list, number, structure, text } from '../wire/Shape.ts'
import type { Action } from './Action.ts'
import type { Call } from './Call.ts'
import { queueOfArn, required, within } from './input.ts'

/** A task as its handle names it. */
interface Handle {
  readonly taskId: number
  readonly sourceArn: string
}

const handleOf = (handle: Handle): string => Buffer.from(JSON.stringify(handle)).toString('base64')

const unknownTask = (): SqsError => new SqsError('ResourceNotFoundException', 'Task does not exist.')

/** The task that a handle names, and its queue. Errors: `InvalidParameterValue`. */
export const readHandle = (text: string): { readonly taskId: unknown; readonly source: string } => {
  try {
    const { taskId, sourceArn } = JSON.parse(Buffer.from(text, 'base64').toString()) as Partial<Handle>
    return { taskId, source: queueOfArn({ sourceArn }, 'sourceArn') }
  } catch {
    throw new SqsError('InvalidParameterValue', 'Value for parameter TaskHandle is invalid.')
  }
}

const notThere =
  (parameter: 'SourceArn' | 'DestinationArn') =>
  (error: unknown): never => {
    if (isKirokuError(error) && error.id === 'UnknownQueue')
      throw new SqsError(
        'ResourceNotFoundException',
        `The resource that you specified for the ${parameter} parameter doesn't exist.`,
      )
    throw error
  }

const statusOf = {
  running: 'RUNNING',
  completed: 'COMPLETED',
  cancelled: 'CANCELLED',
  failed: 'FAILED',
} as const

const tasksMax = 10

/** Why a task did not move everything; undefined: it did, or is not over. */
const failureOf = async (
  { queues }: Call,
  { state, to, skipped, note }: RedriveDescription,
): Promise<string | undefined> => {
  const withoutOrigin = skipped['noOrigin'] ?? 0
  if (state === 'completed' && withoutOrigin > 0) return 'CouldNotDetermineMessageSource'
  if (state !== 'failed') return undefined
  const isGone = to !== 'origin' && (await queues.find(to.name)) === undefined
  return isGone ? errorKinds.QueueDoesNotExist.code : note
}

const taskOf = async (call: Call, sourceArn: string, redrive: RedriveDescription): Promise<object> => {
  const { task, state, to, rateMax, moved, onTheWay = 0, left, startedAt } = redrive
  const failure = await failureOf(call, redrive)
  return {
    ...(state === 'running' ? { TaskHandle: handleOf({ taskId: task, sourceArn }) } : {}),
    Status: failure === undefined ? statusOf[state] : 'FAILED',
    SourceArn: sourceArn,
    ...(to === 'origin' ? {} : { DestinationArn: call.arnOf(to.name) }),
    ...(rateMax === 0 ? {} : { MaxNumberOfMessagesPerSecond: rateMax }),
    ApproximateNumberOfMessagesMoved: moved,
    ApproximateNumberOfMessagesToMove: moved + onTheWay + left,
    ...(failure === undefined ? {} : { FailureReason: failure }),
    StartedTimestamp: startedAt,
  }
}

export const moveTaskActions = {
  StartMessageMoveTask: {
    role: 'operator',
    input: { SourceArn: text, DestinationArn: text, MaxNumberOfMessagesPerSecond: number },
    output: { TaskHandle: text },
    run: async (call, input) => {
      const source = queueOfArn(input, 'SourceArn')
      const to = input['DestinationArn'] === undefined ? undefined : queueOfArn(input, 'DestinationArn')
      const rateMax = within(
        input,
        'MaxNumberOfMessagesPerSecond',
        1,
        500,
        'Must be between 1 and 500, if provided.',
      )
      if (to !== undefined) await call.may('SendMessage', { role: 'operator', on: { queue: to } })
      await call.queues.now(source).catch(notThere('SourceArn'))
      if (to !== undefined) await call.queues.now(to).catch(notThere('DestinationArn'))
      const namers = await call.client.queues.names({ deadLetter: source, max: 1 })
      if (namers.length === 0)
        throw new SqsError('InvalidParameterValue', 'Source queue must be configured as a Dead Letter Queue.')
      try {
        const { task } = await call.client.queues.redrive(
          source,
          { ...(to === undefined ? {} : { to }), ...(rateMax === undefined ? {} : { rateMax }) },
          call.by,
        )
        return { TaskHandle: handleOf({ taskId: task, sourceArn: input['SourceArn'] as string }) }
      } catch (error) {
        if (isKirokuError(error) && error.id === 'RedriveRunning')
          throw new SqsError(
            'InvalidParameterValue',
            'There is already a task running. Only one active task is allowed for a source queue arn at a given time.',
          )
        throw error
      }
    },
  },

  ListMessageMoveTasks: {
    role: 'viewer',
    input: { SourceArn: text, MaxResults: number },
    output: {
      Results: list(
        'ListMessageMoveTasksResultEntry',
        structure({
          TaskHandle: text,
          Status: text,
          SourceArn: text,
          DestinationArn: text,
          MaxNumberOfMessagesPerSecond: number,
          ApproximateNumberOfMessagesMoved: number,
          ApproximateNumberOfMessagesToMove: number,
          FailureReason: text,
          StartedTimestamp: number,
        }),
      ),
    },
    run: async (call, input) => {
      const source = queueOfArn(input, 'SourceArn')
      const max = within(input, 'MaxResults', 1, tasksMax, `Must be between 1 and ${tasksMax}.`) ?? 1
      const redrives = await call.client.queues.redrives(source).catch(notThere('SourceArn'))
      const tasks = redrives.slice(0, max).map((each) => taskOf(call, input['SourceArn'] as string, each))
      return { Results: await Promise.all(tasks) }
    },
  },

  CancelMessageMoveTask: {
    role: 'operator',
    input: { TaskHandle: text },
    output: { ApproximateNumberOfMessagesMoved: number },
    run: async (call, input) => {
      const { taskId, source } = readHandle(required(input, 'TaskHandle'))
      const redrives = await call.client.queues.redrives(source).catch(notThere('SourceArn'))
      // One that has ended cannot be cancelled; where it ends meanwhile, both are true.
      const running = redrives.find(({ task, state }) => task === taskId && state === 'running')
      if (running === undefined) throw unknownTask()
      const { task, subscription } = running
      const { moved } = await call.client.queues.cancelRedrive(source, { task, subscription }, call.by)
      return { ApproximateNumberOfMessagesMoved: moved }
    },
  },
} as const satisfies Readonly<Record<string, Action>>
