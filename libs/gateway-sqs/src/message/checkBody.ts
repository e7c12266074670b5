import { isXmlText } from '@kiroku/doors'
import { SqsError } from '../SqsError.ts'

/** Refuses a text that SQS would not take in a message. Errors: `InvalidMessageContents`. */
export const checkCharacters = (text: string): void => {
  if (!isXmlText(text))
    throw new SqsError(
      'InvalidMessageContents',
      'Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF.',
    )
}
