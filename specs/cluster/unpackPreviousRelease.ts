import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/** The commit of the release that nodes are upgraded from, and put back to. */
export const previousRelease = readFileSync(join(import.meta.dirname, 'previousRelease'), 'utf8').trim()

/** Whether this clone has the commit of the previous release. */
export const hasPreviousRelease = (): boolean => {
  try {
    execFileSync('git', ['cat-file', '-e', `${previousRelease}^{commit}`], { cwd: root, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Unpacks the previous release into an empty folder, on the packages that are installed here. Returns its executable. */
export const unpackPreviousRelease = (folder: string): string => {
  const archive = execFileSync(
    'git',
    ['archive', '--format=tar', previousRelease, 'package.json', 'libs', 'apps'],
    {
      cwd: root,
      maxBuffer: 1024 * 1024 * 1024,
    },
  )
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  linkPackages(join(root, 'node_modules'), join(folder, 'node_modules'))
  for (const group of ['libs', 'apps'])
    for (const name of readdirSync(join(folder, group))) {
      const own = join(root, group, name, 'node_modules')
      if (existsSync(own)) linkPackages(own, join(folder, group, name, 'node_modules'))
    }
  return join(folder, 'apps/kiroku/bin/kiroku.mjs')
}

/** Our own packages are linked by relative paths, which lead to those of the release; all others are shared. */
const linkPackages = (from: string, to: string): void => {
  mkdirSync(to)
  for (const name of readdirSync(from)) {
    if (name !== '@kiroku') {
      symlinkSync(join(from, name), join(to, name))
      continue
    }
    mkdirSync(join(to, name))
    for (const own of readdirSync(join(from, name)))
      symlinkSync(readlinkSync(join(from, name, own)), join(to, name, own))
  }
}
