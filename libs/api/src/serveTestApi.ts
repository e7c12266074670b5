import {
  batchCosts,
  LetterSelector,
  readDeadLetters,
  diffMoments,
  encodeRecording,
  gatherDeadLetters,
  recordingOf,
  logAt,
  spanOf,
  stateAt,
  trace,
} from '@kiroku/audit'
import { createClient, inProcess, type Client } from '@kiroku/client'
import { parseTokens, type OpenDoor } from '@kiroku/doors'
import { limits } from '@kiroku/protocol'
import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, beforeEach } from 'vitest'
import type { ApiDependencies } from './ApiDependencies.ts'
import { startApi } from './startApi.ts'
import { unusedTestDependencies } from './unusedTestDependencies.ts'

/** What a test works with; made again for each. */
let engine: MemoryEngine
export let client: Client
/** What the process around the API says of itself. */
export const said: { notReady: string | undefined; warnings: readonly string[] } = {
  notReady: undefined,
  warnings: [],
}
const apis: OpenDoor[] = []

beforeEach(async () => {
  engine = await startMemoryEngine()
  client = createClient(inProcess(engine.node()))
  said.notReady = undefined
  said.warnings = []
})

afterEach(async () => {
  for (const api of apis.splice(0)) await api.close()
  await client.close()
  await engine.close()
})

/** Serves the API of an engine in memory until the test ends. */
export const serve = async (tokens = '', other: Partial<ApiDependencies> = {}) => {
  const defects: [error: unknown, request: string][] = []
  const dependencies = {
    ...unusedTestDependencies,
    client,
    trace: (id: string) => trace(engine.log, id),
    look: {
      stateAt: (queue: string, { at }: { at?: string }) =>
        stateAt(engine.log, queue, { seq: Number(at) }, { decodeCheckpoint, now: Date.now() }),
      batches: (queue: string, asked: { subscription?: string }) =>
        batchCosts(engine.log, queue, { decodeCheckpoint, now: Date.now(), ...asked }),
      logAt: ({ at }: { at?: string }) =>
        logAt(engine.log, { time: Number(at) }, { decodeCheckpoint, now: Number(at) }),
      recording: async (queue: string, { from, state }: { from?: string; state?: string }) =>
        encodeRecording(
          await recordingOf(
            engine.log,
            queue,
            { seq: Number(from) },
            { decodeCheckpoint, now: Date.now(), withState: state === '1' },
          ),
        ),
      span: ({ queue }: { queue?: string }) => spanOf(engine.log, queue, { decodeCheckpoint }),
      diff: (queue: string, { a, b }: { a: string; b?: string }) =>
        diffMoments(
          engine.log,
          queue,
          { seq: Number(a) },
          { seq: Number(b) },
          { decodeCheckpoint, now: Date.now() },
        ),
    },
    search: {
      messages: (asked: object) => Promise.resolve({ messages: [], asked } as never),
      acts: (asked: object) => Promise.resolve({ acts: [], asked } as never),
      history: (asked: object) => Promise.resolve({ buckets: [], asked } as never),
    },
    deadLetters: {
      list: (queue: string, asked: { readonly subscription?: string }) =>
        gatherDeadLetters(engine.log, queue, { decodeCheckpoint, ...asked }),
      select: async (queue: string, { group }: { readonly group?: string }) => {
        const picked = new LetterSelector(queue, { group: group! })
        await readDeadLetters(engine.log, queue, { decodeCheckpoint }, (letter) => picked.accept(letter))
        return picked.parts(limits.redriveRangesMax)[0] ?? []
      },
    },
    clusterStatus: () => Promise.resolve({ nodes: 1 } as never),
    metrics: () => [
      { type: 'gauge', name: 'engine_own', help: 'x', samples: [{ labels: {}, value: 1 }] } as const,
    ],
    ownedPartitions: () => new Set([0, 1]),
    notReady: () => said.notReady,
    warnings: () => said.warnings,
    ...other,
  }
  const api = await startApi(dependencies, {
    host: '127.0.0.1',
    port: 0,
    tokens: parseTokens(tokens),
    bodyBytesMax: 10_000,
    drainMs: 200,
    onDefect: (...told) => defects.push(told),
  })
  apis.push(api)
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(api.url + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const json = (): never => JSON.parse(text) as never
    return { status: response.status, headers: response.headers, text, json }
  }
  return { api, ask, defects }
}

/** The bodies in a queue as they are stored; they are given back. */
export const texts = async (queue: string): Promise<string[]> => {
  const messages = await client.receive(queue, { max: 10 })
  await client.release(messages.map(({ receipt }) => receipt))
  return messages.map(({ body }) => new TextDecoder().decode(body))
}

/** What a receive answers. */
export interface Received {
  readonly messages: {
    readonly id: string
    readonly receipt: string
    readonly body?: unknown
    readonly attempt: number
  }[]
}
