import { createPrivateKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { KirokuError } from '@kiroku/protocol'
import { AnchorFile, type AnchoredLog } from './AnchorFile.ts'
import { Anchoring } from './Anchoring.ts'

/** How the heads of the chains are anchored. */
export interface AnchorOptions {
  /** File to which anchors are added; best where the keeper of the record can only add. */
  readonly file: string
  /** File with an Ed25519 private key in PEM; absent: anchors are not signed. */
  readonly keyFile?: string
  /** Records of a partition between two anchors. */
  readonly every: number
}

/** Anchors the partitions of a log. An anchor that cannot be written is tried again, and never keeps the log from being followed. */
export class Anchors {
  readonly #options: AnchorOptions
  readonly #log: AnchoredLog
  readonly #onTrouble: (error: unknown) => void
  #file: AnchorFile | undefined
  #trouble = ''

  /** @param onTrouble called once per new reason why anchors cannot be written */
  constructor(options: AnchorOptions, log: AnchoredLog, onTrouble: (error: unknown) => void) {
    this.#options = options
    this.#log = log
    this.#onTrouble = onTrouble
  }

  of(partition: number): Anchoring {
    return new Anchoring((head) => this.#write(partition, head), this.#options.every)
  }

  #write(partition: number, { seq, hash }: { readonly seq: number; readonly hash: string }): boolean {
    const { file, keyFile } = this.#options
    try {
      this.#file ??= new AnchorFile(file, this.#log, keyFile === undefined ? undefined : readKey(keyFile))
      if (seq > this.#file.reached(partition)) this.#file.add(partition, seq, hash, Date.now())
      this.#trouble = ''
      return true
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      if (message !== this.#trouble) this.#onTrouble(error)
      this.#trouble = message
      // It may hold a part of a line now.
      this.#file = undefined
      return false
    }
  }
}

/** Errors: `InvalidArgument`. */
const readKey = (file: string): KeyObject => {
  try {
    const key = createPrivateKey(readFileSync(file))
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch (cause) {
    throw new KirokuError('InvalidArgument', `the key to sign anchors with cannot be read from ${file}`, {
      cause,
    })
  }
  throw new KirokuError(
    'InvalidArgument',
    `${file} holds no Ed25519 key: \`openssl genpkey -algorithm ed25519\` makes one`,
  )
}
