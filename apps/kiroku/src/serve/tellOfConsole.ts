import type { Output } from '../cli/Output.ts'
import type { RunningEngine } from './startEngine.ts'

/** Tells that the console is there, once it is: programs always, people where they were told that it is being built. */
export const tellOfConsole = (console: RunningEngine['console'], out: Output): void => {
  if (console === undefined) return
  const wasBuilding = console.building()
  void console.ready.then((isThere) => {
    if (!isThere) return
    if (wasBuilding) out.line(`The console is built: ${console.url}`)
    out.result({ console: console.url })
  })
}
