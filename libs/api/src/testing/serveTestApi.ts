import {
  batchCosts,
  LetterSelector,
  readDeadLetters,
  diffMoments,
  encodeRecording,
  gatherDeadLetters,
  Hiding,
  queuesOfLog,
  recordingOf,
  logAt,
  spanOf,
  stateAt,
  trace,
} from '@kiroku/audit'
import { createClient, inProcess, type Client } from '@kiroku/client'
import { parseTokens, Tokens, type OpenDoor } from '@kiroku/doors'
import { limits } from '@kiroku/protocol'
import { decodeCheckpoint, startMemoryEngine, type MemoryEngine } from '@kiroku/testkit/engine'
import { afterEach, beforeEach } from 'vitest'
import type { ApiDependencies } from '../ApiDependencies.ts'
import { startApi, type ApiOptions } from '../startApi.ts'
import { unusedTestDependencies } from './unusedTestDependencies.ts'

/** What a test works with; created per test. */
let engine: MemoryEngine
export let client: Client
/** The state of the process around the API. */
export const said: { notReady: string | undefined; warnings: readonly string[] } = {
  notReady: undefined,
  warnings: [],
}
const apis: OpenDoor[] = []

/** Gives each test of a file its own engine. Called once, before the tests. */
export const engineForEach = (): void => {
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
}

/** The record of the engine in memory as it is now. */
const answers = (): ReturnType<ApiDependencies['record']> => {
  const { log } = engine
  const past = () => ({ decodeCheckpoint, now: Date.now() })
  const sightOf = async (asOperator = false) => ({
    hiding: new Hiding(await queuesOfLog(log, past())),
    asOperator,
  })
  return {
    ...unusedTestDependencies.record({ principal: 'unused' }),
    trace: async ({ messageId, asOperator }) => trace(log, messageId, { sight: await sightOf(asOperator) }),
    stateAt: ({ queue, at, ...page }) => stateAt(log, queue, at!, { ...past(), ...page }),
    logAt: ({ at }) => logAt(log, at!, past()),
    diff: ({ queue, from, to, messagesMax }) =>
      diffMoments(log, queue, from, to!, { ...past(), messagesMax }),
    batches: ({ queue, ...asked }) => batchCosts(log, queue, { ...past(), ...asked }),
    span: ({ queue }) => spanOf(log, queue, { decodeCheckpoint }),
    recording: async ({ queue, from, ...range }) =>
      encodeRecording(await recordingOf(log, queue, from!, { ...past(), ...range })),
    deadLetters: async ({ queue, at: _, asOperator, ...asked }) =>
      gatherDeadLetters(log, queue, { decodeCheckpoint, ...asked, sight: await sightOf(asOperator) }),
    selectLetters: async ({ queue, subscription: _, ...selection }) => {
      const picked = new LetterSelector(queue, selection)
      await readDeadLetters(log, queue, { decodeCheckpoint }, (letter) => picked.accept(letter))
      return picked.parts(limits.redriveRangesMax)[0] ?? []
    },
  }
}

/** Serves the API of an engine in memory until the test ends. */
export const serve = async (
  tokens = '',
  other: Partial<ApiDependencies> = {},
  options: Partial<ApiOptions> = {},
) => {
  const defects: [error: unknown, request: string][] = []
  const dependencies: ApiDependencies = {
    ...unusedTestDependencies,
    client,
    record: answers,
    clusterStatus: () => Promise.resolve({ nodes: 1 } as never),
    metrics: () => [
      { type: 'gauge', name: 'engine_own', help: 'x', samples: [{ labels: {}, value: 1 }] } as const,
    ],
    owned: () => engine.node().describe(),
    outage: () => Promise.resolve(undefined),
    notReady: () => Promise.resolve(said.notReady),
    warnings: () => said.warnings,
    ...other,
  }
  const api = await startApi(dependencies, {
    host: '127.0.0.1',
    port: 0,
    tokens: new Tokens(parseTokens(tokens)),
    bodyBytesMax: 10_000,
    drainMs: 200,
    onDefect: (...told) => defects.push(told),
    ...options,
  })
  apis.push(api)
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    signal: AbortSignal | null = null,
  ) => {
    const response = await fetch(api.url + path, {
      method,
      signal,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const json = (): never => JSON.parse(text) as never
    return { status: response.status, headers: response.headers, text, json }
  }
  return { api, ask, defects }
}

/** The bodies in a queue as stored; the messages are released again. */
export const texts = async (queue: string): Promise<string[]> => {
  const messages = await client.receive(queue, { max: 10 })
  await client.release(messages.map(({ receipt }) => receipt))
  return messages.map(({ body }) => new TextDecoder().decode(body))
}

/** The messages of a receive. */
export interface Received {
  readonly messages: {
    readonly id: string
    readonly receipt: string
    readonly body?: unknown
    readonly attempt: number
  }[]
}
