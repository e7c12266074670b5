import { missing } from '../SqsError.ts'
import { tagNotes, tagsOf, untagNotes } from '../queue/tags.ts'
import { list, map, text } from '../wire/Shape.ts'
import type { Action } from './Action.ts'
import { queueOf } from './input.ts'

const QueueUrl = text
const Tags = map('Tag', text, 'Key')

/** Tags are notes of a queue: changed by key, and on record with who changed them. */
export const tagActions = {
  TagQueue: {
    role: 'admin',
    input: { QueueUrl, Tags },
    output: {},
    run: async (call, input) => {
      const { client, queues, by } = call
      const name = queueOf(call, input)
      const tags = input['Tags'] as ReadonlyMap<string, string> | undefined
      if (tags === undefined || tags.size === 0) throw missing('Tags')
      const notes = tagNotes(tags, name, tagsOf(await queues.now(name)))
      await client.queues.update(name, { notes }, by)
      await queues.now(name)
      return {}
    },
  },
  UntagQueue: {
    role: 'admin',
    input: { QueueUrl, TagKeys: list('TagKey', text) },
    output: {},
    run: async (call, input) => {
      const { client, queues, by } = call
      const name = queueOf(call, input)
      const keys = input['TagKeys'] as readonly string[] | undefined
      if (keys === undefined || keys.length === 0) throw missing('TagKeys')
      await client.queues.update(name, { notes: untagNotes(keys) }, by)
      await queues.now(name)
      return {}
    },
  },
  ListQueueTags: {
    role: 'viewer',
    input: { QueueUrl },
    output: { Tags },
    run: async (call, input) => {
      const tags = tagsOf(await call.queues.since(queueOf(call, input), call.atMs))
      return tags.size === 0 ? {} : { Tags: tags }
    },
  },
} as const satisfies Readonly<Record<string, Action>>
