import { spawn } from 'node:child_process'
import { KirokuError } from '@kiroku/protocol'
import type { Invocation } from '../../cli/CommandSpec.ts'
import { runningEngine } from '../../serve/runningEngine.ts'

export const run = async ({ settings, out }: Invocation): Promise<void> => {
  const { dataDir } = settings()
  const engine = await runningEngine(dataDir)
  if (engine === undefined)
    throw new KirokuError('NatsUnreachable', `no engine runs in this folder (${dataDir}/run.json)`)
  const url = `${engine.apiUrl}/`
  const opened = await openInBrowser(url)
  out.line(url)
  out.result({ url, opened })
}

/** The program that opens an address on this screen; undefined: there is no screen. */
const opener = (): readonly [program: string, ...args: string[]] | undefined => {
  if (process.platform === 'darwin') return ['open']
  if (process.platform === 'win32') return ['cmd', '/c', 'start', '']
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY } = process.env
  if (BROWSER !== undefined && BROWSER !== '') return [BROWSER]
  return (DISPLAY ?? WAYLAND_DISPLAY ?? '') === '' ? undefined : ['xdg-open']
}

/** Whether a program accepted it. */
const openInBrowser = (url: string): Promise<boolean> => {
  const found = opener()
  if (found === undefined) return Promise.resolve(false)
  const [program, ...args] = found
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { detached: true, stdio: 'ignore' })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
