import { KirokuError } from '@kiroku/protocol'
import type { AuditorStatus } from '../AuditorProtocol.ts'
import type { RunningAuditor } from '../startAuditor.ts'
import { type AuditorBeat, readBeat } from './AuditorBeat.ts'
import type { AuditorBus } from './AuditorBus.ts'
import { auditorBeatMs, AuditorClaim } from './AuditorClaim.ts'
import { answerFor, askAuditor, askBeat } from './askAuditor.ts'

/** An auditor that the nodes of a log share: one of them runs it, and every one can ask. */
export interface SharedAuditor extends RunningAuditor {
  /** Whether this node runs it. */
  readonly isHere: () => boolean
}

/** What a node shares its auditor by. */
export interface AuditorSharing {
  readonly bus: AuditorBus
  /** Name of the node, unique. */
  readonly node: string
  /** Whether other nodes can be heard. */
  readonly isConnected: () => boolean
  /** Whether this node may run it; otherwise it only asks. */
  readonly mayRun: boolean
  readonly start: () => RunningAuditor
  /** Called when this node begins to run it, and when it stops because another node does. */
  readonly onChange: (isHere: boolean, other: string | undefined) => void
}

/** Runs the auditor of a log on this node as long as no other node runs it. Close it when done. */
export const shareAuditor = async (sharing: AuditorSharing): Promise<SharedAuditor> => {
  const { bus, node, isConnected, mayRun, start, onChange } = sharing
  const claim = new AuditorClaim(node)
  const askOther = askAuditor(bus)
  let here: { readonly auditor: RunningAuditor; readonly stop: () => void } | undefined
  /** What the node that runs it said last. */
  let told: AuditorStatus | undefined
  let wasAway = false
  let closing: Promise<void> | undefined

  const beat = (): AuditorBeat | undefined => {
    const status = here?.auditor.status()
    return claim.beat && { ...claim.beat, ...(status === undefined ? {} : { status }) }
  }
  /** Starts or stops the auditor here, as the claim has it. */
  const follow = (other?: string): void => {
    if (claim.beat !== undefined && here === undefined && closing === undefined) {
      const auditor = start()
      here = { auditor, stop: answerFor(bus, auditor, beat) }
      onChange(true, undefined)
    } else if (claim.beat === undefined && here !== undefined) {
      here.stop()
      void here.auditor.close()
      here = undefined
      onChange(false, other)
    }
  }
  const hear = (heard: AuditorBeat | undefined): void => {
    if (heard === undefined || heard.node === node) return
    if (heard.ends === true) claim.hearEnd()
    else claim.hear(heard, performance.now())
    told = heard.status
    follow(heard.node)
  }
  const stopHearing = bus.hear((news) => hear(readBeat(news)))
  const look = (): void => {
    if (!isConnected()) {
      wasAway = true
      return
    }
    // Nothing could be heard meanwhile.
    if (wasAway) claim.wait(performance.now())
    wasAway = false
    if (mayRun) claim.look(performance.now(), Date.now())
    follow()
    const own = beat()
    if (own !== undefined) bus.tell(JSON.stringify(own))
  }
  hear(await askBeat(bus))
  look()
  const looking = setInterval(look, auditorBeatMs)

  const close = async (): Promise<void> => {
    clearInterval(looking)
    stopHearing()
    const own = beat()
    if (own !== undefined) bus.tell(JSON.stringify({ ...own, ends: true } satisfies AuditorBeat))
    here?.stop()
    await here?.auditor.close()
    here = undefined
  }
  return {
    isHere: () => here !== undefined,
    status: () => (here === undefined ? told : here.auditor.status()),
    ask: async (method, asked, asker) => {
      if (here !== undefined) return here.auditor.ask(method, asked, asker)
      if (!isConnected())
        throw new KirokuError('NoAuditor', 'the node that runs the auditor cannot be reached')
      return askOther(method, asked, asker)
    },
    close: () => (closing ??= close()),
  }
}
