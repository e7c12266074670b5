import type { Actor, Command } from '@kiroku/protocol'
import { describe, expect, it } from 'vitest'
import { fromClient } from './fromClient.ts'

const purge = (by: Actor): Command => ({ type: 'PurgeQueue', queue: 'mail', by })
const actorOf = (by: Actor): unknown => (fromClient('shop', [purge(by)])[0] as { by: Actor }).by

describe('an act of a client', () => {
  it('is on record as done by it, with its reason', () => {
    expect(actorOf({ name: 'local', origin: 'client', reason: 'a test' })).toEqual({
      name: 'shop',
      origin: 'client',
      reason: 'a test',
    })
  })

  it('in the name of another has that name as a claim only', () => {
    expect(actorOf({ name: 'root', origin: 'cli vm' })).toEqual({
      name: 'shop',
      origin: 'client, says it is root (cli vm)',
    })
    const { origin } = actorOf({ name: 'x'.repeat(1_000), origin: '' }) as Actor
    expect(origin).toHaveLength(200)
  })
})

describe('what a client sends', () => {
  it('stays as it is where nobody is named', () => {
    const commands: readonly Command[] = [{ type: 'ListQueues' }]
    expect(fromClient('shop', commands)).toBe(commands)
  })

  it.each<Command>([
    { type: 'RaiseClusterVersion', version: 2, by: { name: 'a', origin: 'b' } },
    { type: 'DropPart', queue: 'mail', home: { partition: 0, queue: 1 }, revision: 1 },
    { type: 'FollowPartition', follower: 'f' } as Command,
  ])('is refused if only nodes send it: $type', (command) => {
    expect(() => fromClient('shop', [{ type: 'ListQueues' }, command])).toThrow(
      expect.objectContaining({ id: 'Forbidden' }) as Error,
    )
  })
})
