import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** Where `npm run dev` finds an engine. */
const engine = process.env['KIROKU_API'] ?? 'http://127.0.0.1:8480'

export default defineConfig({
  plugins: [react()],
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
  },
})
