import { isKirokuError } from '@kiroku/protocol'
import type { Turn } from './Turn.ts'

/** Runs a check that throws typed errors and answers them. */
export const orRefuse = <B>(turn: Turn<B>, token: number, act: () => void): void => {
  try {
    act()
  } catch (e) {
    if (!isKirokuError(e) || e.id === 'LogDamaged' || e.id === 'Internal') throw e
    turn.refuse(token, e)
  }
}
