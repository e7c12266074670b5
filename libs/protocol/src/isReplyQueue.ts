/** Whether a queue is one that a requester of an older client made for its own replies, by its name. */
export const isReplyQueue = (name: string): boolean =>
  /^replies-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name)
