/** A Worker of the documents that Kiroku restates, verbatim except for its comments. */
export interface WorkerSample {
  readonly name: string
  readonly text: string
  /** Pauses in seconds before the second and the third attempt; none: it is done with the first. */
  readonly pauses: readonly number[]
}

/** Cloudflare Queues, batching, retries and delays. The first one is headed index.js there, and typed all the same. */
export const workerSamples: readonly WorkerSample[] = [
  {
    name: 'ack of each message',
    text: `
export default {
  async queue(batch: MessageBatch, env: Env, ctx: ExecutionContext) {
    for (const msg of batch.messages) {
      msg.ack();
    }
  },
};`,
    pauses: [],
  },
  {
    name: 'retry of each message',
    text: `
export default {
  async queue(batch: MessageBatch, env: Env, ctx: ExecutionContext) {
    for (const msg of batch.messages) {
      msg.retry();
    }
  },
};`,
    pauses: [0, 0],
  },
  {
    name: 'retry of each message after an hour',
    text: `
export default {
  async queue(batch: MessageBatch, env: Env, ctx: ExecutionContext) {
    for (const msg of batch.messages) {
      msg.retry({ delaySeconds: 3600 });
    }
  },
};`,
    pauses: [3_600, 3_600],
  },
  {
    name: 'retry of the batch after ten minutes',
    text: `
export default {
  async queue(batch: MessageBatch, env: Env, ctx: ExecutionContext) {
    batch.retryAll({ delaySeconds: 600 });
  },
};`,
    pauses: [600, 600],
  },
  {
    name: 'exponential back-off',
    text: `
const calculateExponentialBackoff = (
  attempts: number,
  baseDelaySeconds: number,
) => {
  return baseDelaySeconds ** attempts;
};

const BASE_DELAY_SECONDS = 30;
export default {
  async queue(batch: MessageBatch, env: Env, ctx: ExecutionContext) {
    for (const msg of batch.messages) {
      msg.retry({
        delaySeconds: calculateExponentialBackoff(
          msg.attempts,
          BASE_DELAY_SECONDS,
        ),
      });
    }
  },
};`,
    pauses: [30, 900],
  },
]

/** The same document: sends with delays. The lines stand in a handler that has what they name. */
export const sendSample = `
export default {
  async queue(batch: MessageBatch, env: Env, ctx: ExecutionContext) {
    const message = { n: 1 };
    const messages = [{ body: { n: 2 } }, { body: { n: 3 } }];
await env.YOUR_QUEUE.send(message, { delaySeconds: 600 });
await env.YOUR_QUEUE.sendBatch(messages, { delaySeconds: 300 });
await env.YOUR_QUEUE.sendBatch(messages, { delaySeconds: 0 });
  },
};`

/** The same document: delays in a configuration, with words that its reader replaces. */
export const configurationSample = `
[[queues.producers]]
binding = "<BINDING_NAME>"
queue = "<QUEUE-NAME>"
delivery_delay = 60

[[queues.consumers]]
queue = "my-queue"
retry_delay = 300
`

/** Cloudflare Queues, batching and retries in the older document: the lines of a consumer. */
export const deadLetterSample = `
queue = "my-queue"
dead_letter_queue = "my-other-queue"
`

const wrangler = "wrangler speaks Cloudflare's REST API, which Kiroku has no door for"
const rocketmq = 'it is Java for the RocketMQ 5 client, whose protocol Kiroku has no door for'

/** Samples for a vendor's own client, by name, and why they do not run: they come with the door that they need. */
export const samplesWithoutDoor: readonly (readonly [name: string, reason: string])[] = [
  ['wrangler queues create --delivery-delay-secs', wrangler],
  ['wrangler queues consumer worker add --retry-delay-secs', wrangler],
  ['wrangler queues consumer http add --retry-delay-secs', wrangler],
  ['a RocketMQ MessageListener that returns FAILURE', rocketmq],
  ['a RocketMQ SimpleConsumer that lets messages become visible again', rocketmq],
  [
    'the MNS demo of ChangeVisibility',
    'it is a C# project to download, for the MNS client; the document shows no code',
  ],
]
