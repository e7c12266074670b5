import { isDeepStrictEqual } from 'node:util'
import { isKirokuError, type QueueDescription } from '@kiroku/protocol'
import { parseDocument } from '../access/policy/Policy.ts'
import {
  attributesOf,
  baseSettings,
  checkThroughput,
  isFifo,
  merged,
  readRedrivePolicy,
  redriveAllowPolicyOf,
  settingsOf,
} from '../queue/attributes.ts'
import { extensionsIn, extensionsTag } from '../extensions.ts'
import { allows, readAllowPolicy } from '../queue/redriveAllowPolicy.ts'
import { differingTag, tagNotes } from '../queue/tags.ts'
import { invalid, SqsError } from '../SqsError.ts'
import { list, map, number, text } from '../wire/Shape.ts'
import type { Action } from './Action.ts'
import type { Call } from './Call.ts'
import { page, queueOf, required } from './input.ts'

const QueueUrl = text
const Attributes = map('Attribute', text)
const MaxResults = number
const NextToken = text

const checkName = (name: string, fifo: boolean): void => {
  const isName = /^[A-Za-z0-9_-]+(\.fifo)?$/.test(name) && name.length <= 80
  if (!isName || name === '.fifo')
    throw invalid(
      'QueueName',
      name,
      'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length',
    )
  if (isFifo(name) !== fifo)
    throw invalid(
      'QueueName',
      name,
      fifo
        ? 'The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length.'
        : 'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length',
    )
}

/** Refuses a redrive policy to a queue that is not there, of another kind, or does not allow it. Errors: `InvalidParameterValue`. */
const checkRedrivePolicy = async (call: Call, source: string, policy: string | undefined): Promise<void> => {
  if (policy === undefined || policy === '') return
  const { target } = readRedrivePolicy(policy)
  // What fails is sent there.
  await call.may('SendMessage', { role: 'operator', on: { queue: target } })
  if (isFifo(target) !== isFifo(source))
    throw invalid('RedrivePolicy', policy, 'Dead-letter queue must be same type of queue as the source.')
  const queue = await call.queues.now(target).catch((error: unknown) => {
    if (isKirokuError(error) && error.id === 'UnknownQueue')
      throw invalid('RedrivePolicy', policy, 'Dead letter target does not exist.')
    throw error
  })
  if (!allows(redriveAllowPolicyOf(queue), source))
    throw invalid(
      'RedrivePolicy',
      policy,
      'The redrive allow policy of the dead letter target does not allow this source queue.',
    )
}

/** The first attribute that is given and that the queue has another value for. */
const differing = (
  queue: QueueDescription,
  given: ReadonlyMap<string, string>,
  call: Call,
): string | undefined => {
  const has = attributesOf(queue, ['All'], call)
  const same = (name: string, value: string): boolean => {
    const own = has.get(name) ?? ''
    if (own === '' || value === '') return own === value
    if (name === 'RedrivePolicy') return isDeepStrictEqual(readRedrivePolicy(value), readRedrivePolicy(own))
    if (name === 'Policy') return isDeepStrictEqual(parseDocument(value), parseDocument(own))
    if (name === 'RedriveAllowPolicy') return isDeepStrictEqual(readAllowPolicy(value), readAllowPolicy(own))
    return own.toLowerCase() === value.toLowerCase()
  }
  return [...given].find(([name, value]) => !same(name, value))?.[0]
}

const deletedRecently = (): SqsError =>
  new SqsError(
    'QueueDeletedRecently',
    'You must wait 60 seconds after deleting a queue before you can create another with the same name.',
  )

const purging = (queue: string): SqsError =>
  new SqsError(
    'PurgeQueueInProgress',
    `Only one PurgeQueue operation on ${queue} is allowed every 60 seconds.`,
  )

export const queueActions = {
  CreateQueue: {
    role: 'admin',
    input: { QueueName: text, Attributes, tags: map('Tag', text, 'Key') },
    output: { QueueUrl },
    run: async (call, input) => {
      const name = required(input, 'QueueName')
      const given = (input['Attributes'] ?? new Map()) as ReadonlyMap<string, string>
      const fifo = /^true$/i.test(given.get('FifoQueue') ?? '')
      checkName(name, fifo)
      const tags = (input['tags'] ?? new Map()) as ReadonlyMap<string, string>
      const extensions = call.extensionsWith(extensionsIn(tags.get(extensionsTag)))
      const settings = merged(
        { ...baseSettings(fifo), ...settingsOf(given, fifo, extensions) },
        tags.size === 0 ? {} : { notes: tagNotes(tags, name) },
      )
      checkThroughput(given)
      await checkRedrivePolicy(call, name, given.get('RedrivePolicy'))
      try {
        await call.client.queues.create(name, settings, call.by, { pauseMs: call.pauseMs })
      } catch (error) {
        if (isKirokuError(error) && error.id === 'QueueDeletedRecently') throw deletedRecently()
        if (!isKirokuError(error) || error.id !== 'QueueExists') throw error
        // It is the same where what is named agrees with what is there.
        const queue = await call.queues.now(name)
        const attribute = differing(queue, given, call)
        const tag = differingTag(queue, tags)
        if (attribute !== undefined || tag !== undefined)
          throw new SqsError(
            'QueueNameExists',
            `A queue already exists with the same name and a different value for ${attribute === undefined ? `tag ${tag}` : `attribute ${attribute}`}`,
          )
      }
      await call.queues.now(name)
      return { QueueUrl: call.urlOf(name) }
    },
  },

  GetQueueUrl: {
    role: 'viewer',
    input: { QueueName: text, QueueOwnerAWSAccountId: text },
    output: { QueueUrl },
    run: async (call, input) => {
      const { name } = await call.queues.get(required(input, 'QueueName'))
      return { QueueUrl: call.urlOf(name) }
    },
  },

  ListQueues: {
    role: 'viewer',
    input: { QueueNamePrefix: text, MaxResults, NextToken },
    output: { QueueUrls: list('QueueUrl', text), NextToken },
    run: async (call, input) => {
      const prefix = input['QueueNamePrefix'] as string | undefined
      const { names, ...more } = await page(call, input, prefix === undefined ? {} : { prefix })
      return { ...(names.length === 0 ? {} : { QueueUrls: names.map((name) => call.urlOf(name)) }), ...more }
    },
  },

  DeleteQueue: {
    role: 'admin',
    input: { QueueUrl },
    output: {},
    run: async (call, input) => {
      const name = queueOf(call, input)
      await call.client.queues.delete(name, { force: true }, call.by)
      await call.queues.now(name).catch(() => undefined)
      return {}
    },
  },

  GetQueueAttributes: {
    role: 'viewer',
    input: { QueueUrl, AttributeNames: list('AttributeName', text) },
    output: { Attributes },
    run: async (call, input) => {
      const queue = await call.queues.since(queueOf(call, input), call.atMs)
      const names = (input['AttributeNames'] as readonly string[] | undefined) ?? []
      const found = attributesOf(queue, names, call)
      return found.size === 0 ? {} : { Attributes: found }
    },
  },

  SetQueueAttributes: {
    role: 'admin',
    input: { QueueUrl, Attributes },
    output: {},
    run: async (call, input) => {
      const name = queueOf(call, input)
      const given = input['Attributes'] as ReadonlyMap<string, string> | undefined
      if (given === undefined || given.size === 0)
        throw new SqsError('MissingParameter', 'The request must contain the parameter Attributes.')
      const queue = await call.queues.get(name)
      const settings = settingsOf(given, isFifo(name), call.extensionsOn(queue))
      checkThroughput(given, attributesOf(queue, ['All'], call))
      await checkRedrivePolicy(call, name, given.get('RedrivePolicy'))
      await call.client.queues.update(name, settings, call.by)
      await call.queues.now(name)
      return {}
    },
  },

  PurgeQueue: {
    role: 'admin',
    input: { QueueUrl },
    output: {},
    run: async (call, input) => {
      const name = queueOf(call, input)
      try {
        await call.client.queues.purge(name, call.by, { pauseMs: call.pauseMs })
      } catch (error) {
        if (isKirokuError(error) && error.id === 'QueuePurgedRecently') throw purging(name)
        throw error
      }
      return {}
    },
  },

  ListDeadLetterSourceQueues: {
    role: 'viewer',
    input: { QueueUrl, MaxResults, NextToken },
    output: { queueUrls: list('QueueUrl', text), NextToken },
    run: async (call, input) => {
      const name = queueOf(call, input)
      await call.queues.get(name)
      const { names, ...more } = await page(call, input, { deadLetter: name })
      return { queueUrls: names.map((name) => call.urlOf(name)), ...more }
    },
  },
} as const satisfies Readonly<Record<string, Action>>
