import { expect, it } from 'vitest'
import { blankForm, sendRequest } from './sendRequest.ts'

const form = { ...blankForm, queue: 'mail' }

const bodyIn = (request: { readonly body: unknown }): string =>
  Buffer.from((request.body as { bodyBase64: string }).bodyBase64, 'base64').toString()

it('sends the bytes that were typed, with the type that they look like', () => {
  const typed = '{"n": 12345678901234567890}'
  const request = sendRequest({ ...form, body: typed })
  expect(request).toMatchObject({ path: '/v1/queues/mail/messages', contentType: 'application/json' })
  expect(request.problem).toBeUndefined()
  expect(bodyIn(request)).toBe(typed)
  expect(sendRequest({ ...form, body: 'hello' }).contentType).toBe('text/plain')
})

it('refuses what begins like JSON but is not, unless it is declared as text', () => {
  expect(sendRequest({ ...form, body: '{bad json' }).problem).toMatch(/begins like JSON but is not/)
  expect(sendRequest({ ...form, body: 'hello', contentType: 'application/json' }).problem).toMatch(
    /is not JSON/,
  )
  expect(sendRequest({ ...form, body: '{bad json', contentType: 'text/plain' }).problem).toBeUndefined()
})

it('sends copies in one request, which no deduplication id can name', () => {
  const request = sendRequest({ ...form, body: 'hello', copies: '3' })
  expect(request.path).toBe('/v1/queues/mail/messages/batch')
  expect((request.body as { messages: unknown[] }).messages).toHaveLength(3)
  expect(sendRequest({ ...form, copies: '3', dedupId: 'order-1' }).problem).toMatch(/names one message/)
})

it('sends attributes, and leaves out what is empty', () => {
  const { body } = sendRequest({ ...form, delay: '2m', group: 'anna', attributes: 'tenant=acme\n\nq=a=b' })
  expect(body).toMatchObject({
    delayMs: 120_000,
    group: 'anna',
    attributes: { tenant: 'acme', q: 'a=b' },
  })
  expect(body).not.toHaveProperty('tag')
})

it.each([
  [{ queue: '' }, /Pick a queue/],
  [{ delay: '5' }, /Delay/],
  [{ attributes: 'tenant' }, /NAME=VALUE/],
  [{ copies: '0' }, /from 1 to 1,000/],
  [{ copies: '1001' }, /from 1 to 1,000/],
])('says what is wrong with %j', (part, says) => {
  expect(sendRequest({ ...form, ...part }).problem).toMatch(says)
})
