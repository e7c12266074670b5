import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { applyMutant } from '../../mutants/applyMutant.ts'
import { brokenEngines } from './brokenEngines.ts'

const root = new URL('../../../', import.meta.url)

/** Has this process load a broken engine: before any of its files is loaded. Errors: when there is none of that name. */
export const breakEngine = (name: string): void => {
  const engine = brokenEngines.find((e) => e.name === name)
  if (engine === undefined) throw new Error(`there is no broken engine "${name}"`)
  const broken = new URL(engine.file, root)
  applyMutant(engine, readFileSync(broken, 'utf8'))
  const { href } = pathToFileURL(broken.pathname)
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context)
      if (url !== href || loaded.source === undefined || loaded.source === null) return loaded
      return { ...loaded, source: applyMutant(engine, Buffer.from(loaded.source as Uint8Array).toString()) }
    },
  })
}
