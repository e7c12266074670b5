import { createHash, createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { Keys, parseKeys } from './Keys.ts'
import { Signatures } from './Signatures.ts'

const secret = 'a-secret-of-some-length'
const nowMs = Date.UTC(2026, 10, 30, 12)
const credential = 'Credential=ADMIN1/20261130/us-east-1/sqs/aws4_request'
const signedHeaders = 'SignedHeaders=host;x-amz-date'

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/** As AWS describes it. */
const signatureOf = (body: string, date: string): string => {
  const key = ['20261130', 'us-east-1', 'sqs', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secret}`)
  const canonical = `POST\n/\n\nhost:localhost\nx-amz-date:${date}\n\nhost;x-amz-date\n${sha256(body)}`
  const scope = '20261130/us-east-1/sqs/aws4_request'
  return hmac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${sha256(canonical)}`).toString('hex')
}

const signaturesOf = () => new Signatures(new Keys(parseKeys(`ada:admin:ADMIN1:${secret}`)), '000000000000')

const request = (body: string, parts: readonly string[], by = ', ', date = '20261130T120000Z') => ({
  method: 'POST',
  url: '/',
  headers: { host: 'localhost', 'x-amz-date': date, authorization: `AWS4-HMAC-SHA256 ${parts.join(by)}` },
  body,
})

it('tells right signatures from wrong ones, however often it saw what a client signs with', () => {
  const signatures = signaturesOf()
  const asked = (body: string, signature: string, date?: string) => {
    try {
      const parts = [credential, signedHeaders, `Signature=${signature}`]
      return signatures.identify(request(body, parts, ', ', date), nowMs).name
    } catch (error) {
      return (error as { code: string }).code
    }
  }
  for (let i = 0; i < 3; i++) {
    const [date, later] = ['20261130T120000Z', '20261130T120001Z']
    expect(asked('a', signatureOf('a', date))).toBe('ada')
    expect(asked('a', signatureOf('a', date).toUpperCase())).toBe('ada')
    expect(asked('b', signatureOf('b', later), later)).toBe('ada')
    for (const wrong of [signatureOf('b', date), signatureOf('a', later), '', '00', 'ü'.repeat(64)])
      expect(asked('a', wrong)).toBe('SignatureDoesNotMatch')
    expect(asked('a', signatureOf('a', date), '20261130')).toBe('IncompleteSignature')
  }
})

it('takes the parts of the header in any order, with spaces between them and without', () => {
  const signatures = signaturesOf()
  const parts = [credential, signedHeaders, `Signature=${signatureOf('a', '20261130T120000Z')}`]
  for (const by of [',', ', ', ',  '])
    for (const order of [parts, parts.toReversed(), [parts[1]!, parts[2]!, parts[0]!]])
      for (let i = 0; i < 2; i++)
        expect(signatures.identify(request('a', order, by), nowMs)).toMatchObject({ name: 'ada' })
})
