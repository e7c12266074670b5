import { afterAll, beforeAll, expect } from 'vitest'
import { createSqsWorld, type SqsWorld } from './SqsWorld.ts'

/** One world for all tests of a file, in which nothing failed unexpectedly in the end. */
export const withSqsWorld = (begun: (world: SqsWorld) => void): void => {
  let world: SqsWorld
  beforeAll(async () => {
    world = await createSqsWorld()
    begun(world)
  })
  afterAll(async () => {
    expect(world.defects).toEqual([])
    await world[Symbol.asyncDispose]()
  })
}
