import { once } from 'node:events'
import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { waitUntil } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { CommandLine } from './CommandLine.ts'
import { TestIssuer } from './TestIssuer.ts'

const timeout = 180_000

/** Starts an engine that accepts the tokens of an issuer, and those of `root`. */
const start = async (cli: CommandLine, issuer: TestIssuer) => {
  const engine = await cli.engine(
    ['up', '--oidc-issuer', issuer.url, '--oidc-roles', 'groups=ops:operator@orders-*,groups=admins:admin'],
    { KIROKU_TOKENS: 'root:admin:the-token-of-root' },
  )
  const ask = async (token: string, method: string, url: string, body?: unknown) => {
    const response = await fetch(engine.api + url, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: () => JSON.parse(text) as unknown,
    }
  }
  return { ...engine, ask }
}

it(
  '[SEC-05] a bearer of a token of the issuer has the roles of its claims, and is on record by its name and the issuer',
  { timeout },
  async () => {
    await using issuer = await TestIssuer.open()
    await using cli = await CommandLine.open()
    const { ask } = await start(cli, issuer)
    const admin = await issuer.token({ sub: 'ann', groups: ['admins'] })
    const ops = await issuer.token({ sub: 'bob', groups: ['ops', 'others'] })
    for (const name of ['orders-eu', 'wages'])
      expect((await ask(admin, 'POST', '/v1/queues', { name })).status).toBe(200)
    const { acts } = (await ask(admin, 'GET', '/v1/acts?queue=wages')).json() as { acts: { by: object }[] }
    expect(acts.map(({ by }) => by)).toEqual([
      { name: 'oidc:ann', origin: `http 127.0.0.1 by ${issuer.url}` },
    ])

    expect((await ask(ops, 'POST', '/v1/queues/orders-eu/messages', { body: 'a' })).status).toBe(200)
    expect((await ask(ops, 'GET', '/v1/queues/wages')).status).toBe(403)
    expect((await ask(ops, 'GET', '/v1/queues')).text).not.toContain('wages')
    expect((await ask(ops, 'GET', '/v1/session')).json()).toMatchObject({
      name: 'oidc:bob',
      grants: { queues: [{ role: 'operator', queues: 'orders-*' }] },
    })
    const nobody = await ask(await issuer.token({ groups: ['others'] }), 'GET', '/v1/session')
    expect([nobody.status, nobody.json()]).toEqual([403, expect.objectContaining({ id: 'Forbidden' })])
    expect((await ask('the-token-of-root', 'GET', '/v1/queues/wages')).status).toBe(200)
  },
)

it(
  '[SEC-05] a token that is not of the issuer, not for Kiroku or not valid now is refused, counted, and shown to nobody',
  { timeout },
  async () => {
    await using issuer = await TestIssuer.open()
    await using cli = await CommandLine.open()
    const { ask, stdout, stderr } = await start(cli, issuer)
    const claims = { groups: ['admins'] }
    const good = await issuer.token(claims)
    const { privateKey: other } = await generateKeyPair('ES256')
    const nowS = Math.floor(Date.now() / 1_000)
    const [header = '', payload = '', signature = ''] = good.split('.')
    const forged = Buffer.from(payload, 'base64url').toString().replace('"ann"', '"eve"')
    const wrong: Record<string, string> = {
      'of another key under the name of the issuer’s': await issuer.token(claims, { key: other }),
      'of another issuer': await issuer.token({ ...claims, iss: 'https://elsewhere.example' }),
      'for another audience': await issuer.token({ ...claims, aud: 'others' }),
      'that never expires': await issuer.token({ ...claims, exp: undefined as never }),
      'of the future': await issuer.token({ ...claims, nbf: nowS + 120 }),
      'with other claims': [header, Buffer.from(forged).toString('base64url'), signature].join('.'),
      'without a signature': new UnsecuredJWT({
        ...claims,
        iss: issuer.url,
        aud: 'kiroku',
        sub: 'ann',
        exp: nowS + 60,
      }).encode(),
      'with a secret in place of a key': await new SignJWT({
        ...claims,
        iss: issuer.url,
        aud: 'kiroku',
        exp: nowS + 60,
      })
        .setProtectedHeader({ alg: 'HS256', kid: 'first' })
        .sign(new TextEncoder().encode('a secret that the engine could not know')),
    }
    expect((await ask(good, 'GET', '/v1/session')).status).toBe(200)
    const answers: string[] = []
    for (const [what, token] of Object.entries(wrong)) {
      const { status, text } = await ask(token, 'GET', '/v1/session')
      expect([status, text], what).toEqual([401, expect.stringContaining('"Unauthorized"')])
      answers.push(text)
    }
    // Clocks may differ a little; and a token that was good is no guess.
    expect((await ask(await issuer.token(claims, { expiresS: -10 }), 'GET', '/v1/session')).status).toBe(200)
    const expired = await issuer.token(claims, { expiresS: -60 })
    for (let n = 0; n < 20; n++) {
      const late = await ask(expired, 'GET', '/v1/session')
      expect([late.status, late.json()]).toEqual([401, expect.objectContaining({ id: 'TokenExpired' })])
    }
    const { text } = await ask(good, 'GET', '/metrics')
    expect(text).toContain(
      `kiroku_http_refused_total{error_type="Unauthorized"} ${Object.keys(wrong).length}\n`,
    )
    expect(text).toContain('kiroku_http_refused_total{error_type="TokenExpired"} 20\n')
    await waitUntil(() => stderr().includes('request refused'))
    const said = [stdout(), stderr(), ...answers].join('\n')
    for (const token of [good, expired, ...Object.values(wrong)])
      for (const part of token.split('.').filter((each) => each !== '')) expect(said).not.toContain(part)
  },
)

it(
  '[SEC-05] keys of the issuer are rotated without a restart, hold while it is away, and are waited for where none are known',
  { timeout },
  async () => {
    await using issuer = await TestIssuer.open()
    await using cli = await CommandLine.open()
    const first = await start(cli, issuer)
    const claims = { groups: ['admins'] }
    const status = async ({ ask }: typeof first, token: string) =>
      (await ask(token, 'GET', '/v1/session')).status
    const old = await issuer.token(claims)
    expect(await status(first, old)).toBe(200)

    await issuer.rotate('second')
    const fresh = await issuer.token(claims)
    // Keys are read at most every five seconds; until then the token is one of an unknown key.
    const isAdmitted = async () => (await status(first, fresh)) === 200
    expect(await waitUntil(isAdmitted, { timeoutMs: 20_000 }).catch(() => false)).toBe(true)
    expect(await status(first, old)).toBe(401)

    issuer.isAway = true
    expect(await status(first, fresh)).toBe(200)
    first.child.kill('SIGTERM')
    await once(first.child, 'exit')
    const second = await start(cli, issuer)
    const away = await second.ask(fresh, 'GET', '/v1/session')
    expect([away.status, away.json()]).toEqual([503, expect.objectContaining({ id: 'IssuerUnavailable' })])
    expect(Number(away.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(second.stderr()).toContain('keys of the issuer not read')
    expect(await status(second, 'the-token-of-root')).toBe(200)

    issuer.isAway = false
    await waitUntil(async () => (await status(second, fresh)) === 200, { timeoutMs: 20_000 })
  },
)
