import { startServer, type Server, type StartServerOptions } from '@kiroku/nats-server'
import { afterAll, beforeAll } from 'vitest'

/** Starts a real nats-server for one test; the caller stops it. */
export const startTestNats = (options: StartServerOptions = {}): Promise<Server> => startServer(options)

/**
 * One real nats-server for the test file (or `describe`) it is called in: started before its tests, stopped and
 * removed after them.
 *
 * @returns a function that returns the server, inside tests and hooks
 */
export const withNats = (options: StartServerOptions = {}): (() => Server) => {
  let server: Server | undefined
  beforeAll(async () => {
    server = await startTestNats(options)
  }, 60_000)
  afterAll(async () => {
    await server?.stop()
  })
  return () => {
    if (server === undefined)
      throw new Error('The nats-server of withNats() runs only inside tests and hooks.')
    return server
  }
}
