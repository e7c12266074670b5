import { limits } from '@kiroku/protocol'
import type { RedriveRequest } from '@kiroku/api/answers'
import { count } from '../../parts/format.ts'

/** The messages to redrive. */
export type RedriveWhat = 'all' | 'group' | 'messages' | 'where'

/** The form's contents, as written. */
export interface RedriveForm {
  readonly what: RedriveWhat
  readonly where: string
  /** Empty: where each came from. */
  readonly to: string
  /** Messages per second, and in all; empty: no limit. */
  readonly rate: string
  readonly most: string
}

/** The request of a form, or what is missing or wrong in it. */
export const redriveRequest = (
  { what, where, to, rate, most }: RedriveForm,
  group: string | undefined,
  messages: readonly string[],
): { readonly request: RedriveRequest; readonly problem?: string } => {
  const rateMax = wholeNumber(rate)
  const messagesMax = wholeNumber(most)
  const request: RedriveRequest = {
    ...(what === 'group' && group !== undefined ? { group } : {}),
    ...(what === 'messages' ? { messages } : {}),
    ...(what === 'where' ? { where: where.trim() } : {}),
    ...(to === '' ? {} : { to }),
    ...(rateMax === undefined ? {} : { rateMax }),
    ...(messagesMax === undefined ? {} : { messagesMax }),
  }
  const problem =
    what === 'group' && group === undefined
      ? 'The group no longer exists.'
      : what === 'messages' && messages.length === 0
        ? 'No message is chosen.'
        : what === 'where' && where.trim() === ''
          ? 'Name the messages to redrive.'
          : rateMax !== undefined && !(rateMax >= 1 && rateMax <= limits.redriveRateMax)
            ? `Messages per second: a whole number from 1 to ${count(limits.redriveRateMax)}.`
            : messagesMax !== undefined && !(messagesMax >= 1)
              ? 'At most: a whole number from 1.'
              : undefined
  return { request, ...(problem === undefined ? {} : { problem }) }
}

/** Absent where nothing is written, and no number where it is none. */
const wholeNumber = (text: string): number | undefined =>
  text.trim() === '' ? undefined : /^\d{1,12}$/.test(text.trim()) ? Number(text) : NaN
