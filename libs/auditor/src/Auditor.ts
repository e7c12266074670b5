import { setTimeout as pause } from 'node:timers/promises'
import { Replay, type Answering, type Asker, type RecordQuestion, type RecordQuestions } from '@kiroku/audit'
import { isKirokuError, KirokuError } from '@kiroku/protocol'
import type { AuditedLog } from './AuditedLog.ts'
import type { AuditorStatus, FollowedPartition } from './AuditorProtocol.ts'
import { Shares } from './Shares.ts'
import { WriterLock } from './WriterLock.ts'
import { Anchors, type AnchorOptions } from './anchors/Anchors.ts'
import { answersOf } from './answersOf.ts'
import { auditFolder } from './auditFolder.ts'
import { openIndexToWrite, removeIndex } from './index/IndexDatabase.ts'
import { IndexFollower } from './index/IndexFollower.ts'
import { IndexWriter } from './index/IndexWriter.ts'
import { isIndexDamage } from './index/isIndexDamage.ts'
import { SavedStateFiles } from './saved/SavedStateFiles.ts'
import { CpuThrottle } from './throttle/CpuThrottle.ts'

/** Share of one processor that the index takes while the machine is busy, answers included; questions go first. */
const workShare = 1 / 12
/** How long a partition rests until its end is asked for again, in ms: longer each time, since its owner tells of news. */
const restMsMin = 200
const restMsMax = 30_000
/** How long a question waits for a look at partitions that rest, in ms. */
const freshMs = 500
/** Pause before a partition that could not be followed is tried again, in ms. */
const troubleMs = 5_000
/** How often a reader tries to become the writer, in ms. */
const lockMs = 2_000
/** How long the index waits for the answers to questions, and how often it looks, in ms. */
const answerMs = 2_000
const answerLookMs = 20
/** Records of a partition that are read before the next partition's turn. */
const turnRecords = 2_000

/** Dependencies of an auditor. */
export interface AuditorOptions extends AuditedLog {
  /** Called once per new reason why a partition cannot be followed; once for all of them while the log does not answer. */
  readonly onTrouble: (partition: number, error: unknown) => void
  /** Where the heads of the chains are anchored; absent: nowhere. */
  readonly anchors?: AnchorOptions
  /** Called when anchors cannot be written, once per new reason. */
  readonly onAnchorTrouble?: (error: unknown) => void
}

interface Followed {
  readonly follower: IndexFollower
  readonly anchoring: ReturnType<Anchors['of']> | undefined
  lastSeq: number
  trouble: string | undefined
  /** How long it rests next, since when it rests and until when, in ms of the process's clock. */
  restMs: number
  lookedMs: number
  lookAtMs: number
}

/** Follows the log of every partition, keeps index and saved states on a disk, and answers questions from them. */
export class Auditor {
  readonly #audited: AuditedLog
  readonly #folder: string
  readonly #onTrouble: AuditorOptions['onTrouble']
  readonly #anchors: Anchors | undefined
  readonly #followed: Followed[] = []
  readonly #stop = new AbortController()
  readonly #throttle = new CpuThrottle(workShare, this.#stop.signal)
  readonly #shares = new Shares(this.#stop.signal)
  #lock: WriterLock | undefined
  #writer: IndexWriter | undefined
  #running: Promise<void> | undefined
  /** Questions that are being answered. */
  #asked = 0
  /** What SQLite said of an index that is damaged. */
  #damage: unknown
  /** When the end of every partition was asked for last, in ms of the process's clock. */
  #lookedMs = -Infinity
  /** Called after the next look at all of them. */
  #looked: (() => void)[] = []
  #wake: () => void = () => {}

  constructor({ onTrouble, anchors, onAnchorTrouble = () => {}, ...audited }: AuditorOptions) {
    this.#audited = audited
    this.#anchors = anchors && new Anchors(anchors, audited.log.meta, onAnchorTrouble)
    this.#folder = auditFolder(audited.dataDir, audited.log.meta.incarnation)
    this.#onTrouble = onTrouble
  }

  /** Starts. The promise fails when it cannot continue at all, as with a full disk, or a damaged index, which it removes. */
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

  /** Errors: those of the question, `Busy` (the asker's share is used up), `Stopped` (it is gone). */
  async ask<M extends RecordQuestion>(
    method: M,
    asked: RecordQuestions[M]['asked'],
    asker: Asker,
  ): Promise<RecordQuestions[M]['answer']> {
    if (ofIndex.has(method)) await this.#lookAtAll()
    this.#asked++
    try {
      return await this.#shares.answer(asker, (pause) => {
        const answers = answersOf(this.#audited, (n) => this.#followed[n]?.trouble === undefined, pause)
        return (answers[method] as Answering[M])(asked)
      })
    } catch (error) {
      if (!isIndexDamage(error)) throw error
      this.#damage = error
      this.#stop.abort()
      throw new KirokuError('NoAuditor', 'the index was damaged and is built again', { cause: error })
    } finally {
      this.#asked--
    }
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      this.#lock = WriterLock.take(this.#folder)
      if (this.#lock !== undefined) break
      await rest(lockMs, signal)
    }
    if (this.#lock === undefined) return
    try {
      this.#writer = new IndexWriter(openIndexToWrite(this.#folder))
      await this.#follow(this.#writer)
    } catch (error) {
      if (!isIndexDamage(error)) throw error
      this.#damage = error
    } finally {
      for (const { follower } of this.#followed) await follower.close().catch(() => {})
      this.#writer?.close()
      if (this.#damage !== undefined) removeIndex(this.#folder)
      this.#lock.release()
    }
    if (this.#damage !== undefined)
      throw new KirokuError('NoAuditor', `the index in ${this.#folder} was damaged and is built again`, {
        cause: this.#damage,
      })
  }

  async #follow(writer: IndexWriter): Promise<void> {
    const { signal } = this.#stop
    const moments = new SavedStateFiles(this.#folder)
    const { log, decodeCheckpoint } = this.#audited
    const options = {
      log,
      writer,
      decodeCheckpoint,
      moments,
      keep: Replay.keepDefault,
      pause: () => this.#yieldToOthers(),
    }
    for (let n = 0; n < log.meta.partitions; n++) {
      const anchoring = this.#anchors?.of(n)
      const listeners = anchoring === undefined ? [] : [anchoring]
      this.#followed.push({
        follower: new IndexFollower(n, { ...options, listeners }),
        anchoring,
        lastSeq: 0,
        trouble: undefined,
        restMs: restMsMin,
        lookedMs: 0,
        lookAtMs: 0,
      })
    }
    while (!signal.aborted) {
      let isNews = false
      const looked = this.#looked.splice(0)
      if (looked.length > 0) this.#lookedMs = performance.now()
      for (const followed of this.#followed) {
        if (signal.aborted) return
        if (await this.#turn(followed)) isNews = true
      }
      for (const each of looked) each()
      // Questions are answered meanwhile, and the engine goes first when the machine is busy.
      if (isNews || writer.isSweepDue) await this.#yieldToOthers()
      else {
        writer.flush()
        await this.#rest()
      }
    }
  }

  /** Rests until a partition is to be looked at, or a question wants them all to be. */
  async #rest(): Promise<void> {
    if (this.#looked.length > 0) return
    const untilMs = Math.min(...this.#followed.map(({ lookAtMs }) => lookAtMs))
    const woken = new Promise<void>((resolve) => (this.#wake = resolve))
    await Promise.race([woken, this.#throttle.rest(Math.max(1, untilMs - performance.now()))])
  }

  /** Has the index catch up with partitions that rest, so that an answer has what was stored before its question. */
  async #lookAtAll(): Promise<void> {
    const nowMs = performance.now()
    if (this.#followed.length === 0 || nowMs - this.#lookedMs < restMsMin) return
    for (const followed of this.#followed)
      if (followed.trouble === undefined) followed.lookAtMs = Math.min(followed.lookAtMs, nowMs)
    const looked = new Promise<void>((resolve) => this.#looked.push(resolve))
    this.#wake()
    await Promise.race([looked, rest(freshMs, this.#stop.signal)])
  }

  /**
   * Removes a piece of what the log no longer holds. Questions go before the index, but only for a while, so that it makes
   * progress under a constant load of them.
   */
  async #yieldToOthers(): Promise<void> {
    const { signal } = this.#stop
    this.#writer?.sweep()
    for (
      let waitedMs = 0;
      this.#asked > 0 && waitedMs < answerMs && !signal.aborted;
      waitedMs += answerLookMs
    )
      await rest(answerLookMs, signal)
    await this.#throttle.pause()
  }

  /** Its owner stored more: it is looked at soon, however long it was to rest. */
  #hear(followed: Followed): void {
    followed.restMs = restMsMin
    followed.lookAtMs = Math.min(followed.lookAtMs, followed.lookedMs + restMsMin)
    this.#wake()
  }

  /** Reads the next records of a partition; says whether there are more. */
  async #turn(followed: Followed): Promise<boolean> {
    const { follower } = followed
    if (performance.now() < followed.lookAtMs) return false
    followed.lookedMs = performance.now()
    try {
      await follower.onMore(() => this.#hear(followed))
      followed.lastSeq = await follower.lastSeq()
      const before = follower.reachedSeq
      if (followed.lastSeq === before) {
        followed.anchoring?.rest()
        followed.lookAtMs = performance.now() + followed.restMs
        followed.restMs = Math.min(followed.restMs * 2, restMsMax)
        return false
      }
      await follower.run(before + turnRecords)
      followed.trouble = undefined
      const isMore = follower.reachedSeq > before && follower.reachedSeq < followed.lastSeq
      followed.restMs = restMsMin
      followed.lookAtMs = isMore ? 0 : performance.now() + restMsMin
      return isMore
    } catch (error) {
      if (isOfDisk(error)) throw error
      const message = error instanceof Error ? error.message : String(error)
      if (message !== followed.trouble && !this.#isKnown(error)) this.#onTrouble(follower.partition, error)
      followed.trouble = message
      followed.lookAtMs = performance.now() + troubleMs
      follower.reset()
      return false
    }
  }

  /** A store that does not answer is told of once, rather than for each partition that it holds. */
  #isKnown(error: unknown): boolean {
    return (
      isKirokuError(error) && error.retryable && this.#followed.some(({ trouble }) => trouble !== undefined)
    )
  }
}

/** Questions that the index answers. */
const ofIndex: ReadonlySet<RecordQuestion> = new Set(['search', 'history', 'trace', 'deadLetters'])

/** An error of SQLite concerns all partitions. */
const isOfDisk = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: string }).code === 'ERR_SQLITE_ERROR'

const rest = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal }).catch(() => {})
