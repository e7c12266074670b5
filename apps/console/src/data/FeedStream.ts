import { ApiError, request } from './api.ts'
import { FeedModel } from './FeedModel.ts'
import { ServerEvents } from './serverEvents.ts'

/** The state of a view's connection to the feed. */
export type FeedStatus = 'connecting' | 'live' | 'paused' | 'lost'

/** How long to wait before each next attempt to reach an engine that went away, in ms. */
const retryMs = [250, 500, 1_000, 2_000, 4_000] as const
/** After this long without any message, heartbeats included, the connection counts as dead, in ms. */
const silenceMs = 12_000

/**
 * One stream of the feed, for one view: of one queue or of all. It resumes where it was after a break. While
 * it is paused, or its tab is hidden, it is closed: then nothing is requested and nothing is drawn.
 */
export class FeedStream {
  readonly model = new FeedModel()
  readonly #queue: string | undefined
  readonly #listeners = new Set<() => void>()
  #status: FeedStatus = 'connecting'
  #error: ApiError | undefined
  #version = 0
  #abort: AbortController | undefined
  #attempt = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(queue: string | undefined) {
    this.#queue = queue
  }

  /** Rises with every change; React compares it. */
  get version(): number {
    return this.#version
  }
  get status(): FeedStatus {
    return this.#status
  }
  /** Why it is lost. */
  get error(): ApiError | undefined {
    return this.#error
  }

  /** Calls after every change. Returns a function that stops. */
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Opens the stream, or opens it again. */
  open(): void {
    if (this.#abort !== undefined) return
    this.#attempt = 0
    this.#tell('connecting')
    void this.#run()
  }

  /** Closes it; known data stays. */
  close(): void {
    this.#end()
    this.#tell('paused')
  }

  #end(): void {
    clearTimeout(this.#timer)
    this.#abort?.abort()
    this.#abort = undefined
  }

  async #run(): Promise<void> {
    const abort = new AbortController()
    this.#abort = abort
    try {
      await this.#read(abort)
      if (!abort.signal.aborted) this.#lost(undefined)
    } catch (error) {
      if (this.#abort === abort) this.#lost(error instanceof ApiError ? error : undefined)
    }
  }

  async #read(abort: AbortController): Promise<void> {
    const path = this.#queue === undefined ? '/v1/feed' : `/v1/queues/${encodeURIComponent(this.#queue)}/feed`
    const { position } = this.model.place
    const response = await request(path, {
      signal: abort.signal,
      headers: position === '' ? {} : { 'last-event-id': position },
    })
    this.model.opened()
    const events = new ServerEvents()
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    this.#attempt = 0
    for (;;) {
      const silence = setTimeout(() => abort.abort(), silenceMs)
      const { done, value } = await reader.read().finally(() => clearTimeout(silence))
      if (done) return
      for (const { event, data } of events.push(value)) {
        const said = JSON.parse(data) as never
        if (event === 'snapshot' || event === 'changes')
          this.model.accept({ ...(said as object), kind: event } as never, Date.now())
        else this.model.heartbeat(said)
      }
      this.#tell('live')
    }
  }

  #lost(error: ApiError | undefined): void {
    this.#end()
    this.#error = error
    this.#tell('lost')
    const wait = retryMs[Math.min(this.#attempt++, retryMs.length - 1)]
    this.#timer = setTimeout(() => void this.#run(), wait)
  }

  #tell(status: FeedStatus): void {
    this.#status = status
    if (status === 'live') this.#error = undefined
    this.#version++
    for (const listener of this.#listeners) listener()
  }
}
