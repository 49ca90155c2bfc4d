import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const here = fileURLToPath(new URL('.', import.meta.url))

/** Files only: no external font, no network address, nothing inlined that the content policy would refuse. */
export default defineConfig({
  root: here,
  base: '/console/',
  plugins: [react(), tailwind()],
  build: {
    outDir: `${here}../dist/console`,
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2023',
    reportCompressedSize: false,
  },
})
