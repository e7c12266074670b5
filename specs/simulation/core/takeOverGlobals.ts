import { createRequire, syncBuiltinESMExports } from 'node:module'
import type { Chance } from './Chance.ts'
import type { Loop } from './Loop.ts'

/** Where every wall clock of a world begins, in ms since 1970. */
export const beginningMs = Date.UTC(2026, 0, 1)

/** The world that the process's time and chance belong to. */
interface Running {
  readonly loop: Loop
  readonly chance: Chance
}

let running: Running | undefined

/** Makes a world the one whose time and chance all code of this process sees. */
export const runIn = (world: Running): void => {
  running = world
}

/**
 * Replaces the process's time and chance by the simulated ones, for good: a process that simulates does nothing
 * else. Each party sees its own wall clock, which may be wrong.
 */
export const takeOverGlobals = (): void => {
  const world = (): Running => {
    if (running === undefined) throw new Error('no world runs in this process')
    return running
  }
  const soon = (run: (...args: unknown[]) => void, ...args: unknown[]) =>
    world().loop.soon(() => run(...args))
  const after = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
    const cancel = world().loop.after(ms, () => run(...args))
    return Object.assign(cancel, { unref: () => cancel, ref: () => cancel, hasRef: () => true })
  }
  const cancel = (handle: unknown): void => {
    if (typeof handle === 'function') handle()
  }
  Object.assign(globalThis, {
    setImmediate: soon,
    clearImmediate: cancel,
    setTimeout: after,
    clearTimeout: cancel,
  })
  const timers = createRequire(import.meta.url)('node:timers/promises') as Record<string, unknown>
  timers['setImmediate'] = (value: unknown) =>
    new Promise((resolve) => world().loop.soon(() => resolve(value)))
  timers['setTimeout'] = (ms: number, value: unknown) =>
    new Promise((resolve) => world().loop.after(ms, () => resolve(value)))
  syncBuiltinESMExports()
  Date.now = () => {
    const { loop } = world()
    return beginningMs + Math.floor(loop.nowMs) + (loop.current?.wallOffsetMs ?? 0)
  }
  performance.now = () => world().loop.nowMs
  Math.random = () => world().chance.next()
  crypto.randomUUID = () => {
    const digits = Array.from({ length: 32 }, () => world().chance.below(16).toString(16)).join('')
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`
  }
}
