/** What a number may look like that a double does not hold: many digits, or an exponent. */
const maybeInexact = /\d[\d.]{15}|\d[eE]/

/** Whether JSON may name numbers that `JSON.parse` would change. */
export const mayRound = (text: string): boolean => maybeInexact.test(text)

/** Reads JSON so that `JSON.stringify` writes each number again as it was written. Errors: those of `JSON.parse`. */
export const parseExact = (text: string): unknown => parse(text, keepSource)

/** Newer than what TypeScript's library knows; Node.js 24 has both. */
const parse = JSON.parse as (
  text: string,
  revive: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
) => unknown
const { rawJSON } = JSON as unknown as { readonly rawJSON: (text: string) => unknown }

const keepSource = (_: string, value: unknown, { source }: { readonly source?: string }): unknown =>
  typeof value === 'number' && source !== undefined && String(value) !== source ? rawJSON(source) : value
