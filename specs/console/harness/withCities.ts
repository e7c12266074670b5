import { afterAll, beforeAll } from 'vitest'
import { startCities, type CitiesJob } from './startCities.ts'
import type { ConsoleStage } from './withConsole.ts'

/** The cities job alongside all tests of the file, over the engine of its stage. */
export const withCities = (stage: () => ConsoleStage): (() => CitiesJob) => {
  let job: CitiesJob | undefined
  beforeAll(async () => {
    // Without a browser there is no engine, and no test runs.
    if ((stage().engine as ConsoleStage['engine'] | undefined) !== undefined)
      job = await startCities(stage().engine)
  })
  afterAll(async () => {
    await job?.[Symbol.asyncDispose]()
  })
  return () => job!
}
