import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { NatsBinary } from './NatsBinary.ts'
import { addToCache } from './NatsCache.ts'

const run = promisify(execFile)

/** The first Debian suite whose nats-server is new enough; its binary needs only libc 2.34. */
const suite = 'forky'

/** Names under which Debian has shipped its archive keys. */
const keyrings = [
  '/usr/share/keyrings/debian-archive-keyring.gpg',
  '/usr/share/keyrings/debian-archive-keyring.pgp',
  '/usr/share/keyrings/debian-archive-keyring.asc',
  '/usr/share/keyrings/debian-archive-trixie-automatic.gpg',
  '/usr/share/keyrings/debian-archive-trixie-automatic.pgp',
  '/usr/share/keyrings/debian-archive-trixie-automatic.asc',
]

/** The mirrors this machine already uses for its own release, without those that only carry security updates. */
const mirrors = async (): Promise<string[]> => {
  const format = '$(REPO_URI) $(CODENAME)'
  const { stdout } = await run('apt-get', ['indextargets', '--format', format, 'Created-By: Packages'])
  const uris = stdout
    .split('\n')
    .map((line) => line.trim().split(' '))
    .filter(([uri, codename]) => uri && codename && !codename.endsWith('-security'))
    .map(([uri]) => uri as string)
  return [...new Set(uris)]
}

/** What apt complains about, without its warnings and its command line. */
const reasonOf = (error: unknown): string => {
  const { stderr, message } = error as Error & { readonly stderr?: string }
  return /^E: (.*)$/m.exec(stderr ?? '')?.[1] ?? message
}

const fetchFromMirror = async (mirror: string, keyring: string, work: string): Promise<string> => {
  const [sources, lists, cache, unpacked] = ['sources', 'lists', 'cache', 'unpacked'].map((n) =>
    join(work, n),
  ) as [string, string, string, string]
  await rm(work, { recursive: true, force: true })
  for (const folder of [sources, join(lists, 'partial'), join(cache, 'archives', 'partial'), unpacked])
    await mkdir(folder, { recursive: true })
  const source = `Types: deb\nURIs: ${mirror}\nSuites: ${suite}\nComponents: main\nSigned-By: ${keyring}\n`
  await writeFile(join(sources, 'kiroku.sources'), source)
  const options = [
    'Dir::Etc::SourceList=/dev/null',
    `Dir::Etc::SourceParts=${sources}`,
    `Dir::State::Lists=${lists}`,
    `Dir::Cache=${cache}`,
    'Acquire::Languages=none',
    'Acquire::Retries=2',
    'APT::Update::Error-Mode=any',
    // Root would drop to the user _apt, who may not write into our folder.
    ...(process.getuid?.() === 0 ? ['APT::Sandbox::User=root'] : []),
  ].flatMap((option) => ['-o', option])
  const settings = { cwd: work, timeout: 180_000, env: { ...process.env, LC_ALL: 'C' } }
  await run('apt-get', [...options, 'update'], settings)
  await run('apt-get', [...options, 'download', 'nats-server'], settings)
  const archive = (await readdir(work)).find((name) => name.endsWith('.deb'))
  if (archive === undefined) throw new Error('apt-get downloaded nothing')
  await run('dpkg-deb', ['-x', archive, unpacked], settings)
  const binary = ['usr/sbin/nats-server', 'usr/bin/nats-server']
    .map((p) => join(unpacked, p))
    .find(existsSync)
  if (binary === undefined) throw new Error(`${archive} holds no nats-server`)
  return binary
}

/**
 * Fetches nats-server out of Debian's archive into the cache with the machine's own apt and mirror, signatures
 * checked, without touching the system.
 *
 * @param onProgress told in words what is being done
 * @throws Error with the reason in words, when this machine cannot do it
 */
export const fetchFromApt = async (
  cacheFolder: string,
  onProgress: (what: string) => void,
): Promise<NatsBinary> => {
  if (process.platform !== 'linux') throw new Error('this is not a Debian system')
  const found = await mirrors().catch(() => {
    throw new Error('apt-get is not installed')
  })
  const keyring = keyrings.find((file) => existsSync(file))
  if (found.length === 0) throw new Error('apt has no package source configured')
  if (keyring === undefined) throw new Error('the package debian-archive-keyring is not installed')
  let failure: unknown
  for (const mirror of found) {
    onProgress(`Fetching nats-server from ${mirror} (${suite}) with apt`)
    try {
      return await addToCache(cacheFolder, (work) => fetchFromMirror(mirror, keyring, join(work, 'apt')))
    } catch (error) {
      failure = new Error(`${mirror} gave none: ${reasonOf(error)}`, { cause: error })
    }
  }
  throw failure
}
