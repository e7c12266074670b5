import { limits } from '@kiroku/protocol'
import type { RedriveRequest } from '@kiroku/api/answers'
import { count } from '../../parts/format.ts'

/** Which messages are meant. */
export type RedriveWhat = 'all' | 'group' | 'messages' | 'where'

/** What was filled in, as it was written. */
export interface RedriveForm {
  readonly what: RedriveWhat
  readonly where: string
  /** Empty: where each came from. */
  readonly to: string
  /** Messages a second, and in all; empty: no limit. */
  readonly rate: string
  readonly most: string
}

/** What a form asks for, or what is missing or wrong in it. */
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
      ? 'The group is not there any more.'
      : what === 'messages' && messages.length === 0
        ? 'No message is chosen.'
        : what === 'where' && where.trim() === ''
          ? 'Write which messages are meant.'
          : rateMax !== undefined && !(rateMax >= 1 && rateMax <= limits.redriveRateMax)
            ? `Messages a second: a whole number from 1 to ${count(limits.redriveRateMax)}.`
            : messagesMax !== undefined && !(messagesMax >= 1)
              ? 'At most: a whole number from 1.'
              : undefined
  return { request, ...(problem === undefined ? {} : { problem }) }
}

/** Absent where nothing is written, and no number where it is none. */
const wholeNumber = (text: string): number | undefined =>
  text.trim() === '' ? undefined : /^\d{1,12}$/.test(text.trim()) ? Number(text) : NaN
