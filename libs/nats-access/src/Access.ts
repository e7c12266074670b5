import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { KirokuError } from '@kiroku/protocol'
import { createUser, fromPublic } from '@nats-io/nkeys'
import { NatsKey } from './NatsKey.ts'
import { usersBlock, type PublicUser } from './usersBlock.ts'

/** How a program enters NATS: with the key in a file, and as a client under the name that its rights are for. */
export interface AccessUser {
  /** Path of a file with the seed of an NKey. */
  readonly nkey: string
  /** Absent: with the rights of a node. */
  readonly as?: string
}

/** The client of the folder's owner. */
const ownName = 'client'

/** A name is a word of a subject. */
const names = /^[A-Za-z0-9_-]{1,32}$/

/**
 * The keys to a nats-server that Kiroku runs, in a folder of its own beside the server's. The server knows public keys only,
 * so that nothing it is configured with, logs or is asked opens it.
 */
export class Access {
  /** Where the server's configuration lies, or those of several servers. */
  readonly serverFolder: string
  readonly folder: string

  constructor(serverFolder: string) {
    this.serverFolder = serverFolder
    this.folder = join(serverFolder, 'access')
  }

  /** With the rights of a node. */
  get node(): AccessUser {
    return { nkey: this.#file('node.nk') }
  }

  /** The client of the folder's owner. */
  get client(): AccessUser {
    return { nkey: this.#file(`${ownName}.nk`), as: ownName }
  }

  /** What the server's configuration includes. */
  get configFile(): string {
    return this.#file('users.conf')
  }

  /** A context of the `nats` command line with the rights of a node. */
  get contextFile(): string {
    return this.#file('context.json')
  }

  /**
   * Makes what is missing: the keys of nodes and of the owner's client, and what the server's configuration includes.
   * @returns whether it made a key, which a server that runs does not know
   */
  prepare(): boolean {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    // The folder of the server may be one of an earlier version, open to all.
    chmodSync(this.folder, 0o700)
    const areThere = [this.node, this.client].every(({ nkey }) => existsSync(nkey))
    this.#write()
    return !areThere
  }

  /** The clients that the owner let in. Errors: `InvalidConfig` (their file is damaged). */
  others(): readonly PublicUser[] {
    const file = this.#file('users.json')
    if (!existsSync(file)) return []
    try {
      const users = JSON.parse(readFileSync(file, 'utf8')) as readonly PublicUser[]
      // A name that is no word of a subject would have other rights, and a wrong key would keep the server from starting.
      for (const { name, publicKey } of users)
        if (!names.test(name) || fromPublic(publicKey).getPublicKey() !== publicKey)
          throw new Error(`there is no client "${name}" with the key ${publicKey}`)
      return users
    } catch (cause) {
      throw new KirokuError(
        'InvalidConfig',
        `${file} cannot be read: ${(cause as Error).message}; delete it, and let clients in again`,
        { cause },
      )
    }
  }

  /**
   * Lets a client in, once the server has read its configuration again.
   * @returns the seed of its key, which is kept nowhere here
   * @throws KirokuError `InvalidArgument`: the name is taken, or no word of a subject
   */
  add(name: string): string {
    if (!names.test(name))
      throw new KirokuError(
        'InvalidArgument',
        `"${name}" is no name for a client: up to 32 letters, digits, - and _`,
      )
    if (name === ownName || this.#has(name))
      throw new KirokuError('InvalidArgument', `there is already a client "${name}"`)
    const key = createUser()
    this.#keep([...this.others(), { name, publicKey: key.getPublicKey() }])
    return text(key.getSeed())
  }

  /**
   * Lets a client in no longer, once the server has read its configuration again.
   * @throws KirokuError `InvalidArgument`: there is none of this name
   */
  remove(name: string): void {
    if (!this.#has(name)) throw new KirokuError('InvalidArgument', `there is no client "${name}" to remove`)
    this.#keep(this.others().filter((each) => each.name !== name))
  }

  /**
   * Writes the context for the `nats` command line, for where the server listens now. A disk that does not take it costs
   * nothing but that.
   */
  writeContext(url: string): void {
    const context = { description: 'Kiroku, with the rights of a node', url, nkey: this.node.nkey }
    try {
      writeSecret(this.contextFile, `${JSON.stringify(context, null, 2)}\n`)
    } catch {
      return
    }
  }

  #has(name: string): boolean {
    return this.others().some((each) => each.name === name)
  }

  #keep(others: readonly PublicUser[]): void {
    writeSecret(this.#file('users.json'), `${JSON.stringify(others, null, 2)}\n`)
    this.#write()
  }

  #write(): void {
    const own = { name: ownName, publicKey: publicKeyIn(this.client.nkey) }
    writeSecret(this.configFile, usersBlock(publicKeyIn(this.node.nkey), [own, ...this.others()]))
  }

  #file(name: string): string {
    return join(this.folder, name)
  }
}

/** The public half of the key in a file; where there is no such file, it is made. */
const publicKeyIn = (file: string): string => {
  try {
    return new NatsKey(readFileSync(file, 'utf8')).publicKey
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new KirokuError(
        'InvalidConfig',
        `the key in ${file} cannot be read: ${(error as Error).message}; delete it, and another one is made`,
        { cause: error },
      )
    makeKey(file)
    return publicKeyIn(file)
  }
}

/** Of several engines that start in a folder at once, one makes the key. */
const makeKey = (file: string): void => {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${text(createUser().getSeed())}\n`, { mode: 0o600 })
  try {
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft)
  }
}

/**
 * In one step, so that nobody reads half a file, and for the user alone whatever the umask is. What is there already is not
 * written again: the disk may be full.
 */
const writeSecret = (file: string, content: string): void => {
  if (existsSync(file) && readFileSync(file, 'utf8') === content) return
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, content, { mode: 0o600 })
  renameSync(draft, file)
}

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
