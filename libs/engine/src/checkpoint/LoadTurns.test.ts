import { ManualTime } from '@kiroku/testkit'
import { describe, expect, it } from 'vitest'
import { limits } from '../limits.ts'
import { LoadTurns } from './LoadTurns.ts'

const given = () => {
  const time = new ManualTime()
  const turns = new LoadTurns(time)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const load = (name: string, demand: () => number = () => 0) =>
    turns.run(demand, () => {
      begun.push(name)
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
    })
  const end = async (name: string) => {
    ends.get(name)!()
    await time.settle()
  }
  return { time, turns, begun, load, end }
}

describe('the partitions of a node', () => {
  it('are loaded one after the other, those that are asked for most first', async () => {
    const { time, begun, load, end } = given()
    let asked = 0
    const all = [load('a'), load('b'), load('c', () => asked), load('d')]
    await time.settle()
    asked = 5
    await end('a')
    expect(begun).toEqual(['a', 'c'])
    await end('c')
    await end('b')
    await end('d')
    expect(begun).toEqual(['a', 'c', 'b', 'd'])
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'])
  })

  it('do not wait for one whose log is slow to answer', async () => {
    const { time, begun, load, end } = given()
    const all = [load('slow'), load('b'), load('c')]
    await time.advance(limits.loadTurnMs)
    expect(begun).toEqual(['slow', 'b'])
    await end('slow')
    expect(begun).toEqual(['slow', 'b'])
    await end('b')
    expect(begun).toEqual(['slow', 'b', 'c'])
    await end('c')
    await Promise.all(all)
  })

  it('go on where the load of one fails', async () => {
    const { time, turns, begun, load, end } = given()
    const failed = turns.run(
      () => 0,
      () => Promise.reject(new Error('damaged')),
    )
    const other = load('b')
    await expect(failed).rejects.toThrow('damaged')
    await time.settle()
    expect(begun).toEqual(['b'])
    await end('b')
    await other
  })
})
