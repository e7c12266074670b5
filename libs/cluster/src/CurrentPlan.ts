import { planPlacement, type PlacementView } from './planPlacement.ts'
import { planStandbys } from './planStandbys.ts'

/** A view, which node each partition should be on, and which one should be its standby. */
export interface Planned {
  readonly view: PlacementView
  readonly plan: ReadonlyArray<string | undefined>
  readonly standbys: ReadonlyArray<string | undefined>
}

/** The plan for what is known now. It is made again only where that has changed: a node looks several times a second. */
export class CurrentPlan {
  #key = ''
  #planned: Planned | undefined

  of(view: PlacementView): Planned {
    const key = keyOf(view)
    if (this.#planned === undefined || key !== this.#key) {
      const plan = planPlacement(view)
      this.#planned = { view, plan, standbys: planStandbys(view, plan) }
      this.#key = key
    }
    return this.#planned
  }
}

const keyOf = ({ members, holders, pins }: PlacementView): string => {
  const words: Array<string | number | boolean | undefined> = []
  for (const { address, weight, isLeaving, follows } of members)
    words.push(address, weight, isLeaving, follows === undefined ? '-' : [...follows].join(' '))
  for (const [partition, { owner, isServing, next }] of holders) words.push(partition, owner, isServing, next)
  for (const [partition, host] of pins) words.push(partition, host)
  return words.join()
}
