import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from '@kiroku/testkit'
import { expect, it } from 'vitest'
import { nodeMin } from './PublicPackage.ts'
import { root } from './runTarget.ts'

/** The standard library of Node 20: ES2023, and the well-formed strings of ES2024. */
const lib = ['es2023', 'es2024.string', 'esnext.disposable']

it(`what programs import needs nothing of the language that Node ${nodeMin} lacks`, async () => {
  await using temporary = await temporaryFolder()
  const { path: folder } = temporary
  const config = {
    extends: path.join(root, 'tsconfig.base.json'),
    compilerOptions: { target: 'es2023', lib, typeRoots: [path.join(root, 'node_modules', '@types')] },
    files: ['libs/client-nats/src/published.ts', 'libs/worker/src/index.ts'].map((file) =>
      path.join(root, file),
    ),
  }
  writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const said = await promisify(execFile)(process.execPath, [tsc, '-p', folder]).then(
    ({ stdout }) => stdout,
    (error: { stdout: string }) => error.stdout,
  )
  expect(said).toBe('')
})
