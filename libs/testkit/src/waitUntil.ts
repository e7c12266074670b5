import { setTimeout as pause } from 'node:timers/promises'

/**
 * Waits until `condition` returns something truthy, and returns that. A condition that throws is not met yet.
 *
 * @param options.timeoutMs when to give up, 10 s by default
 * @param options.what named in the error after the timeout
 */
export const waitUntil = async <A>(
  condition: () => A | Promise<A>,
  options: { readonly timeoutMs?: number; readonly what?: string } = {},
): Promise<Exclude<A, undefined | null | false | 0 | ''>> => {
  const timeoutMs = options.timeoutMs ?? 10_000
  const deadlineMs = performance.now() + timeoutMs
  let cause: unknown
  for (;;) {
    try {
      const value = await condition()
      if (value) return value as Exclude<A, undefined | null | false | 0 | ''>
      cause = undefined
    } catch (error) {
      cause = error
    }
    if (performance.now() >= deadlineMs)
      throw new Error(`Not within ${timeoutMs} ms: ${options.what ?? condition.toString()}`, { cause })
    await pause(10)
  }
}
