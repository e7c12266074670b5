import { Agent, request } from 'node:http'
import { serveTasks } from '../LoadProcess.ts'
import { inParallel } from '../inParallel.ts'

const api = process.argv[2]!
const agent = new Agent({ keepAlive: true })

const post = (path: string, body: unknown): Promise<void> =>
  new Promise((resolve, reject) => {
    const sent = request(`${api}${path}`, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json' },
    })
    sent.once('error', reject)
    sent.once('response', (response) => {
      if (response.statusCode === 200) response.once('end', resolve).resume()
      else reject(new Error(`POST ${path} was answered with status ${response.statusCode}`))
    })
    sent.end(JSON.stringify(body))
  })

const tasks = {
  /** Sends one by one through the HTTP API, `window` of them at a time; resolves when all are stored. */
  sendEach: async (args: { queue: string; messages: number; bodyBytes: number; window: number }) => {
    const message = { body: 'x'.repeat(args.bodyBytes) }
    await inParallel(args.messages, args.window, () => post(`/v1/queues/${args.queue}/messages`, message))
  },
}

/** What this process can be asked. */
export type HttpLoad = typeof tasks

serveTasks(tasks, () => Promise.resolve(agent.destroy()))
