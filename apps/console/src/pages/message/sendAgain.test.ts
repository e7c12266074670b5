import { expect, it } from 'vitest'
import type { MessageBody } from '@kiroku/api/answers'
import { sendAgain } from './sendAgain.ts'

const body: MessageBody = {
  payload: { contentType: 'application/json', bytes: 7, text: '{"a":1}', isBase64: false, isCut: false },
  attributes: { tenant: 'acme' },
  group: 'anna',
  dedupId: 'order-1',
}

it('a copy of a message carries its body and attributes, but not its dedup id', () => {
  const { draft, reason } = sendAgain('mail', body)
  expect(reason).toBeUndefined()
  expect(draft).toMatchObject({ queue: 'mail', body: '{"a":1}', group: 'anna', attributes: 'tenant=acme' })
  expect(draft.dedupId).toBeUndefined()
})

it('bytes that are not text are sent unchanged', () => {
  const { draft } = sendAgain('mail', { ...body, payload: { ...body.payload, text: '/w==', isBase64: true } })
  expect(draft).toMatchObject({ bytes: '/w==' })
})

it.each([
  [{ unreadable: 'erased' as const }, /erased/],
  [{ hidden: true as const }, /hidden/],
  [{ payload: { ...body.payload, isCut: true } }, /larger/],
])('what cannot be sent again says why: %j', (part, says) => {
  expect(sendAgain('mail', { ...body, ...part }).reason).toMatch(says)
})
