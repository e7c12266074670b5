import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import { machineGraph } from '@kiroku/message'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type UserConfig } from 'vite'

/** Where `npm run dev` finds an engine. */
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

/** Packs scripts and styles once as well as it goes, which takes longer than a visitor should wait for. */
const packedFiles: Plugin = {
  name: 'packed-files',
  apply: 'build',
  writeBundle: async ({ dir }, bundle) => {
    const names = Object.keys(bundle).filter((name) => /\.(js|css)$/.test(name))
    await Promise.all(
      names.map(async (name) => {
        const file = path.join(dir!, name)
        await writeFile(`${file}.br`, await brotli(await readFile(file)))
      }),
    )
  },
}

/** Has the font on its way before a style asks for it: text is laid out once then. */
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
      // One file of what every page needs: each more would bring headers of its own, and pack worse.
      output: { codeSplitting: { groups: [{ name: 'start', tags: ['$initial'] }] } },
    },
  },
}

export default defineConfig(({ command }) => {
  // A variable of whoever starts the build, such as a test run, would bring React's slow build for developers.
  if (command === 'build') process.env['NODE_ENV'] = 'production'
  return settings
})
