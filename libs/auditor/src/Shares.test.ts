import { describe, expect, it } from 'vitest'
import { Shares } from './Shares.ts'
import { limits } from './limits.ts'

/** Shares in whose answers a test has its hands. */
const sharing = () => {
  const shares = new Shares(new AbortController().signal)
  const begun: string[] = []
  const ends: (() => void)[] = []
  const ask = (principal: string, signal?: AbortSignal): Promise<unknown> => {
    const asked = shares.answer({ principal, ...(signal === undefined ? {} : { signal }) }, async () => {
      begun.push(principal)
      await new Promise<void>((resolve) => ends.push(resolve))
    })
    return asked.catch((error: { readonly id: string }) => error.id)
  }
  const hasBegun = (...names: string[]) => expect.poll(() => begun).toEqual(names)
  return { shares, ask, hasBegun, endFirst: () => ends.shift()!() }
}

describe('the shares of an auditor', () => {
  it('answer a newcomer before the many questions of another', async () => {
    const { ask, hasBegun, endFirst } = sharing()
    for (let n = 0; n < 40; n++) void ask('vic')
    await hasBegun('vic', 'vic')
    void ask('olga')
    await hasBegun('vic', 'vic', 'olga')
    for (const name of ['olga', 'ann', 'bob']) void ask(name)
    await hasBegun('vic', 'vic', 'olga', 'olga')
    endFirst()
    await hasBegun('vic', 'vic', 'olga', 'olga', 'ann')
    endFirst()
    await hasBegun('vic', 'vic', 'olga', 'olga', 'ann', 'bob')
    endFirst()
    await hasBegun('vic', 'vic', 'olga', 'olga', 'ann', 'bob', 'vic')
  })

  it('refuse the questions of a principal with too many waiting, and of no other', async () => {
    const { ask, hasBegun } = sharing()
    for (let n = 0; n < limits.answersPerPrincipalMax + limits.waitingPerPrincipalMax; n++) void ask('vic')
    await hasBegun('vic', 'vic')
    expect(await ask('vic')).toBe('Busy')
    void ask('olga')
    await hasBegun('vic', 'vic', 'olga')
  })

  it('pass over a question whose asker is gone, and end one at its next pause', async () => {
    const { shares, ask, hasBegun, endFirst } = sharing()
    const gone = new AbortController()
    void ask('vic')
    void ask('vic')
    const waiting = ask('vic', gone.signal)
    const running = shares.answer({ principal: 'olga', signal: gone.signal }, async (pause) => {
      for (;;) await pause()
    })
    await hasBegun('vic', 'vic')
    gone.abort()
    expect(await waiting).toBe('Stopped')
    await expect(running).rejects.toMatchObject({ id: 'Stopped' })
    void ask('ann')
    await hasBegun('vic', 'vic', 'ann')
    endFirst()
    void ask('vic')
    await hasBegun('vic', 'vic', 'ann', 'vic')
  })
})
