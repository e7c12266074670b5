import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { fingerprintOf } from '@kiroku/protocol'

const cachedMax = 50_000

/** Ids of repeated texts and errors, with a cache of recent ones. */
export class Interner {
  readonly #findText: StatementSync
  readonly #addText: StatementSync
  readonly #findError: StatementSync
  readonly #addError: StatementSync
  readonly #texts = new Map<string, number>()
  readonly #errors = new Map<string, number>()

  constructor(database: DatabaseSync) {
    this.#findText = database.prepare('SELECT id FROM texts WHERE text = ?')
    this.#addText = database.prepare('INSERT INTO texts(text, folded) VALUES (?, ?)')
    this.#findError = database.prepare('SELECT id FROM errors WHERE text = ?')
    this.#addError = database.prepare('INSERT INTO errors(text, folded, fingerprint) VALUES (?, ?, ?)')
  }

  /** Null for the empty text. */
  text(text: string): number | null {
    if (text === '') return null
    const known = this.#texts.get(text)
    if (known !== undefined) return known
    const found = this.#findText.get(text)?.['id'] as number | undefined
    const id = found ?? Number(this.#addText.run(text, text.toLowerCase()).lastInsertRowid)
    return remember(this.#texts, text, id)
  }

  /** Null for the empty text. */
  error(text: string): number | null {
    if (text === '') return null
    const known = this.#errors.get(text)
    if (known !== undefined) return known
    const found = this.#findError.get(text)?.['id'] as number | undefined
    const id =
      found ?? Number(this.#addError.run(text, text.toLowerCase(), fingerprintOf(text).id).lastInsertRowid)
    return remember(this.#errors, text, id)
  }

  /** Ids added lately may have been rolled back. */
  forget(): void {
    this.#texts.clear()
    this.#errors.clear()
  }
}

const remember = (map: Map<string, number>, text: string, id: number): number => {
  if (map.size >= cachedMax) map.clear()
  map.set(text, id)
  return id
}
