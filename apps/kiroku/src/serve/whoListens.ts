import type { HttpAddress } from './HttpAddress.ts'
import { getJson } from './getJson.ts'
import type { RunFile } from './RunFile.ts'

/** How long a listener may take to identify itself, in ms. */
const askMs = 1_000

/** Whether an engine serves the API that a run file names. */
export const isLive = async ({ apiUrl, apiCert }: Pick<RunFile, 'apiUrl' | 'apiCert'>): Promise<boolean> => {
  const { status } = (await ask(`${apiUrl}/health/live`, apiCert)) ?? {}
  return status === 'live'
}

const engineOf = (said: Said | undefined): { pid: number; folder: string } | undefined => {
  const { pid, folder } = said ?? {}
  return typeof pid === 'number' && typeof folder === 'string' ? { pid, folder } : undefined
}

/** Names the program that listens on an address. */
export const whoListens = async ({ host, port }: HttpAddress): Promise<string> => {
  const there = `${reachable(host)}:${port}/v1/session`
  const said = (await ask(`http://${there}`)) ?? (await ask(`https://${there}`))
  const engine = engineOf(said)
  if (engine !== undefined) return `the Kiroku engine of ${engine.folder} (process ${engine.pid})`
  return said?.['id'] === 'Unauthorized' ? 'another Kiroku engine, which requires a token' : 'another program'
}

type Said = Readonly<Record<string, unknown>>

const ask = async (url: string, certFile?: string): Promise<Said | undefined> => {
  try {
    const signal = AbortSignal.timeout(askMs)
    const said = await getJson(url, { signal, ...(certFile === undefined ? {} : { certFile }) })
    return typeof said === 'object' && said !== null ? (said as Said) : undefined
  } catch {
    return undefined
  }
}

/** A program that listens on every address is asked on loopback. */
const reachable = (host: string): string =>
  host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
