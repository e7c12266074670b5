import { and } from 'xstate'

/** By this function xstate evaluates `and`. */
const allOf = (and([]) as unknown as { check: unknown }).check

/**
 * The names of the guards that must all hold for a transition.
 * @param guard as the machine object holds it: absent, a name, or `and` over these
 * @returns undefined if it is written in any other way
 */
export const guardNames = (guard: unknown): string[] | undefined => {
  if (guard === undefined) return []
  if (typeof guard === 'string') return [guard]
  if (typeof guard !== 'function' || !('check' in guard) || guard.check !== allOf) return undefined
  const names: string[] = []
  for (const part of (guard as unknown as { guards: unknown[] }).guards) {
    const more = guardNames(part)
    if (more === undefined) return undefined
    names.push(...more)
  }
  return names
}
