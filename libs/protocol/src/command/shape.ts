/** Tells whether a value from outside is what it must be. */
export type Check = (value: unknown) => boolean

/** A check for each of some commands. */
export type Shapes<C extends { readonly type: string }> = Readonly<Record<C['type'], Check>>

export const text: Check = (value) => typeof value === 'string'
export const number: Check = (value) => typeof value === 'number' && Number.isFinite(value)
export const flag: Check = (value) => typeof value === 'boolean'
export const bytes: Check = (value) => value instanceof Uint8Array
export const record: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
export const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
export const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)
export const shape =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    record(value) &&
    Object.entries(fields).every(([name, check]) => check((value as Record<string, unknown>)[name]))
export const numbers = listOf(number)
export const queue = { queue: text }
export const actor = shape({ name: text, origin: text, reason: optional(text) })
export const act = { queue: text, by: actor }
export const subscribing = { ...act, subscription: text }
export const address = shape({ partition: number, queue: number })
