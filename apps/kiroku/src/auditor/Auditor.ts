import { setTimeout as pause } from 'node:timers/promises'
import type { DeadLetterSource } from '@kiroku/api'
import { LogPass, parseFilter, trace } from '@kiroku/audit'
import {
  auditFolder,
  IndexFollower,
  IndexWriter,
  MomentFiles,
  openIndexToRead,
  openIndexToWrite,
  searchIndex,
  traceIndex,
  WriterLock,
} from '@kiroku/audit-store'
import { decodeCheckpoint } from '@kiroku/engine'
import type { Log } from '@kiroku/log'
import { KirokuError } from '@kiroku/protocol'
import { actsOfLog } from '../audit/actsOfLog.ts'
import { lookOptions } from '../audit/lookOptions.ts'
import { lookHere, type Looking } from '../audit/lookSource.ts'
import { lettersHere } from '../dlq/letterSource.ts'
import type { AuditorMethod, AuditorMethods, AuditorStatus, FollowedPartition } from './AuditorProtocol.ts'
import { Room } from './Room.ts'
import { historyOf } from './historyOf.ts'

/** How much of one processor index and answers take together while the machine is busy; questions go first. */
const workShare = 1 / 12
/** What answers may take ahead of that, so that a question now and then is answered at once, in ms of one processor. */
const answerBurstMs = 1_000
/** How long it rests when there is nothing new, in ms. */
const restMs = 200
/** How long it leaves a partition alone that it could not follow, in ms. */
const troubleMs = 5_000
/** How often one that reads looks whether it may write now, in ms. */
const lockMs = 2_000
/** How long the index waits for the answers to questions, and how often it looks, in ms. */
const answerMs = 2_000
const answerLookMs = 20
/** Records of a partition that are read before the next one has its turn. */
const turnRecords = 2_000

/** What an auditor needs. */
export interface AuditorOptions {
  readonly log: Log
  readonly dataDir: string
  readonly onTrouble: (partition: number, error: unknown) => void
}

type Answering = {
  readonly [M in AuditorMethod]: (asked: AuditorMethods[M]['asked']) => Promise<AuditorMethods[M]['answer']>
}

interface Followed {
  readonly follower: IndexFollower
  lastSeq: number
  trouble: string | undefined
  /** When it is tried again, in ms of the process's clock. */
  againAt: number
}

/** Follows the log of every partition, keeps index and moments on a disk, and answers questions from them. */
export class Auditor {
  readonly #log: Log
  readonly #dataDir: string
  readonly #folder: string
  readonly #onTrouble: AuditorOptions['onTrouble']
  readonly #followed: Followed[] = []
  readonly #stop = new AbortController()
  readonly #room = new Room(workShare, this.#stop.signal)
  readonly #answerRoom = new Room(workShare, this.#stop.signal, answerBurstMs)
  #lock: WriterLock | undefined
  #running: Promise<void> | undefined
  /** Questions that are being answered. */
  #asked = 0

  constructor({ log, dataDir, onTrouble }: AuditorOptions) {
    this.#log = log
    this.#dataDir = dataDir
    this.#folder = auditFolder(dataDir, log.meta.incarnation)
    this.#onTrouble = onTrouble
  }

  /** Begins. The promise fails when it cannot go on at all, as with a full disk. */
  run(): Promise<void> {
    this.#running ??= this.#run()
    return this.#running
  }

  get status(): AuditorStatus {
    return {
      pid: process.pid,
      role: this.#lock === undefined ? 'reader' : 'writer',
      partitions: this.#followed.map(({ follower, lastSeq, trouble }): FollowedPartition => ({
        partition: follower.partition,
        seq: follower.reachedSeq,
        lastSeq: Math.max(lastSeq, follower.reachedSeq),
        events: follower.events,
        ...(trouble === undefined ? {} : { trouble }),
      })),
    }
  }

  /** Errors: those of the question. */
  async ask<M extends AuditorMethod>(
    method: M,
    asked: AuditorMethods[M]['asked'],
  ): Promise<AuditorMethods[M]['answer']> {
    this.#asked++
    try {
      // Whoever asks again and again pays for it here, like those that look back on their way.
      await this.#answerRoom.make()
      return await (this.#answering[method] as Answering[M])(asked)
    } finally {
      this.#asked--
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  readonly #answering: Answering = {
    search: ({ filter, limit, cursor }) =>
      this.#reading((database) =>
        Promise.resolve(
          searchIndex(database, parseFilter(filter, Date.now()), {
            incarnation: this.#log.meta.incarnation,
            ...(limit === undefined ? {} : { limit }),
            ...(cursor === undefined ? {} : { cursor }),
          }),
        ),
      ),
    acts: (filter) => actsOfLog(this.#log, this.#dataDir, filter),
    history: (asked) =>
      this.#reading((database) =>
        historyOf(this.#log, database, asked, (n) => this.#followed[n]?.trouble === undefined),
      ),
    trace: ({ messageId }) =>
      this.#reading((database) =>
        trace(this.#log, messageId, { decodeCheckpoint, index: traceIndex(database) }),
      ),
    stateAt: ({ queue, asked }) => this.#looking.stateAt(queue, asked),
    logAt: (asked) => this.#looking.logAt(asked),
    recording: ({ queue, asked }) => this.#looking.recording(queue, asked),
    span: (asked) => this.#looking.span(asked),
    diff: ({ queue, asked }) => this.#looking.diff(queue, asked),
    batches: ({ queue, asked }) => this.#looking.batches(queue, asked),
    deadLetters: ({ queue, asked }) => this.#letters.list(queue, asked),
    selectLetters: ({ queue, asked }) => this.#letters.select(queue, asked),
  }

  get #looking(): Looking {
    return lookHere(this.#log, () => lookOptions(this.#log, this.#dataDir, this.#answerRoom))
  }

  get #letters(): DeadLetterSource {
    return lettersHere(this.#log, () => lookOptions(this.#log, this.#dataDir, this.#answerRoom))
  }

  async #reading<A>(
    act: (database: NonNullable<ReturnType<typeof openIndexToRead>>) => Promise<A>,
  ): Promise<A> {
    const database = openIndexToRead(this.#folder)
    if (database === undefined) throw new KirokuError('NoAuditor', 'the auditor has just begun')
    try {
      return await act(database)
    } finally {
      database.close()
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      this.#lock = WriterLock.take(this.#folder)
      if (this.#lock !== undefined) break
      await rest(lockMs, signal)
    }
    if (signal.aborted) return
    const writer = new IndexWriter(openIndexToWrite(this.#folder))
    try {
      await this.#follow(writer)
    } finally {
      for (const { follower } of this.#followed) await follower.close().catch(() => {})
      writer.close()
      this.#lock?.release()
    }
  }

  async #follow(writer: IndexWriter): Promise<void> {
    const { signal } = this.#stop
    const moments = new MomentFiles(this.#folder)
    const options = {
      log: this.#log,
      writer,
      decodeCheckpoint,
      moments,
      keep: LogPass.keepDefault,
      pause: () => this.#makeRoom(),
    }
    for (let n = 0; n < this.#log.meta.partitions; n++)
      this.#followed.push({
        follower: new IndexFollower(n, options),
        lastSeq: 0,
        trouble: undefined,
        againAt: 0,
      })
    while (!signal.aborted) {
      let isNews = false
      for (const followed of this.#followed) {
        if (signal.aborted) return
        if (await this.#turn(followed)) isNews = true
      }
      // Questions are answered meanwhile, and the engine goes first where the machine is busy.
      await (isNews ? this.#makeRoom() : this.#room.rest(restMs))
    }
  }

  /** Who asked waits for an answer, the index can wait: a while, so that it goes on also where questions do not end. */
  async #makeRoom(): Promise<void> {
    const { signal } = this.#stop
    for (
      let waitedMs = 0;
      this.#asked > 0 && waitedMs < answerMs && !signal.aborted;
      waitedMs += answerLookMs
    )
      await rest(answerLookMs, signal)
    await this.#room.make()
  }

  /** Reads the next records of a partition; says whether there are more. */
  async #turn(followed: Followed): Promise<boolean> {
    const { follower } = followed
    if (performance.now() < followed.againAt) return false
    try {
      followed.lastSeq = await follower.lastSeq()
      const before = follower.reachedSeq
      if (followed.lastSeq === before) return false
      await follower.run(before + turnRecords)
      followed.trouble = undefined
      return follower.reachedSeq > before && follower.reachedSeq < followed.lastSeq
    } catch (error) {
      if (isOfDisk(error)) throw error
      const message = error instanceof Error ? error.message : String(error)
      if (message !== followed.trouble) this.#onTrouble(follower.partition, error)
      followed.trouble = message
      followed.againAt = performance.now() + troubleMs
      follower.reset()
      return false
    }
  }
}

/** What SQLite says concerns all partitions. */
const isOfDisk = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: string }).code === 'ERR_SQLITE_ERROR'

const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal }).catch(() => {})
