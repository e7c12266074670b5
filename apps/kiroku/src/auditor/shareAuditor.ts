import type { AuditorStatus, RunningAuditor } from '@kiroku/auditor'
import type { Nats } from '../serve/describeCluster.ts'
import { auditorBeatMs, AuditorClaim, type AuditorBeat } from './AuditorClaim.ts'
import { beatSubject, whoSubject } from './auditorSubjects.ts'
import { askRecord, serveRecord } from './recordQuestions.ts'

/** How long the node with the auditor may take to say so when one starts, in ms. */
const whoMs = 500

/** An auditor that the nodes of a log share: one of them runs it, and every one can ask. */
export interface SharedAuditor extends RunningAuditor {
  /** Whether this node runs it. */
  readonly isHere: () => boolean
}

/** What a node shares its auditor by. */
export interface AuditorSharing {
  readonly nats: Nats
  readonly log: string
  /** Name of the node, unique. */
  readonly node: string
  /** Whether NATS is reachable: without it nothing is known of the other nodes. */
  readonly isConnected: () => boolean
  /** Whether this node may run it; otherwise it only asks. */
  readonly mayRun: boolean
  readonly start: () => RunningAuditor
  /** Called when this node begins to run it, and when it stops because another node does. */
  readonly onChange: (isHere: boolean, other: string | undefined) => void
}

/** What the node that runs the auditor says over NATS. */
interface Told extends AuditorBeat {
  readonly status?: AuditorStatus
  readonly ends?: true
}

/** How far the auditor of a log is, as the node that runs it says; undefined: no node runs one. */
export const auditorStatus = async (nats: Nats, log: string): Promise<AuditorStatus | undefined> => {
  const answer = await nats.request(whoSubject(log), '', { timeout: whoMs }).catch(() => undefined)
  return answer === undefined ? undefined : (JSON.parse(answer.string()) as Told).status
}

/** Runs the auditor of a log on this node as long as no other node runs it. Close it when done. */
export const shareAuditor = async (sharing: AuditorSharing): Promise<SharedAuditor> => {
  const { nats, log, node, isConnected, mayRun, start, onChange } = sharing
  const claim = new AuditorClaim(node)
  const remote = askRecord(nats, log)
  let here: { readonly auditor: RunningAuditor; readonly stop: () => void } | undefined
  /** What the node that runs it said last. */
  let told: AuditorStatus | undefined
  let wasAway = false
  let closing: Promise<void> | undefined

  const beatOf = (beat: AuditorBeat): string => {
    const status = here?.auditor.status()
    return JSON.stringify({ ...beat, ...(status === undefined ? {} : { status }) } satisfies Told)
  }
  /** Starts or stops the auditor here, as the claim has it. */
  const follow = (other?: string): void => {
    if (claim.beat !== undefined && here === undefined && closing === undefined) {
      const auditor = start()
      const stopServing = serveRecord(nats, log, auditor.ask)
      const whos = nats.subscribe(whoSubject(log), {
        callback: (error, message) => {
          if (error === null && claim.beat !== undefined) message.respond(beatOf(claim.beat))
        },
      })
      const stop = (): void => {
        stopServing()
        if (!nats.isClosed()) whos.unsubscribe()
      }
      here = { auditor, stop }
      onChange(true, undefined)
    } else if (claim.beat === undefined && here !== undefined) {
      here.stop()
      void here.auditor.close()
      here = undefined
      onChange(false, other)
    }
  }
  const hear = (text: string): void => {
    const { ends, status, ...beat } = JSON.parse(text) as Told
    if (beat.node === node) return
    if (ends === true) claim.hearEnd()
    else claim.hear(beat, performance.now())
    if (here === undefined) told = status
    follow(beat.node)
  }
  const beats = nats.subscribe(beatSubject(log), {
    callback: (error, message) => {
      if (error === null) hear(message.string())
    },
  })
  const beatNow = (): void => {
    if (!isConnected()) {
      wasAway = true
      return
    }
    // Nothing could be heard meanwhile.
    if (wasAway) claim.wait(performance.now())
    wasAway = false
    if (mayRun) claim.look(performance.now(), Date.now())
    follow()
    if (claim.beat !== undefined) nats.publish(beatSubject(log), beatOf(claim.beat))
  }
  // Where no node runs it, NATS says so at once.
  const others = await nats.request(whoSubject(log), '', { timeout: whoMs }).catch(() => undefined)
  if (others !== undefined) hear(others.string())
  beatNow()
  const beating = setInterval(beatNow, auditorBeatMs)

  const close = async (): Promise<void> => {
    clearInterval(beating)
    const { beat } = claim
    if (!nats.isClosed()) {
      beats.unsubscribe()
      if (beat !== undefined && here !== undefined)
        nats.publish(beatSubject(log), JSON.stringify({ ...beat, ends: true } satisfies Told))
    }
    here?.stop()
    await here?.auditor.close()
    here = undefined
  }
  return {
    isHere: () => here !== undefined,
    status: () => (here === undefined ? told : here.auditor.status()),
    ask: (method, asked) => (here === undefined ? remote(method, asked) : here.auditor.ask(method, asked)),
    close: () => (closing ??= close()),
  }
}
