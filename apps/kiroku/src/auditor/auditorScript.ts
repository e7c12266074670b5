import { fileURLToPath } from 'node:url'
import type { AnchorOptions } from '@kiroku/auditor'
import type { NatsOptions } from '@kiroku/nats'

/** What an auditor's process opens. */
export interface AuditorSetup {
  readonly nats: NatsOptions
  readonly log: string
  readonly dataDir: string
  readonly anchors?: AnchorOptions
}

/** Path of the script of an auditor's process, in the sources and in the package. */
export const auditorScript = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './auditorProcess.ts' : './auditor.mjs', import.meta.url),
)
