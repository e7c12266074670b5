import { SqsError } from '../SqsError.ts'

/** Characters that SQS takes no message with. */
const forbidden = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u

/** Whether every character of a text may stand in a message. */
export const isAllowed = (text: string): boolean => !forbidden.test(text)

/** Refuses a body that SQS would not take. Errors: `InvalidMessageContents`. */
export const checkCharacters = (text: string): void => {
  if (!isAllowed(text))
    throw new SqsError(
      'InvalidMessageContents',
      'Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF.',
    )
}
