import { startApi } from '@kiroku/api'
import { bodyOf } from '@kiroku/audit'
import { answerRecord, Auditor } from '@kiroku/auditor'
import { createClient, inProcess, type Client } from '@kiroku/client'
import { parseTokens, Tokens } from '@kiroku/doors'
import { liveFeed } from '@kiroku/feed'
import { featureLevel } from '@kiroku/protocol'
import { temporaryFolder, waitUntil } from '@kiroku/testkit'
import { decodeCheckpoint, startMemoryEngine } from '@kiroku/testkit/engine'

const by = { name: 'spec', origin: 'test' }
const tokens = 'vic:viewer:the-token-of-vic,olga:operator:the-token-of-olga'

/** An answer as somebody got it. */
interface Told {
  readonly status: number
  readonly text: string
}

/** An engine with its HTTP API, in one process. */
export interface HiddenWorld extends AsyncDisposable {
  readonly client: Client
  readonly api: string
  ask(who: 'vic' | 'olga', method: string, path: string): Promise<Told>
}

/**
 * Starts an engine with tokens for a viewer, `vic`, and an operator, `olga`.
 * @param audited whether its auditor follows the log; one that has no index yet answers what needs none
 */
export const createHiddenWorld = async (audited: boolean): Promise<HiddenWorld> => {
  await using building = new AsyncDisposableStack()
  const engine = await startMemoryEngine({ partitions: 2 })
  building.defer(() => engine.close())
  for (let n = 0; n < 2; n++)
    await engine.node().request(n, [{ type: 'RaiseClusterVersion', version: featureLevel, by }])
  const client = createClient(inProcess(engine.node()))
  building.defer(() => client.close())
  const folder = building.use(await temporaryFolder())
  const followed = { log: engine.log, dataDir: folder.path, decodeCheckpoint }
  const auditor = new Auditor({ ...followed, onTrouble: () => {} })
  if (audited) {
    void auditor.run()
    building.defer(() => auditor.stop())
    await waitUntil(() => auditor.status.partitions.length > 0)
  }
  const record = answerRecord(auditor)
  const { incarnation, partitions } = engine.log.meta
  const feed = liveFeed({
    name: 'spec',
    incarnation,
    partitions,
    request: (partition, commands) => engine.node().request(partition, commands),
  })
  building.defer(() => feed.close())
  const api = await startApi(
    {
      about: { log: 'main', incarnation, partitions, version: '0', startedAt: 0, pid: 1, folder: '' },
      client,
      record,
      body: (trace) => bodyOf(engine.log, trace),
      feed,
      settleMatching: () => Promise.reject(new Error('nobody settles here')),
      clusterStatus: () => Promise.resolve({ nodes: [], partitions: [] } as never),
      finalizeCluster: () => Promise.reject(new Error('nobody finalizes here')),
      metrics: () => [],
      owned: () => engine.node().describe(),
      warnings: () => [],
      outage: () => Promise.resolve(undefined),
      notReady: () => Promise.resolve(undefined),
    },
    {
      host: '127.0.0.1',
      port: 0,
      tokens: new Tokens(parseTokens(tokens)),
      bodyBytesMax: 10_000,
      drainMs: 100,
    },
  )
  building.defer(() => api.close())
  const made = building.move()
  return {
    client,
    api: api.url,
    ask: async (who, method, path) => {
      const leaving = new AbortController()
      const response = await fetch(api.url + path, {
        method,
        signal: leaving.signal,
        headers: {
          authorization: `Bearer the-token-of-${who}`,
          ...(method === 'GET' ? {} : { 'content-type': 'application/json' }),
        },
        ...(method === 'GET' ? {} : { body: '{}' }),
      })
      const isFeed = (response.headers.get('content-type') ?? '').startsWith('text/event-stream')
      // A feed never ends: its first event has everything.
      const text = isFeed ? await firstOf(response) : await response.text()
      leaving.abort()
      return { status: response.status, text }
    },
    [Symbol.asyncDispose]: () => made.disposeAsync(),
  }
}

const firstOf = async (response: Response): Promise<string> => {
  const { value } = await response.body!.getReader().read()
  return new TextDecoder().decode(value)
}
