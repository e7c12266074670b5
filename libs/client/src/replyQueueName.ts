/** A name for the queue of one requester, that no other has. */
export const replyQueueName = (): string => `replies-${crypto.randomUUID()}`

/** Whether a queue is one that a requester made for its answers, by its name. */
export const isReplyQueue = (name: string): boolean =>
  /^replies-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name)
