import type { SendOptions } from '@kiroku/client'
import type { World } from './World.ts'

/** Sends a message and lets it become a dead letter with this error. Returns its id. */
export const die = async (
  world: World,
  queue: string,
  body: string,
  error: string,
  options: SendOptions = {},
): Promise<string> => {
  const { messageId } = await world.client.send(queue, body, options)
  const [message] = await world.receive(queue)
  await message!.deadLetter(error)
  await world.time.settle()
  return messageId
}
