import type { SpecMutant } from './SpecMutant.ts'

/** Breaks of what the engine promises beyond the documents. */
export const engineMutants: ReadonlyArray<SpecMutant> = [
  {
    id: 'ENG-01',
    file: 'libs/partition/src/groups.ts',
    from: 'if (sub.groups!.isOrdered) group.touched.push(n)',
    to: 'if (sub.groups!.isOrdered) group.touched.unshift(n)',
    what: 'what comes back of a group goes out in the opposite order',
  },
  {
    id: 'ENG-02',
    file: 'libs/partition/src/describeGroups.ts',
    from: 'if (state === State.Available) waiting++',
    to: 'if (state !== State.Inflight) waiting++',
    what: 'nobody is told that a group is held up by a message that waits for its retry',
  },
  {
    id: 'ENG-03',
    file: 'libs/partition/src/snapshot.ts',
    from: 'if (q.dedup !== undefined) state.dedup.restore(queue, DedupKeys.restore(q.dedup))',
    to: '',
    what: 'an engine that begins with a checkpoint forgets what was sent',
  },
  {
    id: 'ENG-07',
    file: 'libs/partition/src/untouched.ts',
    from: 'state.queues.delete(queue.id)',
    to: 'state.queues.delete(queue.id); state.nextQueue = queue.id',
    what: 'a new queue gets the id of the one that was deleted last',
  },
  {
    id: 'ENG-08',
    file: 'libs/partition/src/touched.ts',
    from: 'sub.flow.left(',
    to: '(() => {})(',
    what: 'a batch that was settled counts as one in flight for ever',
  },
  {
    id: 'ENG-09',
    file: 'libs/partition/src/delayed.ts',
    from: 'state.runs.setDelay(run, dueAt - state.runs.enqueuedAt(run))',
    to: '',
    what: 'a restarted engine forgets the new time of a message',
  },
  {
    id: 'ENG-10',
    file: 'libs/partition/src/available.ts',
    from: 'else if (live.state[slot] === State.Available)',
    to: 'else',
    what: 'a redrive takes messages away that a consumer works on',
  },
  {
    id: 'ENG-11',
    file: 'libs/partition/src/decide/enqueue.ts',
    from: 'if (before !== undefined) return turn.ok(token, before)',
    to: '',
    what: 'a repeated send is stored again',
  },
  {
    id: 'ENG-12',
    file: 'libs/partition/src/evolve.ts',
    from: '= live.attempt[slot]! - 1',
    to: '',
    what: 'a delivery that reached nobody costs an attempt',
  },
  {
    id: 'ENG-13',
    file: 'libs/partition/src/snapshot.ts',
    from: 'state.attempts.restore({ sub: state.subscriptions[index]!, attempt, delivery, at, numbers })',
    to: 'void [index, attempt, delivery, at, numbers]',
    what: 'an engine that begins with a checkpoint forgets what receives got',
  },
  {
    id: 'ENG-14',
    file: 'libs/partition/src/takeGroups.ts',
    from: 'noisyShare = 0.1',
    to: 'noisyShare = 1',
    what: 'no tenant is noisy, however much it has in flight',
  },
  {
    id: 'ENG-15',
    file: 'libs/engine/src/Checkpoints.ts',
    from: 'k.at <= now - this.#record.ms',
    to: 'k.at <= now',
    what: 'the log is trimmed before its time',
  },
]
