import { fileURLToPath } from 'node:url'
import { build, type BuildOptions } from 'esbuild'
import { expect, it } from 'vitest'

const bundle = (input: Pick<BuildOptions, 'entryPoints' | 'stdin'>) =>
  build({
    ...input,
    bundle: true,
    format: 'esm',
    platform: 'browser',
    minify: true,
    write: false,
    logLevel: 'silent',
  })

it('what replays in a browser needs nothing of Node.js, and no code made from text', async () => {
  const entry = fileURLToPath(import.meta.resolve('@kiroku/audit/browser'))
  const { outputFiles, warnings } = await bundle({ entryPoints: [entry] })
  expect(warnings).toEqual([])
  expect(outputFiles[0]!.text).not.toMatch(/\bBuffer\b|\bprocess\.|new Function|\beval\(/)
})

it('a built-in of Node.js in it would be an error', async () => {
  const contents = `import { createHash } from 'node:crypto'; createHash('sha256')`
  await expect(bundle({ stdin: { contents } })).rejects.toThrow(/Could not resolve "node:crypto"/)
})
