import type { PartTotals, QueueAddress, SpreadView } from '@kiroku/protocol'

/** One part of a spread queue beside its home, as the home has it. */
export interface Part {
  readonly partition: number
  /** Its queue there; 0: none is known yet. */
  readonly queue: number
  /** opening: it takes sends as soon as it is placed; sealed: it takes none, and ends when it is empty. */
  readonly state: 'opening' | 'open' | 'sealed'
  /** Version from which on it is meant to take sends: who knows only an older one means a part that is gone. */
  readonly since: number
}

/** What the home of a spread queue knows of its parts. */
export class Spread {
  /** Counts changes of what clients are told. */
  version = 0
  /** Counts changes of what parts must follow. */
  revision = 0
  purges = 0
  parts: readonly Part[] = []
  /** What parts that are gone have done. */
  closed: PartTotals = { sent: 0, subs: {} }
  /** Frame of the last change of the revision; nothing of it leaves before that is stored. */
  revisedSeq = 0

  get view(): SpreadView {
    const parts = this.parts
      .filter((p) => p.queue > 0)
      .map(({ partition, state }) => ({ partition, isOpen: state === 'open' }))
    return { version: this.version, parts }
  }
}

/** What a closed part did of one subscription. Names of subscriptions may be such as every object has, like `constructor`. */
export const totalsOf = ({ subs }: PartTotals, name: string): PartTotals['subs'][string] | undefined =>
  Object.hasOwn(subs, name) ? subs[name] : undefined

/** What a client that knows a version of a queue's parts must be told; undefined: nothing. 0: it knows of none. */
export const newsFor = (spread: Spread | undefined, knows: number): SpreadView | undefined => {
  if (spread === undefined) return knows === 0 ? undefined : { version: 0, parts: [] }
  return knows === spread.version || (knows === 0 && spread.parts.length === 0) ? undefined : spread.view
}

/** What a part knows of its home, which it follows. */
export interface Place {
  readonly home: QueueAddress
  readonly revision: number
  readonly since: number
  readonly isOpen: boolean
  /** Its place among the home and all parts, by which limits are shared out. */
  readonly index: number
  readonly of: number
  readonly purges: number
  /** Generations of the home's subscriptions by name. */
  readonly subs: Readonly<Record<string, number>>
}

/** A part that its home knows no more, until it is dropped. */
export interface LeavingPart {
  /** Name and id of the home. */
  readonly name: string
  readonly queue: number
  readonly partition: number
  /** What it is told after this revision of its home came too late. */
  readonly revision: number
  /** The frame that decided it; it is told nothing before that is stored. */
  readonly decidedSeq: number
}

/** Key of a home, for those that left it. */
export const homeKey = ({ partition, queue }: QueueAddress): string => `${partition}/${queue}`

/** The share of a limit that falls to one of `of` parts; 0 is no limit. */
export const shareOf = (limit: number, index: number, of: number): number =>
  Math.floor(limit / of) + (index < limit % of ? 1 : 0)
