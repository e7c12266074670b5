import { readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from './runTarget.ts'

/** A package as the lockfile pins it. */
export interface LockedPackage {
  readonly version: string
  /** Digest of its tarball, as `sha512-` and base64; absent for rooms of the workspace. */
  readonly integrity?: string
  readonly license?: string
  readonly os?: string | ReadonlyArray<string>
  readonly cpu?: string | ReadonlyArray<string>
  readonly link?: true
  readonly resolved?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const modules = 'node_modules/'

/** The packages of the lockfile, by the folder that npm installs them to. */
export class LockedPackages {
  readonly #byFolder: Readonly<Record<string, LockedPackage>>

  constructor() {
    const lockfile = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, LockedPackage>>
    }
    this.#byFolder = lockfile.packages
  }

  /** @throws Error when nothing is installed there */
  at(folder: string): LockedPackage {
    const found = this.#byFolder[folder]
    if (found === undefined) throw new Error(`the lockfile has nothing at ${folder}`)
    return found
  }

  /**
   * The folders of what `names` bring along with them, themselves included and rooms of the workspace left out, sorted.
   *
   * @param from folder of the room that depends on them
   */
  closure(names: Iterable<string>, from: string): ReadonlyArray<string> {
    const seen = new Set<string>()
    const add = (name: string, dependent: string): void => {
      const folder = this.#resolve(name, dependent)
      if (folder === undefined || seen.has(folder)) return
      seen.add(folder)
      for (const each of Object.keys(this.#dependenciesOf(folder))) add(each, folder)
    }
    for (const name of names) add(name, from)
    return [...seen].filter((folder) => folder.includes(modules)).toSorted()
  }

  #dependenciesOf(folder: string): Readonly<Record<string, string>> {
    const { dependencies, optionalDependencies } = this.at(folder)
    return { ...dependencies, ...optionalDependencies }
  }

  /** Where Node finds a package that is imported from a folder; undefined for one that is left out on all platforms. */
  #resolve(name: string, from: string): string | undefined {
    for (let folder = from; ; folder = parentOf(folder)) {
      const candidate = `${folder === '' ? '' : `${folder}/`}${modules}${name}`
      const found = this.#byFolder[candidate]
      if (found !== undefined) return found.link === true ? found.resolved : candidate
      if (folder === '') return undefined
    }
  }
}

/** The name of the package that is installed in a folder. */
export const nameAt = (folder: string): string => folder.slice(folder.lastIndexOf(modules) + modules.length)

/** The next folder above whose `node_modules` counts. */
const parentOf = (folder: string): string => {
  const at = folder.lastIndexOf(modules)
  return at > 0 ? folder.slice(0, at - 1) : ''
}
