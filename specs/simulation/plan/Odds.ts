import type { Chance } from '../core/Chance.ts'

/** How probable each fault is, each time that it could happen. */
export interface Odds {
  /** An append or fence that is not stored and has no answer. */
  readonly appendLost: number
  /** One that is stored and has no answer. */
  readonly answerLost: number
  /** One that has no answer and arrives later, with all after it, whatever was written meanwhile. */
  readonly late: number
  /** One that finds no room. */
  readonly full: number
  /** The same two for fences. */
  readonly fenceLost: number
  readonly fenceAnswerLost: number
  /** An answer of the log that takes long, so that others overtake it. */
  readonly answerDelayed: number
  /** A checkpoint that is stored with a wrong byte. */
  readonly checkpointGarbled: number
  /** A key that is stored without an answer. */
  readonly keyAnswerLost: number
  /** A request of a client that never arrives, and a reply that never does. */
  readonly requestLost: number
  readonly replyLost: number
  readonly replyDelayed: number
  /** A request that goes to a former owner of the partition. */
  readonly strayRequest: number
  /** A new owner's announcement that a client does not hear. */
  readonly announcementLost: number
}

/** Name of such a fault. */
export type OddsName = keyof Odds

/** Odds of a calm world. */
export const calmOdds: Odds = {
  appendLost: 0,
  answerLost: 0,
  late: 0,
  full: 0,
  fenceLost: 0,
  fenceAnswerLost: 0,
  answerDelayed: 0,
  checkpointGarbled: 0,
  keyAnswerLost: 0,
  requestLost: 0,
  replyLost: 0,
  replyDelayed: 0,
  strayRequest: 0,
  announcementLost: 0,
}

/** Odds of one seed: each fault is absent, seldom or frequent, so that also single ones are met. */
export const drawOdds = (chance: Chance): Odds => {
  const share = (often: number): number => chance.pick([0, often / 5, often / 5, often])
  return {
    appendLost: share(0.04),
    answerLost: share(0.05),
    late: share(0.05),
    full: share(0.02),
    fenceLost: share(0.2),
    fenceAnswerLost: share(0.2),
    answerDelayed: share(0.2),
    checkpointGarbled: share(0.3),
    keyAnswerLost: share(0.1),
    requestLost: share(0.05),
    replyLost: share(0.06),
    replyDelayed: share(0.2),
    strayRequest: chance.pick([0, 0.1, 0.3, 0.5]),
    announcementLost: share(0.5),
  }
}
