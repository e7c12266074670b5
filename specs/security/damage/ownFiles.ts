import { lstatSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { strayFile, type Damage } from './damages.ts'

/** What Kiroku does about a file of its data folder that it finds damaged. */
interface OwnFile {
  readonly pattern: RegExp
  /** How it is found out when an engine starts: by these damages it does not start, and names the file. */
  readonly named?: readonly Damage[]
  /** Other specs damage it. */
  readonly elsewhere?: string
  /** Only a socket while an engine runs. */
  readonly isSocket?: true
}

const unreadable = ['flipped', 'cut short', 'garbage', 'empty', 'a folder'] as const

/** Every file that an engine, its auditor and its nats-server leave in a data folder. A new one has to be entered here. */
const ownFiles: readonly OwnFile[] = [
  // Says what NATS lets in; nothing else has it.
  { pattern: /^nats\/access\/(node|client)\.nk$/, named: unreadable },
  { pattern: /^nats\/access\/users\.json$/, named: unreadable },
  // Made again at each start.
  { pattern: /^nats\/access\/(users\.conf|context\.json)$/, named: ['a folder'] },
  {
    pattern: /^nats\/(server\.conf|nats\.(pid|err|log)|keeper\.(json|log|lock)|last-port)$/,
    named: ['a folder'],
  },
  { pattern: /^run\.json$/, named: ['a folder'] },
  { pattern: /^nats\/nats-server_\d+\.ports$/ },
  // Helps, and caches.
  { pattern: /^tails\/tail-[0-9a-z]+-\d+\.json(\.new)?$/ },
  { pattern: /^audit\/[0-9a-z]+\/index\.sqlite(-wal|-shm)?$/ },
  { pattern: /^audit\/[0-9a-z]+\/writer\.lock(-journal)?$/ },
  { pattern: /^anchors\.ndjson$/ },
  { pattern: /^audit\/[0-9a-z]+\/moments\//, elsewhere: 'libs/auditor/src/saved/SavedStateFiles.test.ts' },
  // The record itself.
  { pattern: /^nats\/jetstream\//, elsewhere: 'specs/card/CARD-05.damage-found.spec.ts' },
  { pattern: /^(link\/[0-9a-f]+|nats\/keeper)\.sock$/, isSocket: true },
]

/** The files of a data folder, and what is known of each. Errors: one that nobody thought of. */
export const filesIn = (dataDir: string): { readonly name: string; readonly own: OwnFile }[] =>
  readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .filter((name) => lstatSync(path.join(dataDir, name), { throwIfNoEntry: false })?.isDirectory() === false)
    .filter((name) => path.basename(name) !== strayFile)
    .toSorted()
    .map((name) => {
      const own = ownFiles.find(({ pattern }) => pattern.test(name))
      if (own === undefined) throw new Error(`${name} is no file that ownFiles.ts knows`)
      return { name, own }
    })
