import type { QueueDescription } from '@kiroku/protocol'
import { extensionsIn, extensionsTag, readExtensions, type Extensions } from '../extensions.ts'
import { SqsError } from '../SqsError.ts'

type Tags = ReadonlyMap<string, string>
type Notes = Readonly<Record<string, string | null>>

/** Begins the names of notes that are tags. */
const prefix = 'sqs.tag.'

const tagsMax = 50
const keyCharactersMax = 128
const valueCharactersMax = 256
const isText = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u

const wrong = (message: string): SqsError => new SqsError('InvalidParameterValue', message)

/** The tags of a queue, which it keeps as notes. */
export const tagsOf = ({ notes = {} }: QueueDescription): Map<string, string> =>
  new Map(
    Object.entries(notes).flatMap(([name, text]) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), text] as const] : [],
    ),
  )

/** What a queue asks for in every request on it. */
export const extensionsOf = ({ notes }: QueueDescription): Extensions =>
  extensionsIn(notes?.[prefix + extensionsTag])

const checkKey = (key: string): void => {
  if (key.length === 0 || key.length > keyCharactersMax)
    throw wrong('Tag keys must be between 1 and 128 characters in length.')
  if (!isText.test(key))
    throw wrong(`The tag key ${JSON.stringify(key)} has characters that are not allowed.`)
  if (/^aws:/i.test(key)) throw wrong('Tag keys that begin with aws: are reserved.')
}

const checkTag = (key: string, value: string): void => {
  checkKey(key)
  if (value.length > valueCharactersMax) throw wrong('Tag values must be at most 256 characters in length.')
  if (!isText.test(value)) throw wrong(`The value of the tag ${key} has characters that are not allowed.`)
  if (key === extensionsTag) readExtensions(`The tag ${key}`, value)
}

/**
 * The notes that tags are kept as. Errors: `InvalidParameterValue`.
 * @param has the tags that the queue has already
 */
export const tagNotes = (tags: Tags, queue: string, has: Tags = new Map()): Notes => {
  for (const [key, value] of tags) checkTag(key, value)
  if (new Set([...has.keys(), ...tags.keys()]).size > tagsMax)
    throw wrong(`Too many tags added for queue ${queue}.`)
  return Object.fromEntries([...tags].map(([key, value]) => [prefix + key, value]))
}

/** The change of notes that removes tags; those that are not there are no error. Errors: `InvalidParameterValue`. */
export const untagNotes = (keys: readonly string[]): Notes => {
  for (const key of keys) checkKey(key)
  return Object.fromEntries(keys.map((key) => [prefix + key, null]))
}

/** The first tag that is given and that the queue has another value for. */
export const differingTag = (queue: QueueDescription, given: Tags): string | undefined => {
  const has = tagsOf(queue)
  return [...given].find(([key, value]) => has.get(key) !== value)?.[0]
}
