import type { Mutant } from '../../mutants/Mutant.ts'

/** An engine with one defect, which a checker must notice within a few hundred seeds. */
export interface BrokenEngine extends Mutant {
  readonly name: string
}

/** The engines that the checkers are tested by. */
export const brokenEngines: readonly BrokenEngine[] = [
  {
    name: 'answer before append',
    file: 'libs/engine/src/PartitionActor.ts',
    from: 'sections }, turn.answers)',
    to: 'sections }, []); for (const a of turn.answers) this.#resolve(a)',
    what: 'answers leave when their frame is sent off, not when it is stored',
  },
  {
    name: 'answer a duplicate in flight',
    file: 'libs/engine/src/PartitionActor.ts',
    from: 'const waiting = this.#flights.last?.held ?? this.#idle',
    to: 'const waiting = this.#idle',
    what: 'a repeated send is answered while the frame of the first is under way',
  },
  {
    name: 'no fence',
    file: 'libs/engine/src/fence.ts',
    from: 'const stored = await log.fence(records, lastSeq)',
    to: 'const stored = lastSeq === 0 ? await log.fence(records, lastSeq) : { seq: lastSeq, timeMs: last.at }; hash = lastSeq === 0 ? hash : last.hash',
    what: 'a take-over only reads',
  },
  {
    name: 'fence of one record',
    file: 'libs/engine/src/fence.ts',
    from: 'const of = limits.appendsInFlight',
    to: 'const of = 1',
    what: 'a fence has fewer records than an owner may have appends in flight',
  },
  {
    name: 'no new epoch',
    file: 'libs/engine/src/fence.ts',
    from: 'const epoch = last.epoch + 1',
    to: 'const epoch = Math.max(1, last.epoch)',
    what: 'an ownership does not begin an epoch of its own',
  },
  {
    name: 'no epoch check',
    file: 'libs/client/src/PartitionLink.ts',
    from: 'if (reply.epoch < this.#epoch && reply.epoch > 0) {',
    to: 'if (reply.epoch < 0) {',
    what: 'a client takes the reply of an earlier owner for one of the present',
  },
  {
    name: 'retry of an ambiguous append',
    file: 'libs/engine/src/Flights.ts',
    from: 'this.#log.append(record.bytes, expected).then(',
    to: 'this.#log.append(record.bytes, expected).catch((e) => isKirokuError(e) && e.id === "LogAmbiguous" ? this.#log.state().then(({ lastSeq }) => this.#log.append(record.bytes, lastSeq)) : Promise.reject(e)).then(',
    what: 'an append without an answer is repeated where the log ends now',
  },
  {
    name: 'lease expiry by wall clock',
    file: 'libs/engine/src/PartitionActor.ts',
    from: 'return Math.max(now, this.#state.at)',
    to: 'return Math.max(now, Date.now(), this.#state.at)',
    what: 'a node’s wall clock moves partition time',
  },
  {
    name: 'lost timer after recovery',
    file: 'libs/partition/src/snapshot.ts',
    from: 'of s.delayed) {',
    to: 'of s.delayed.slice(1)) {',
    what: 'delays are not taken up again behind a checkpoint',
  },
  {
    name: 'early timer',
    file: 'libs/partition/src/timers.ts',
    from: 'if (top === undefined || top.dueAt > turn.now) return',
    to: 'if (top === undefined || top.dueAt > turn.now + 50) return',
    what: 'a delay ends up to 50 ms early',
  },
  {
    name: 'two leases at once',
    file: 'libs/partition/src/evolve.ts',
    from: 'unlink(live, sub, slot)\n        sub.redelivered++',
    to: 'sub.redelivered++',
    what: 'a redelivered message stays in the list of those that are available',
  },
  {
    name: 'attempt counted twice',
    file: 'libs/partition/src/evolve.ts',
    from: 'live.attempt[slot] = live.attempt[slot]! + 1',
    to: 'live.attempt[slot] = live.attempt[slot]! + (live.attempt[slot]! > 0 ? 2 : 1)',
    what: 'every delivery but the first counts as two attempts',
  },
  {
    name: 'outbox forgotten after a crash',
    file: 'libs/partition/src/snapshot.ts',
    from: 'for (const lane of s.outbox) state',
    to: 'for (const lane of s.outbox.slice(1)) state',
    what: 'dead letters under way are not in a checkpoint',
  },
  {
    name: 'outbox repeated without its number',
    file: 'libs/partition/src/decide/enqueue.ts',
    from: 'const skip = Math.max(0, seen - command.forward)',
    to: 'const skip = Math.min(0, seen - command.forward) * 0',
    what: 'a dead letter that is repeated is stored again',
  },
  {
    name: 'dedupe lost at a checkpoint',
    file: 'libs/partition/src/snapshot.ts',
    from: 'of s.producers)',
    to: 'of s.producers.slice(1))',
    what: 'a checkpoint forgets which sends were stored',
  },
  {
    name: 'trim past a live body',
    file: 'libs/engine/src/Checkpoints.ts',
    from: 'return { upTo: Math.min(to.seq, needed) - 1, to }',
    to: 'return { upTo: to.seq - 1, to }',
    what: 'a trim looks at checkpoints only',
  },
  {
    name: 'answer by a stale owner',
    file: 'libs/engine/src/Node.ts',
    from: 'lockFresh: () => lease === undefined || performance.now() - lease.confirmedAtMs() < lease.ttlMs / 2,',
    to: 'lockFresh: () => true,',
    what: 'an owner answers from memory whether or not its lock is confirmed',
  },
  {
    name: 'final state changed by a late command',
    file: 'libs/partition/src/evolve.ts',
    from: 'eachSlot(state, sub, e.numbers, (slot) => retire(state, sub, slot))',
    to: "eachSlot(state, sub, e.numbers, (slot) => counter === 'deadLettered' && state.live.state[slot] === State.Inflight ? void (land(state, sub, slot), (state.live.state[slot] = State.WaitingRetry), sub.waitingRetry++, state.live.schedule(slot, 9e15)) : retire(state, sub, slot))",
    what: 'a dead-lettered message stays where a late command finds it',
  },
  // Defects that a seed found, put back.
  {
    name: 'jump of the clock forgotten',
    file: 'libs/engine/src/PartitionActor.ts',
    from: 'if (this.#storedSeq > this.#fenced.seq)',
    to: 'if (this.#storedSeq >= this.#fenced.seq)',
    what: 'an ownership whose first frame was lost counts as one that lengthened leases',
  },
  {
    name: 'fence without a lock',
    file: 'libs/engine/src/fence.ts',
    from: 'if (!lockFresh())',
    to: 'if (!lockFresh() && lastSeq < 0)',
    what: 'a node that stood still since it looked at the log takes the partition back',
  },
  {
    name: 'checkpoint of the next owner taken for damage',
    file: 'libs/engine/src/PartitionActor.ts',
    from: 'const overtaken = await isOver(this.#o.log, fenced).catch(() => false)',
    to: 'const overtaken = (await isOver(this.#o.log, fenced).catch(() => false)) && fenced.seq < 0',
    what: 'an owner that is overtaken while it recovers closes the partition as damaged',
  },
  {
    name: 'earlier frame taken for the lock',
    file: 'libs/engine/src/PartitionActor.ts',
    from: 'for (const a of flight.held) this.#idle.push(a)',
    to: 'for (const a of flight.held) this.#resolve(a)',
    what: 'an answer without a fact counts a frame from before the question as proof of ownership',
  },
]
