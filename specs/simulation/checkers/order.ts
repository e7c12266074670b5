import { isFinal } from '../world/Life.ts'
import type { Move } from '../world/Move.ts'
import type { Checker } from './Checker.ts'
import { Objection } from './Objection.ts'

/**
 * Invariant 6: within a group of an ordered queue a message goes out only after every one before it is final, or in
 * the same delivery behind it.
 */
export class OrderChecker implements Checker {
  readonly name = 'order'

  moving({ frame, event, queue, message, sub, life }: Move): void {
    if (event.type !== 'Delivered' || queue.configOf(sub).groups !== 'ordered') return
    const line = queue.lines.get(`${sub} ${message.group}`) ?? []
    for (const before of line) {
      if (before.life === life) return
      if (isFinal(before.life.state)) continue
      if (before.life.state === 'Inflight' && before.life.delivery === event.delivery) continue
      throw new Objection(
        this.name,
        `${frame.partition}/${queue.id}/${message.number} goes out at ${frame.seq}, but ${before.number} before it in group "${message.group}" is ${before.life.state}`,
      )
    }
  }
}
