import { BodyEditor } from '../bodies/BodyEditor.ts'
import { BodyCipher } from '../keys/BodyCipher.ts'
import { Eraser } from '../keys/Eraser.ts'
import { LetterKeys } from '../keys/LetterKeys.ts'
import { Backfill } from './Backfill.ts'
import { Forwarder } from './Forwarder.ts'
import type { Owner } from './Owner.ts'
import type { OwnerTask } from './OwnerTask.ts'
import { Redriver } from './Redriver.ts'
import { SpreadFollower } from './SpreadFollower.ts'

/** What an owner does on its own, and by name what commands need of it. */
export interface OwnerTasks {
  readonly all: readonly OwnerTask[]
  readonly cipher: BodyCipher
  readonly eraser: Eraser
  readonly backfill: Backfill
  readonly editor: BodyEditor
}

/** Makes the tasks of an owner; another one is another line. They are told of everything in this order, keys first. */
export const ownerTasks = (owner: Owner): OwnerTasks => {
  const cipher = new BodyCipher(owner.ring, owner.writer)
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
  return { all, cipher, eraser, backfill, editor: new BodyEditor(owner) }
}
