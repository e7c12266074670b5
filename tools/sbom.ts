import { nameAt, type LockedPackages } from './LockedPackages.ts'

/** A package of ours, and what it is made of. */
export interface Contents {
  readonly name: string
  readonly version: string
  readonly type: 'library' | 'application'
  /** Folders of the lockfile whose packages are inside it, or are installed with it. */
  readonly folders: Iterable<string>
  /** Our other packages that are installed with it, in the same version. */
  readonly siblings: ReadonlyArray<string>
}

const purlOf = (name: string, version: string): string => `pkg:npm/${name.replace('@', '%40')}@${version}`

const hexOf = (integrity: string): string =>
  Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex')

/** One of SPDX's expressions counts as such, a single name as a licence. */
const licenceOf = (license: string) =>
  /\s/.test(license) ? { expression: license } : { license: { id: license } }

/**
 * What a package is made of and depends on, as CycloneDX 1.6 in JSON. It does not say when it was made, so that the same
 * sources give the same bytes.
 */
export const sbom = (
  { name, version, type, folders, siblings }: Contents,
  locked: LockedPackages,
): string => {
  const found = [...new Set(folders)].toSorted().map((folder) => {
    const { version: pinned, license, integrity } = locked.at(folder)
    return {
      ...componentOf(nameAt(folder), pinned, license),
      // The same version may be installed twice.
      'bom-ref': folder,
      ...(integrity === undefined ? {} : { hashes: [{ alg: 'SHA-512', content: hexOf(integrity) }] }),
    }
  })
  const ours = siblings.map((each) => componentOf(each, version, 'Apache-2.0'))
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...componentOf(name, version, 'Apache-2.0'), type } },
    components: [...ours, ...found],
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

const componentOf = (name: string, version: string, license: string | undefined) => ({
  type: 'library',
  'bom-ref': name,
  name,
  version,
  ...(license === undefined ? {} : { licenses: [licenceOf(license)] }),
  purl: purlOf(name, version),
})
