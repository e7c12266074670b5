import { type Grants, grantsRule, isKirokuError, KirokuError, parseGrants } from '@kiroku/protocol'

/** A key with which a caller signs. */
export interface Key {
  readonly name: string
  readonly grants: Grants
  readonly id: string
  readonly secret: string
  /** 12 digits; absent: the account of the door. */
  readonly account?: string
}

/** The keys of a door, which others may replace while it serves. */
export class Keys {
  #byId: ReadonlyMap<string, Key> = new Map()

  constructor(keys: readonly Key[]) {
    this.replace(keys)
  }

  /** Takes these instead: what the earlier ones sign from now on is refused. */
  replace(keys: readonly Key[]): void {
    this.#byId = new Map(keys.map((key) => [key.id, key]))
  }

  get(id: string): Key | undefined {
    return this.#byId.get(id)
  }
}

/** Shorter secrets can be guessed. */
const secretCharactersMin = 16

/**
 * Reads keys written as `name:role:key id:secret`, with `:` and 12 digits behind it where they are of another account, one a line, where `role` is what `parseGrants` reads; lines that begin with #
 * are comments. Errors: `InvalidConfig`, which names the entry but never shows the secret.
 */
export const parseKeys = (text: string): Key[] => {
  const keys: Key[] = []
  for (const line of text.split('\n').map((each) => each.trim())) {
    if (line === '' || line.startsWith('#')) continue
    const [name = '', role = '', id = '', ...rest] = line.split(':')
    if (!/^[A-Za-z0-9_.@-]{1,64}$/.test(name))
      throw new KirokuError(
        'InvalidConfig',
        'a key needs a name of 1 to 64 letters, digits, - _ . @, as in name:role:key id:secret',
      )
    const refuse = (why: string) => new KirokuError('InvalidConfig', `key of "${name}": ${why}`)
    if (!/^[A-Za-z0-9]{1,128}$/.test(id)) throw refuse('its id has 1 to 128 letters and digits')
    if (keys.some((key) => key.id === id)) throw refuse('another key has the same id')
    const account = rest.length > 1 && /^\d{12}$/.test(rest.at(-1)!) ? rest.pop() : undefined
    const secret = rest.join(':')
    if (secret.length < secretCharactersMin)
      throw refuse(`its secret must have at least ${secretCharactersMin} characters`)
    keys.push({
      name,
      grants: grantsOf(role, refuse),
      id,
      secret,
      ...(account === undefined ? {} : { account }),
    })
  }
  if (keys.length === 0) throw new KirokuError('InvalidConfig', 'there are no keys in the file of keys')
  return keys
}

const grantsOf = (text: string, refuse: (why: string) => KirokuError): Grants => {
  try {
    return parseGrants(text)
  } catch (error) {
    throw refuse(isKirokuError(error) ? error.message : grantsRule)
  }
}
