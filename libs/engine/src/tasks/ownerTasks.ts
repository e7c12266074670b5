import type { BodyCipher } from '../keys/BodyCipher.ts'
import { Eraser } from '../keys/Eraser.ts'
import { LetterKeys } from '../keys/LetterKeys.ts'
import { Backfill } from './Backfill.ts'
import { Forwarder } from './Forwarder.ts'
import type { Owner } from './Owner.ts'
import type { OwnerTask } from './OwnerTask.ts'
import { Redriver } from './Redriver.ts'
import { SpreadFollower } from './SpreadFollower.ts'

/** Everything that an owner does on its own, in the order in which it is told; and what commands need of that by name. */
export interface OwnerTasks {
  readonly all: readonly OwnerTask[]
  readonly eraser: Eraser
  readonly backfill: Backfill
}

/** The tasks of an owner: another one is another line. Keys come before those who use them. */
export const ownerTasks = (owner: Owner, cipher: BodyCipher): OwnerTasks => {
  const eraser = new Eraser(owner)
  const backfill = new Backfill(owner)
  const all = [
    owner.ring,
    cipher,
    new Forwarder(owner),
    new SpreadFollower(owner),
    eraser,
    new LetterKeys(owner),
    new Redriver(owner),
    backfill,
  ]
  return { all, eraser, backfill }
}
