import { startServer } from '@kiroku/nats-server'
import { processorMs } from '../console/processorTime.ts'
import { EngineProcess } from '../engine/EngineProcess.ts'
import { LoadProcess, type Tasks } from '../LoadProcess.ts'
import type { BareSqs } from '../load/bareSqs.ts'
import type { SqsLoad } from '../load/sqsLoad.ts'
import type { Part } from '../runParts.ts'
import type { SqsSizes } from './sizes.ts'

/** What a part gets. */
export interface SqsRun extends Part {
  readonly sizes: SqsSizes
  readonly profile: string | undefined
}

/** A server that the load is put on, and the processes whose time its requests cost. */
export interface Serving {
  readonly name: string
  readonly url: string
  readonly pids: readonly number[]
}

/** Everything that a part starts, which ends with it. */
export class SqsServers {
  readonly #stack = new AsyncDisposableStack()
  readonly #run: SqsRun

  constructor(run: SqsRun) {
    this.#run = run
  }

  /** A nats-server and an engine with its door, in processes of their own. */
  async kiroku(
    name: string,
    options: {
      /** When nats-server syncs; default: `always`, as `kiroku up` runs it. */
      readonly syncInterval?: string
      readonly keysFile?: string
      readonly partitions?: number
    } = {},
  ): Promise<Serving & { readonly nats: string; readonly engine: EngineProcess }> {
    const { syncInterval = 'always', keysFile, partitions = 1 } = options
    const server = await startServer({ syncInterval })
    this.#stack.defer(() => server.stop())
    const engine = await EngineProcess.start({
      nats: server.url,
      partitions,
      dataDir: await this.#run.folder(),
      profile: this.#run.profile,
      sqs: keysFile === undefined ? {} : { keysFile },
      // Beside the long polls there are those that send.
      env: { KIROKU_HTTP_CONNECTIONS: '12000', KIROKU_HTTP_REQUESTS: '12000' },
    })
    this.#stack.defer(() => engine.stop())
    return { name, url: engine.sqs, pids: [engine.pid, server.pid], nats: server.url, engine }
  }

  /** A server that only answers. */
  async bare(): Promise<Serving & { readonly server: LoadProcess<BareSqs> }> {
    const server = this.process<BareSqs>('bareSqs')
    return { name: 'a bare server', url: await server.ask('url'), pids: [server.pid], server }
  }

  load(): LoadProcess<SqsLoad> {
    return this.process<SqsLoad>('sqsLoad')
  }

  process<T extends Tasks>(module: string, args: readonly string[] = []): LoadProcess<T> {
    const process = new LoadProcess<T>(module, module, args)
    this.#stack.defer(() => process.end())
    return process
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack[Symbol.asyncDispose]()
  }
}

/** The processor time of a server's processes so far, in ms. */
export const spentMs = ({ pids }: Serving): number => pids.reduce((sum, pid) => sum + processorMs(pid), 0)
