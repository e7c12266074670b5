import { KirokuError } from '@kiroku/protocol'

/** Reads a whole number from `min` to `max`. `what` names the parameter. Errors: `InvalidArgument`. */
export const parseCount = (text: string, what: string, min: number, max = Infinity): number => {
  const count = Number(text)
  if (text.trim() !== '' && Number.isSafeInteger(count) && count >= min && count <= max) return count
  const range = max === Infinity ? `${min} on` : `${min} to ${max}`
  throw new KirokuError('InvalidArgument', `${what}: "${text}" is not a number from ${range}`)
}
