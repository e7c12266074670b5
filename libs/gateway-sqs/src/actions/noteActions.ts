import { SqsError } from '../SqsError.ts'
import { list, map, text } from '../wire/Shape.ts'
import type { Action } from './Action.ts'

const unsupported = (what: string) => (): Promise<never> =>
  Promise.reject(new SqsError('UnsupportedOperation', `${what} yet.`))

/** Actions on what a queue cannot keep yet: they are refused rather than forgotten. */
export const noteActions = {
  TagQueue: {
    role: 'admin',
    input: { QueueUrl: text, Tags: map('Tag', text, 'Key') },
    output: {},
    run: unsupported('Queues cannot have tags'),
  },
  UntagQueue: {
    role: 'admin',
    input: { QueueUrl: text, TagKeys: list('TagKey', text) },
    output: {},
    run: unsupported('Queues cannot have tags'),
  },
  ListQueueTags: {
    role: 'viewer',
    input: { QueueUrl: text },
    output: { Tags: map('Tag', text, 'Key') },
    run: unsupported('Queues cannot have tags'),
  },
  AddPermission: {
    role: 'admin',
    input: {
      QueueUrl: text,
      Label: text,
      AWSAccountIds: list('AWSAccountId', text),
      Actions: list('ActionName', text),
    },
    output: {},
    run: unsupported('Queues cannot have policies'),
  },
  RemovePermission: {
    role: 'admin',
    input: { QueueUrl: text, Label: text },
    output: {},
    run: unsupported('Queues cannot have policies'),
  },
} as const satisfies Readonly<Record<string, Action>>
