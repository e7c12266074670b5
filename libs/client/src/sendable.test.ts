import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { counts, failure, start } from './testing/startClient.ts'

it('sends interfaces, dates and what has toJSON, and refuses what JSON cannot hold', async () => {
  interface Mail {
    to: string
    at: Date
    tags?: string[]
    more?: { readonly note: string | null }[]
  }
  const { client } = await start()
  await client.queues.create('mail')
  const mail: Mail = { to: 'ada', at: new Date('2026-01-02T03:04:05Z'), more: [{ note: null }] }
  await client.send('mail', mail)
  await client.sendBatch('mail', [{ body: mail }, { body: mail, tag: 'a' }])
  const [message] = await client.receive('mail')
  expect(message!.json()).toEqual({ to: 'ada', at: '2026-01-02T03:04:05.000Z', more: [{ note: null }] })

  // @ts-expect-error a function
  expect(await failure(client.send('mail', () => 1))).toBe('InvalidArgument')
  // @ts-expect-error nothing at all
  expect(await failure(client.send('mail', undefined))).toBe('InvalidArgument')
  // @ts-expect-error a bigint
  expect(await failure(client.send('mail', { count: 1n }))).toBe('InvalidArgument')
  // @ts-expect-error a map, which JSON would make an empty object of
  await client.send('mail', { counts: new Map([['a', 1]]) })
})

it('refuses an unknown option', async () => {
  const { client } = await start()
  await client.queues.create('mail')
  const options = { delay: 5 }
  // @ts-expect-error a slip
  await expect(client.send('mail', 1, options)).rejects.toThrow(
    /send has no option "delay"\. Did you mean "delayMs"\?/,
  )
  await expect(client.sendBatch('mail', [{ body: 1, ...options }])).rejects.toThrow('no option "delay"')
  // @ts-expect-error a slip
  await expect(client.receive('mail', options)).rejects.toThrow('receive has no option "delay"')
  // @ts-expect-error a slip
  expect(() => client.consume('mail', () => {}, options)).toThrow('consume has no option "delay"')
  expect(await counts(client, 'mail')).toMatchObject({ sent: 0 })
})

it('has an uncaught error show what to do, and the calling line', async () => {
  const { client } = await start()
  await client.queues.create('mail')
  const errorOf = (work: () => Promise<unknown>) => work().catch((error: unknown) => error)
  const calls = {
    send: async function mySend() {
      await client.send('nosuch', 'x')
    },
    sendBatch: async function mySendBatch() {
      await client.sendBatch('nosuch', [{ body: 'x' }])
    },
    receive: async function myReceive() {
      await client.receive('nosuch')
    },
  }
  for (const [name, call] of Object.entries(calls)) {
    const text = inspect(await errorOf(call))
    expect(text, name).toMatch(/at (async )?my/)
    expect(text, name).toContain('sendable.test.ts')
    expect(text, name).toContain('kiroku queue create NAME')
    expect(text, name).not.toContain('undefined')
  }
})
