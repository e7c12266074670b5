import { KirokuError } from './error/KirokuError.ts'

/** Guesses the content type of a typed body: JSON only if it is an object or an array. */
export const contentTypeOf = (body: Uint8Array): string => {
  const text = textOf(body)
  if (text === undefined) return 'application/octet-stream'
  return looksLikeJson(text) && jsonProblem(text) === undefined ? 'application/json' : 'text/plain'
}

/**
 * What is wrong with a text that begins as an object or an array does and is none, so that it goes as plain text:
 * most likely a slip. Undefined: nothing.
 */
export const jsonSlip = (body: Uint8Array): string | undefined => {
  const text = textOf(body)
  return text !== undefined && looksLikeJson(text) ? jsonProblem(text) : undefined
}

/** Refuses a body that is not what its content type says. Errors: `MalformedJson`. */
export const checkJson = (body: Uint8Array, contentType: string): void => {
  if (!/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(contentType)) return
  const text = textOf(body)
  const problem = text === undefined ? 'it is not text' : jsonProblem(text)
  if (problem !== undefined)
    throw new KirokuError(
      'MalformedJson',
      `the body is not JSON, although its type is ${contentType}: ${problem}`,
    )
}

const looksLikeJson = (text: string): boolean => /^\s*[[{]/.test(text)

const textOf = (body: Uint8Array): string | undefined => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    return undefined
  }
}

const jsonProblem = (text: string): string | undefined => {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
