import { limits } from '@kiroku/protocol'
import { SqsError } from './SqsError.ts'

/** What Amazon SQS lacks, and a request gets where it asks for it. */
const names: readonly string[] = ['bodies', 'delays', 'history']

/** The header of a request that asks for extensions. */
export const extensionsHeader = 'x-kiroku-extensions'
/** The tag of a queue that asks for them in every request on it. */
export const extensionsTag = 'kiroku:extensions'

export type Extensions = ReadonlySet<string>

/** None. */
export const noExtensions: Extensions = new Set()

/** Extensions by their names, with spaces or commas between them; it takes any name. */
export const extensionsIn = (text: string | undefined): Extensions =>
  text === undefined ? noExtensions : new Set(text.split(/[\s,]+/).filter((name) => name !== ''))

/**
 * Reads what asks for extensions. Errors: `InvalidParameterValue`.
 * @param what the name of the header or tag
 */
export const readExtensions = (what: string, text: string): Extensions => {
  const extensions = extensionsIn(text)
  const unknown = [...extensions].find((name) => !names.includes(name))
  if (unknown === undefined) return extensions
  throw new SqsError(
    'InvalidParameterValue',
    `${what}: "${unknown.slice(0, 40)}" is none of ${names.join(', ')}.`,
  )
}

/** The longest delay, in s. */
export const delaySecondsMax = (extensions: Extensions): number =>
  extensions.has('delays') ? limits.delayMsMax / 1_000 : 900
/** The largest message, in bytes; a batch may have as much. */
export const messageBytesMax = (extensions: Extensions): number =>
  extensions.has('bodies') ? limits.bodyBytesMax : 1_048_576
