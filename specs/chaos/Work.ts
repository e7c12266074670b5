import type { Random } from './random.ts'

/** What the consumer is to do with a message. */
type Task =
  | 'ack'
  /** Fails once. */
  | 'retry'
  /** Fails always. */
  | 'poison'
  /** Dead-lettered on purpose. */
  | 'deadLetter'
  /** Left to the end of its lease, once. */
  | 'forget'

/** The body of a message: its label and what is to become of it. */
export interface Work {
  readonly label: number
  readonly task: Task
  /** Creates a body large enough for a record of its own. */
  readonly padding?: string
}

const padding = 'x'.repeat(300_000)
const paddedShare = 0.01

/** Draws the work of a message. */
export const drawWork = (label: number, random: Random): Work => {
  const task = drawTask(random)
  return random.next() < paddedShare ? { label, task, padding } : { label, task }
}

/** Mostly work that succeeds, with enough of every other kind that each kill meets some of it. */
const drawTask = (random: Random): Task => {
  const chance = random.next()
  if (chance < 0.75) return 'ack'
  if (chance < 0.82) return 'retry'
  if (chance < 0.9) return 'poison'
  return chance < 0.985 ? 'deadLetter' : 'forget'
}
