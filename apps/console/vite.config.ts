import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { machineGraph } from '@kiroku/message'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type UserConfig } from 'vite'

/** The engine for `npm run dev`. */
const engine = process.env['KIROKU_API'] ?? 'http://127.0.0.1:8480'

/** Pages draw the machine and never run it: they get its graph as data, and XState stays with the replay. */
const drawnMachine: Plugin = {
  name: 'drawn-machine',
  load: {
    filter: { id: /\/libs\/message\/src\/graph\.ts$/ },
    handler: () => `const graph = ${JSON.stringify(machineGraph())}; export const machineGraph = () => graph`,
  },
}

const brotli = promisify(brotliCompress)

// The highest level would save 2 % more, and cost a clone a second of its first start.
const packing = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }

/** Compresses scripts and styles once, at a level that takes longer than a visitor should wait. */
const packedFiles: Plugin = {
  name: 'packed-files',
  apply: 'build',
  writeBundle: async ({ dir }, bundle) => {
    const names = Object.keys(bundle).filter((name) => /\.(js|css)$/.test(name))
    await Promise.all(
      names.map(async (name) => {
        const file = path.join(dir!, name)
        await writeFile(`${file}.br`, await brotli(await readFile(file), packing))
      }),
    )
  },
}

/** Preloads the font before a style requests it, so that text is laid out only once. */
const earlyFont: Plugin = {
  name: 'early-font',
  transformIndexHtml: (_, { bundle = {} }) =>
    Object.keys(bundle)
      .filter((name) => name.endsWith('.woff2'))
      .map((name) => ({
        tag: 'link',
        attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '', href: `/${name}` },
        injectTo: 'head',
      })),
}

const settings: UserConfig = {
  plugins: [react(), drawnMachine, earlyFont, packedFiles],
  server: {
    host: '127.0.0.1',
    proxy: { '/v1': { target: engine, changeOrigin: true }, '/docs': engine },
  },
  worker: { format: 'es' },
  build: {
    target: 'es2024',
    // A data: URL for a small file would need a laxer content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // One file for what every page needs: more files would add headers and compress worse.
      output: { codeSplitting: { groups: [{ name: 'start', tags: ['$initial'] }] } },
    },
  },
}

export default defineConfig(({ command }) => {
  // A variable inherited from the caller, such as a test run, would select React's slow development build.
  if (command === 'build') process.env['NODE_ENV'] = 'production'
  return settings
})
