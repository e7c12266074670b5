/**
 * `npm run build [-- client worker cli node]`: writes the packages that others install to `dist/packages/`, as folders
 * and as tarballs, and prints the paths of the tarballs.
 */
import { execFileSync } from 'node:child_process'
import { globSync, rmSync } from 'node:fs'
import path from 'node:path'
import { nodePackage, publicPackages } from './PublicPackage.ts'
import { root } from './runTarget.ts'
import { stageNode, stagePackage } from './stagePackage.ts'

const stages = new Map([
  ...publicPackages.map((parts) => [parts.name, () => stagePackage(parts)] as const),
  [nodePackage, stageNode],
])
const names = [...stages.keys()].map((name) => name.replace('@kiroku/', ''))
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !names.includes(name))
if (unknown.length > 0) {
  console.error(`No package ${unknown.join(', ')}. There are: ${names.join(', ')}.`)
  process.exit(2)
}

const packages = path.join(root, 'dist', 'packages')
for (const [name, stage] of stages) {
  const short = name.replace('@kiroku/', '')
  if (wanted.length > 0 && !wanted.includes(short)) continue
  for (const old of globSync(`kiroku-${short}-*.tgz`, { cwd: packages })) rmSync(path.join(packages, old))
  const args = ['pack', '--silent', '--pack-destination', packages, await stage()]
  const tarball = execFileSync('npm', args, { cwd: root, encoding: 'utf8' }).trim()
  console.log(path.join(packages, tarball))
}
