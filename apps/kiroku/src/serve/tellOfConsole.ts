import type { Output } from '../cli/Output.ts'
import type { RunningEngine } from './startEngine.ts'

/** Announces the console once it is available: always in JSON, as text only if a build was announced. */
export const tellOfConsole = (console: RunningEngine['console'], out: Output): void => {
  if (console === undefined) return
  const wasBuilding = console.building()
  void console.ready.then((isThere) => {
    if (!isThere) return
    if (wasBuilding) out.line(`The console is built: ${console.url}`)
    out.result({ console: console.url })
  })
}
