import {
  createClient,
  inProcess,
  type Batch,
  type Body,
  type Client,
  type ClientEvent,
  type ConsumeOptions,
  type Consumer,
  type QueueSettings,
  type ReceivedMessage,
  type ReceiveOptions,
  type SendOptions,
} from '@kiroku/client'
import type { CheckpointPolicy } from '@kiroku/engine'
import { createMemoryLog, type MemoryLog } from '@kiroku/log'
import { featureLevel, type QueueCounts } from '@kiroku/protocol'
import { ManualTime } from '@kiroku/testkit'
import {
  runWorker,
  type Env,
  type ExecutionContext,
  type MessageBatch,
  type RunningWorker,
  type WorkerConfig,
} from '@kiroku/worker'
import { ClientProcess } from './ClientProcess.ts'
import { Engine } from './Engine.ts'
import { Recorder } from './Recorder.ts'
import { readRecord, type RecordedEvent } from './readRecord.ts'
import { ms, type Span } from './span.ts'

/** The moment at which every world begins, in ms since 1970. */
const beginning = Date.UTC(2026, 0, 1)

/** How a world is made. */
export interface WorldOptions {
  readonly partitions?: number
  /** How long, and how many bytes of the record are kept; default: as a log is made. */
  readonly recordMs?: number
  readonly recordBytes?: number
  /** When a checkpoint is made; default: as a node does. */
  readonly checkpoints?: CheckpointPolicy
}

/** A consumer whose deliveries are written down. */
export type RecordedConsumer = Recorder & Consumer

/** A Worker whose batches are written down. */
export type RecordedWorker = Recorder & RunningWorker

/** What a Worker's handler may do with a batch. */
export type WorkerHandler = (batch: MessageBatch, env: Env, ctx: ExecutionContext) => unknown

/**
 * A real engine on a log in memory and a real client in the same process, on one time that only `advance`
 * moves. `await using world = await createWorld()` in every specification.
 */
export class World implements AsyncDisposable {
  readonly time = new ManualTime()
  /** By how much the clock of the log's store is wrong, in ms. */
  storeOffMs = 0
  readonly log: MemoryLog
  readonly engine: Engine
  readonly client: Client
  /** What the client did by itself. */
  readonly events: ClientEvent[] = []

  constructor(options: WorldOptions) {
    const { partitions = 1, recordMs, recordBytes, checkpoints } = options
    this.time.wallFromMs = beginning
    this.log = createMemoryLog(
      {
        partitions,
        ...(recordMs === undefined ? {} : { recordMs }),
        ...(recordBytes === undefined ? {} : { recordBytes }),
      },
      {
        now: () => beginning + this.storeOffMs + this.time.now(),
        schedule: (afterMs, run) => {
          if (afterMs === 0) queueMicrotask(run)
          else this.time.after(afterMs, run)
        },
      },
    )
    this.engine = new Engine({
      log: this.log,
      time: this.time,
      ...(checkpoints === undefined ? {} : { checkpoints }),
    })
    this.client = this.newClient('client', this.hear)
  }

  /** Records a client's events, except warnings about settings, which most specs do not change. */
  readonly hear = (event: ClientEvent): void => {
    if (event.type !== 'queueWarning') this.events.push(event)
  }

  /** A further client of the same engine. */
  newClient(name: string, onEvent: (event: ClientEvent) => void = () => {}): Client {
    return createClient(inProcess(this.engine), { name, clock: this.time, onEvent })
  }

  /** A client of the same engine in its own process. */
  newProcess(name: string, sendTimeoutMs?: number): ClientProcess {
    return new ClientProcess(name, this.engine, this.time, sendTimeoutMs)
  }

  /** Seconds since the world began. */
  get seconds(): number {
    return this.time.now() / 1_000
  }

  /** Lets time pass; everything that is due happens in its order. */
  async advance(span: Span): Promise<void> {
    await this.time.advance(ms(span))
  }

  /** A pause inside a handler. */
  sleep(span: Span): Promise<void> {
    return this.time.sleep(ms(span))
  }

  /** Creates a queue. */
  async queue(name: string, settings: QueueSettings = {}): Promise<void> {
    await this.client.queues.create(name, settings)
  }

  /** Sends one message, and lets what follows from it happen. */
  async send(queue: string, body: Body, options: SendOptions = {}): Promise<void> {
    await this.client.send(queue, body, options)
    await this.time.settle()
  }

  /** Sends messages as one batch, and lets what follows from it happen. */
  async sendBatch(queue: string, bodies: readonly Body[], options: SendOptions = {}): Promise<void> {
    await this.client.sendBatch(
      queue,
      bodies.map((body) => ({ body })),
      options,
    )
    await this.time.settle()
  }

  receive(queue: string, options: ReceiveOptions = {}): Promise<ReceivedMessage[]> {
    return this.client.receive(queue, options)
  }

  /** Consumes a queue with the native client. */
  async consumer(
    queue: string,
    handler: (batch: Batch) => unknown = () => {},
    options: ConsumeOptions = {},
  ): Promise<RecordedConsumer> {
    const recorder = new Recorder(() => this.seconds)
    const noting = (batch: Batch): unknown => {
      recorder.note(batch)
      return handler(batch)
    }
    const consumer = this.client.consume(queue, noting, options)
    await this.time.settle()
    return Object.assign(recorder, { stop: consumer.stop.bind(consumer), closed: consumer.closed })
  }

  /** Runs a Worker whose `queue` handler is the given one. */
  async worker(config: WorkerConfig, handler: WorkerHandler = () => {}): Promise<RecordedWorker> {
    const recorder = new Recorder(() => this.seconds)
    const queue: WorkerHandler = (batch, env, ctx) => {
      recorder.note(batch)
      return handler(batch, env, ctx)
    }
    const worker = await runWorker({ client: this.client, config, module: { queue } })
    await this.time.settle()
    return Object.assign(recorder, { stop: worker.stop, fail: worker.fail, closed: worker.closed })
  }

  /** Messages of a queue by state. */
  async counts(queue: string): Promise<QueueCounts> {
    return (await this.client.queues.describe(queue)).counts
  }

  /** The contents of a partition's log. */
  record(partition = 0): Promise<RecordedEvent[]> {
    return readRecord(this.log, partition)
  }

  /** Ends the engine's process, lets `down` pass without one, and starts another on the same log. */
  async restart(how: 'drain' | 'crash', down?: Span): Promise<void> {
    await this.engine.stop(how)
    if (down !== undefined) await this.advance(down)
    await this.engine.start()
    await this.time.settle()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = this.client.close()
    await this.time.advance(60_000)
    await closed
    await this.engine.stop('drain')
  }
}

/** Makes a world with its engine running. */
export const createWorld = async (options: WorldOptions = {}): Promise<World> => {
  const world = new World(options)
  await world.engine.start()
  const by = { name: 'engine', origin: 'new log' }
  for (let partition = 0; partition < world.log.meta.partitions; partition++)
    await world.engine.request(partition, [{ type: 'RaiseClusterVersion', version: featureLevel, by }])
  return world
}
