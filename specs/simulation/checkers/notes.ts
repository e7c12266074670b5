import type { Answers, Reply } from '@kiroku/protocol'
import type { Exchange } from '../world/Exchange.ts'
import type { World } from '../world/World.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/** A note that was confirmed is in the log when the answer leaves, and each owner has the notes that the log has. */
export class NotesChecker implements Checker {
  readonly name = 'notes'
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  left({ partition, commands }: Exchange, reply: Reply): void {
    // Ids of a tail that was lost unnoticed are given out again.
    if (this.#world.hurts.get(partition)?.kind === 'tail') return
    for (const [i, command] of commands.entries()) {
      if (command.type !== 'ConfigureQueue' || command.notes === undefined || command.dryRun === true)
        continue
      const ok = reply.answers[i]!.ok as Answers['ConfigureQueue'] | undefined
      const queue = ok && this.#world.truth.ledgers[partition]!.queues.get(ok.queue)
      if (queue === undefined) continue
      for (const [name, text] of command.notes)
        if (text !== null && !queue.noted.has(`${name}=${text}`))
          throw this.#object(`note ${name} of ${partition}/${queue.id} is confirmed, but not in the log`)
    }
  }

  ended(): void {
    const { truth, placement } = this.#world
    for (const { partition, queues } of truth.ledgers) {
      const { state } = placement.ownerOf(partition)!.node.actors.get(partition)!
      for (const { id, notes, isDeleted } of queues.values()) {
        if (isDeleted) continue
        const has = JSON.stringify([...(state.queues.get(id)?.notes ?? [])].sort())
        const stored = JSON.stringify([...notes].sort())
        if (has !== stored)
          throw this.#object(`the owner of ${partition}/${id} has the notes ${has}, but the log ${stored}`)
      }
    }
  }

  #object(text: string): Objection {
    return new Objection(this.name, text)
  }
}
