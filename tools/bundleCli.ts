/**
 * Bundles the executable as its package has it, into `dist/test-cli`: it starts in half the processor time of the sources,
 * and the integration tests and the specs start it some six hundred times.
 */
import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { publicPackages } from './PublicPackage.ts'
import { root } from './runTarget.ts'
import { bundle } from './stagePackage.ts'

const folder = path.join(root, 'dist', 'test-cli')
const cli = publicPackages.find(({ name }) => name === '@kiroku/cli')
if (cli === undefined) throw new Error('there is no package @kiroku/cli')
await rm(folder, { recursive: true, force: true })
await mkdir(path.join(folder, 'dist'), { recursive: true })
await bundle(cli, folder)
