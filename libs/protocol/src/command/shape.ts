/** Tells whether a value from outside is what it must be. */
export interface Check {
  (value: unknown): boolean
  /** Those of its fields, where the value is an object with fields of its own. */
  readonly fields?: Readonly<Record<string, Check>>
}

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
export const shape = (fields: Readonly<Record<string, Check>>): Check => {
  const check = (value: unknown): boolean =>
    record(value) &&
    Object.entries(fields).every(([name, field]) => field((value as Record<string, unknown>)[name]))
  return Object.assign(check, { fields })
}

/** The way to the first field that is not what it must be, such as `by.name`; undefined where the value itself is at fault. */
export const misfitOf = (value: unknown, { fields }: Check): string | undefined => {
  if (fields === undefined || !record(value)) return undefined
  const values = value as Record<string, unknown>
  const name = Object.keys(fields).find((field) => !fields[field]!(values[field]))
  if (name === undefined) return undefined
  const within = misfitOf(values[name], fields[name]!)
  return within === undefined ? name : `${name}.${within}`
}
export const numbers = listOf(number)
export const queue = { queue: text }
export const actor = shape({ name: text, origin: text, reason: optional(text) })
export const act = { queue: text, by: actor }
export const subscribing = { ...act, subscription: text }
export const address = shape({ partition: number, queue: number })
