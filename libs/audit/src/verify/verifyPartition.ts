import {
  ChainError,
  decodeRecord,
  equalBytes,
  hexOf,
  readChain,
  zeroHash,
  type ChainEntry,
  type PartitionLog,
} from '@kiroku/log'
import { firstMissing, PartitionState, restore, snapshot, stateHash } from '@kiroku/partition'
import { isKirokuError, type LogEvent, runNumbers } from '@kiroku/protocol'
import type { DecodeCheckpoint, StoredCheckpoint } from '../replay/Checkpoint.ts'
import { progressRecords } from '../replay/Progress.ts'
import type { ForwardLedger } from './ForwardLedger.ts'
import { LawFold } from './LawFold.ts'
import type { MachineCheck } from './MachineCheck.ts'
import type { PartitionProof } from './Proof.ts'
import { arrivalsOf, type Arrival, type ArrivalsIn } from './RestoreCheck.ts'
import { TailCheck, type TailNote } from './TailNote.ts'
import { WitnessCheck, type Witness } from './Witness.ts'
import type { PartitionReport, Problem, RepairNote, SinceProof } from './VerifyReport.ts'

/** Inputs of verifying one partition. */
export interface PartitionTask {
  readonly log: PartitionLog
  readonly firstSeq: number
  readonly lastSeq: number
  /** Sequences of the checkpoints that existed before `lastSeq` was read, newest first. */
  readonly checkpoints: readonly number[]
  readonly decodeCheckpoint: DecodeCheckpoint
  /** A node's tail note from before `lastSeq` was read. */
  readonly tail: TailNote | undefined
  readonly law: MachineCheck
  readonly forwards: ForwardLedger
  readonly onRecord: (seq: number, events: number) => void
  readonly pause: (() => Promise<void>) | undefined
  /** This partition in a given proof. */
  readonly proof: PartitionProof | undefined
  readonly witnesses: readonly Witness[]
}

/** A report, and the state at the end of what could be read. */
export interface PartitionResult {
  readonly report: PartitionReport
  readonly state: PartitionState
}

/** Changes of messages between two yields: some ms. */
const pauseTransitions = 4_000

/** Reads one partition's record and checks chain, law and checkpoints, up to the first problem. */
export const verifyPartition = async (task: PartitionTask): Promise<PartitionResult> => {
  const reader = new PartitionReader(task)
  let problem: Problem | undefined
  try {
    await reader.run()
  } catch (e) {
    if (!isKirokuError(e)) throw e
    problem = { seq: e instanceof ChainError ? e.seq : reader.seq, id: e.id, message: e.message }
    task.forwards.partial(task.log.partition)
  }
  return reader.result(problem)
}

class PartitionReader {
  readonly #task: PartitionTask
  readonly #repaired: RepairNote[] = []
  /** Stored checkpoints by sequence, once found equal to the replay. */
  readonly #confirmed = new Map<number, StoredCheckpoint>()
  #fold: LawFold
  #events = 0
  #transitions = 0
  #frames = 0
  #foreign = 0
  #checkpoints = 0
  /** Where checking of the rules begins. */
  #fromSeq = 0
  /** Hash of Kiroku's last record, and its value at the record that the proof names. */
  #head: Uint8Array = zeroHash
  #proven: Uint8Array | undefined
  /** Ranges that repairs gave up so far; they need not be readable. */
  readonly #lostRanges: { readonly from: number; readonly upTo: number }[] = []
  /** Records given up by repairs within what the proof covers. */
  #lostProven: { readonly from: number; readonly upTo: number } | undefined
  readonly #witnesses: WitnessCheck
  /** The current sequence. */
  seq = 0

  constructor(task: PartitionTask) {
    this.#task = task
    this.#witnesses = new WitnessCheck(task.witnesses, task.log.partition)
    this.seq = task.firstSeq
    this.#fold = this.#newFold(new PartitionState(task.log.partition))
  }

  #newFold(state: PartitionState): LawFold {
    return new LawFold(state, this.#task.law, this.#task.forwards)
  }

  async run(): Promise<void> {
    const { firstSeq, lastSeq, checkpoints, log, pause } = this.#task
    let pausedTransitions = 0
    const beyond = checkpoints.findLast((seq) => seq > lastSeq)
    if (beyond !== undefined)
      throw new ChainError(
        'LogShortened',
        log.partition,
        lastSeq + 1,
        `the log ends at ${lastSeq}, but a checkpoint names record ${beyond}`,
      )
    if (firstSeq > 1) await this.#beginTrimmed()
    const stored = new Set(checkpoints)
    const proofSeq = this.#task.proof?.seq ?? Infinity
    const tail = new TailCheck(this.#task.tail)
    for await (const entry of readChain(log, { toSeq: lastSeq, deep: true })) {
      this.seq = entry.seq
      if (this.#proven === undefined && entry.seq > proofSeq) this.#proven = this.#head
      if (entry.kind === 'ours') {
        this.#head = entry.record.hash
        tail.pass(entry.seq, entry.record)
        this.#witnesses.pass(entry.seq, entry.record)
      }
      if (entry.kind === 'lost') await this.#lost(entry)
      else if (entry.kind === 'foreign') this.#foreign++
      else if (entry.seq > this.#fromSeq) await this.#record(entry)
      if (entry.kind === 'ours' && stored.has(entry.seq)) await this.#checkpoint(entry.seq, entry.record.hash)
      if (entry.seq % progressRecords === 0) this.#task.onRecord(entry.seq, this.#eventsNow)
      if (pause !== undefined && this.#transitionsNow - pausedTransitions >= pauseTransitions) {
        pausedTransitions = this.#transitionsNow
        await pause()
      }
    }
    if (proofSeq === lastSeq) this.#proven ??= this.#head
    const { state } = this.#fold
    const missing = firstMissing(state, firstSeq, [])
    if (missing !== undefined)
      throw new ChainError('LogDamaged', log.partition, missing, 'the record is missing')
    const lostEnd = tail.problem(firstSeq, lastSeq, state.repairedEpoch)
    if (lostEnd !== undefined) throw lostEnd
    this.#fold.checkConservation()
    this.#task.onRecord(lastSeq, this.#eventsNow)
  }

  result(problem: Problem | undefined): PartitionResult {
    const { log, firstSeq, lastSeq } = this.#task
    const sinceProof = this.#sinceProof(problem)
    const givenUpFrom = Math.min(Infinity, ...this.#repaired.map(({ from }) => from))
    const readSeq = problem === undefined ? lastSeq : problem.seq - 1
    const witnesses = this.#witnesses.report(firstSeq, lastSeq, readSeq, givenUpFrom)
    const report: PartitionReport = {
      partition: log.partition,
      firstSeq,
      lastSeq,
      fromSeq: this.#fromSeq,
      frames: this.#frames,
      events: this.#eventsNow,
      transitions: this.#transitionsNow,
      ok: problem === undefined && sinceProof?.result !== 'changed' && witnesses?.contradiction === undefined,
      ...(problem === undefined ? {} : { problem }),
      ...(sinceProof === undefined ? {} : { sinceProof }),
      ...(witnesses === undefined ? {} : { witnesses }),
      head: hexOf(this.#head),
      foreign: this.#foreign,
      repaired: this.#repaired,
      ...(this.#fold.state.eventsSkipped === 0 ? {} : { skipped: this.#fold.state.eventsSkipped }),
      checkpoints: this.#checkpoints,
    }
    return { report, state: this.#fold.state }
  }

  #sinceProof(problem: Problem | undefined): SinceProof | undefined {
    const { proof, firstSeq, lastSeq } = this.#task
    if (proof === undefined) return undefined
    const { seq } = proof
    const checkedFrom = Math.min(firstSeq, seq + 1)
    const unchecked = checkedFrom - 1
    const gone =
      unchecked === 0 ? '' : `; records 1 to ${unchecked} were trimmed and can no longer be checked`
    const say = (result: SinceProof['result'], message: string): SinceProof => ({
      seq,
      result,
      checkedFrom,
      unchecked,
      message: message + gone,
    })
    if (lastSeq < seq) return say('changed', `the log ends at ${lastSeq}, before record ${seq} of the proof`)
    if (seq < firstSeq) return say('trimmed', `none of the records that the proof covers is left`)
    if (this.#lostProven !== undefined) {
      const { from, upTo } = this.#lostProven
      return say('changed', `records ${from} to ${upTo} were damaged and given up by a repair since`)
    }
    if (problem !== undefined && problem.seq <= seq)
      return say('changed', `the record is damaged at ${problem.seq}, before record ${seq} of the proof`)
    if (this.#proven === undefined || hexOf(this.#proven) !== proof.head)
      return say(
        'changed',
        `record ${seq} is not the one that the proof names: it, or one before it, was changed`,
      )
    return say('same', `records ${checkedFrom} to ${seq} are those of the proof`)
  }

  get #transitionsNow(): number {
    return this.#transitions + this.#fold.transitions
  }

  get #eventsNow(): number {
    return this.#events + this.#fold.events
  }

  /** The trimmed part is known from the oldest checkpoint whose record is still stored. */
  async #beginTrimmed(): Promise<void> {
    const { firstSeq, checkpoints, log } = this.#task
    for (const seq of [...checkpoints].reverse()) {
      if (seq < firstSeq - 1) continue
      const found = await this.#read(seq)
      if (found !== undefined) return this.#restart(found)
    }
    throw new ChainError(
      'LogDamaged',
      log.partition,
      firstSeq,
      `the log begins at ${firstSeq}, and there is no checkpoint for what came before`,
    )
  }

  #restart(checkpoint: StoredCheckpoint): void {
    this.#events += this.#fold.events
    this.#transitions += this.#fold.transitions
    this.#fromSeq = checkpoint.seq
    this.#fold = this.#newFold(restore(checkpoint.snapshot))
    this.#task.forwards.begin(this.#fold.state)
    // A repair whose note was trimmed away gave up what the other ends of lanes still record.
    if (checkpoint.snapshot.repairedEpoch > 0) this.#task.forwards.partial(this.#task.log.partition)
  }

  async #record(entry: Extract<ChainEntry, { kind: 'ours' }>): Promise<void> {
    const { record, seq } = entry
    if (record.kind === 'body') return
    this.#frames++
    this.#fold.accept(seq, record, await this.#arrivalsFor(record.events))
    for (const e of record.events) {
      if (e.type === 'Checkpointed') this.#checkNote(e)
      else if (e.type === 'Repaired') {
        const { from, upTo, note, by } = e
        this.#repaired.push({ seq, from, upTo, note, by })
        this.#task.forwards.partial(this.#task.log.partition)
      }
    }
  }

  /** Looks up the frames that messages are restored from. */
  async #arrivalsFor(events: readonly LogEvent[]): Promise<ArrivalsIn | undefined> {
    const { log } = this.#task
    let found: Map<number, Map<number, Arrival[]>> | undefined
    for (const e of events) {
      if (e.type !== 'RunsRestored') continue
      found ??= new Map<number, Map<number, Arrival[]>>()
      for (let i = 2; i < e.runs.length; i += runNumbers) {
        const seq = e.runs[i]!
        if (found.has(seq) || this.#lostRanges.some(({ from, upTo }) => from <= seq && seq <= upTo)) continue
        const stored = await log.get(seq)
        const record = stored === undefined || stored.foreign ? undefined : decodeRecord(stored.data)
        if (record?.kind === 'frame') found.set(seq, arrivalsOf(record.at, record.events))
      }
    }
    if (found === undefined) return undefined
    return (seq, queue) => {
      const arrivals = found.get(seq)
      return arrivals === undefined ? undefined : (arrivals.get(queue) ?? [])
    }
  }

  async #lost({ seq, upTo, bridged, damage }: Extract<ChainEntry, { kind: 'lost' }>): Promise<void> {
    const { proof } = this.#task
    this.#lostRanges.push({ from: seq, upTo })
    if (proof !== undefined && seq <= proof.seq) this.#lostProven ??= { from: seq, upTo }
    if (!bridged || upTo <= this.#fromSeq) return
    const checkpoint = await this.#read(upTo)
    // The repair relied on it.
    if (checkpoint === undefined) throw damage
    this.#restart(checkpoint)
  }

  /** Compares a stored checkpoint with the replay up to its record. */
  async #checkpoint(seq: number, recordHash: Uint8Array): Promise<void> {
    const checkpoint = await this.#read(seq)
    if (checkpoint === undefined) return
    const { partition } = this.#task.log
    const wrong = (what: string): ChainError => new ChainError('LogDamaged', partition, seq, what)
    if (checkpoint.seq !== seq || !equalBytes(checkpoint.hash, recordHash))
      throw wrong('the checkpoint was made of another record than the stored one')
    if (stateHash(checkpoint.snapshot, checkpoint.stateHash) !== checkpoint.stateHash)
      throw wrong('the checkpoint holds another state than the one it names')
    if (
      seq >= this.#fromSeq &&
      stateHash(snapshot(this.#fold.state), checkpoint.stateHash) !== checkpoint.stateHash
    )
      throw wrong('the checkpoint differs from the replay of the log')
    this.#confirmed.set(seq, checkpoint)
    this.#checkpoints++
  }

  /** A checkpoint that the log names must be the one that is stored. */
  #checkNote(note: { readonly seq: number; readonly digest: string; readonly stateHash: string }): void {
    const checkpoint = this.#confirmed.get(note.seq)
    if (checkpoint === undefined) return
    if (checkpoint.digest !== note.digest || checkpoint.stateHash !== note.stateHash)
      throw new ChainError(
        'LogDamaged',
        this.#task.log.partition,
        this.seq,
        `checkpoint ${note.seq} is not the one that the log names`,
      )
  }

  /** Errors: `LogDamaged` when its bytes are not what was stored. */
  async #read(seq: number): Promise<StoredCheckpoint | undefined> {
    const bytes = await this.#task.log.checkpoints.get(seq)
    if (bytes === undefined) return undefined
    try {
      return this.#task.decodeCheckpoint(bytes)
    } catch (cause) {
      if (!isKirokuError(cause) || cause.id !== 'LogDamaged') throw cause
      throw new ChainError('LogDamaged', this.#task.log.partition, seq, cause.message, { cause })
    }
  }
}
