import { RawQueue } from '../RawQueue.ts'
import { serveShape } from '../shapes/serveShape.ts'

const queue = await RawQueue.open(process.argv[2]!)
await queue.create()

/** Messages that are on their way to a consumer. */
const pull = 500

serveShape({
  send: (body) => queue.publish(body),
  sendBatch: (bodies) => (bodies.length === 1 ? queue.publish(bodies[0]!) : queue.publishBatch(bodies)),
  consume: (handling, handled) =>
    queue.consume(handling === undefined ? pull : handling.batch * handling.handlers, handled),
  close: () => queue.close(),
})
