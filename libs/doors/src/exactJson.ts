/** Numbers that a double may not hold exactly: many digits, or an exponent. */
const maybeInexact = /\d[\d.]{15}|\d[eE]/

/** Whether JSON may contain numbers that `JSON.parse` would change. */
export const mayRound = (text: string): boolean => maybeInexact.test(text)

/** Parses JSON so that `JSON.stringify` writes each number back unchanged. Errors: those of `JSON.parse`. */
export const parseExact = (text: string): unknown => parse(text, keepSource)

/** Not in TypeScript's library yet; Node.js 24 has both. */
const parse = JSON.parse as (
  text: string,
  revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown }

const keepSource = (_: string, value: unknown, { source }: { readonly source?: string }): unknown =>
  typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value
