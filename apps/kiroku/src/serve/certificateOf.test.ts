import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { temporaryFolder } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { readCertificate } from './certificateOf.ts'

it('without settings there is no certificate, and half of them is refused', async () => {
  expect(await readCertificate({ httpTlsCert: undefined, httpTlsKey: undefined })).toBeUndefined()
  await expect(readCertificate({ httpTlsCert: 'api.crt', httpTlsKey: undefined })).rejects.toMatchObject({
    id: 'InvalidConfig',
    message: '--http-tls-cert and --http-tls-key belong together',
  })
})

it('a file that cannot be used is named, with the reason', async () => {
  await using folder = await temporaryFolder()
  const file = (name: string) => path.join(folder.path, name)
  await writeFile(file('text'), 'not a certificate')
  const tell = (httpTlsCert: string) =>
    readCertificate({ httpTlsCert, httpTlsKey: file('text') }).then(
      () => 'no error',
      (error: unknown) => (error as Error).message,
    )
  expect(await tell(file('none'))).toBe(`--http-tls-cert ${file('none')}: there is no such file`)
  expect(await tell(folder.path)).toBe(`--http-tls-cert ${folder.path}: it is a folder`)
  expect(await tell(file('text'))).toBe(`--http-tls-cert ${file('text')}: this is no certificate in PEM`)
})
