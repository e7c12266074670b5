import { expect, it } from 'vitest'
import { PacedMessages } from './PacedMessages.ts'

const heldUpMs = 60

it('counts a message from when it was due, if what came before held up its send', async () => {
  const messages = new PacedMessages()
  const tookMs = await messages.run(3, 1_000, async (n) => {
    const beganMs = performance.now()
    while (n === 0 && performance.now() - beganMs < heldUpMs);
    messages.arrived(n)
  })
  expect(tookMs).toHaveLength(3)
  // The second was due 1 ms after the first, the third 2 ms.
  expect(tookMs[1]).toBeGreaterThan(heldUpMs - 10)
  expect(tookMs[2]).toBeGreaterThan(heldUpMs - 10)
})

it('counts a message once that arrives twice', async () => {
  const messages = new PacedMessages()
  const tookMs = await messages.run(2, 1_000, async (n) => {
    messages.arrived(n)
    messages.arrived(n)
  })
  expect(tookMs).toHaveLength(2)
})
