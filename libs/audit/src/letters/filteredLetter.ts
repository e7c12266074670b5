import { fingerprintOf } from '@kiroku/protocol'
import type { FilteredMessage } from '../filter/passesFilter.ts'
import type { DeadLetter } from './DeadLetter.ts'

/** A dead letter of a queue as filters see it: its reason is its cause, its attempts are those of its origin. */
export const filteredLetter = (letter: DeadLetter, queue: string): FilteredMessage => {
  let body: unknown
  let isRead = false
  return {
    ids: [letter.messageId, letter.placeId],
    queue,
    subscription: letter.origin?.subscription ?? '',
    partition: letter.partition,
    number: letter.number,
    state: letter.state,
    attempt: letter.attempts,
    reason: letter.cause,
    error: letter.error,
    get fingerprint() {
      return letter.error === '' ? '' : fingerprintOf(letter.error).id
    },
    group: letter.messageGroup ?? '',
    tag: letter.tag ?? '',
    consumer: '',
    producer: '',
    attributes: letter.attributes,
    redrives: letter.redrives,
    at: letter.at,
    sentAt: letter.sentAt,
    payload: (path) => {
      if (!isRead) {
        body = parsed(letter.body)
        isRead = true
      }
      return valuesAt(body, path.split('.'))
    },
  }
}

const parsed = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

/** Texts, numbers and truth values at a path; a list contributes each of its members. */
const valuesAt = (value: unknown, path: readonly string[]): (string | number)[] => {
  if (Array.isArray(value)) return value.flatMap((each) => valuesAt(each, path))
  const [name, ...rest] = path
  if (name !== undefined)
    return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
      ? valuesAt((value as Record<string, unknown>)[name], rest)
      : []
  if (typeof value === 'string' || typeof value === 'number') return [value]
  return typeof value === 'boolean' ? [String(value)] : []
}
