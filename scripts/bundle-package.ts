import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, posix, relative, resolve, sep } from 'node:path'
import { rolldown } from 'rolldown'

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly default: string; readonly types: string }>>
}
const exported = Object.values(manifest.exports).filter((target) => typeof target !== 'string')
/** The declarations that users import. */
export const typeEntries = exported.map(({ types }) => types)
/** What users import, what they run, and what runs in a thread. */
const entries = [
  ...exported.map((target) => target.default),
  './dist/cli/main.js',
  './dist/adapters/scan/worker-thread.js',
  './dist/adapters/sqlite/scan-thread.js',
  './dist/adapters/embed/local-thread.js',
  './dist/adapters/embed/minilm-thread.js',
].map((file) => posix.relative('dist', file).replace(/\.js$/, ''))

/** Packages whose used parts are joined too: as 95 files, zod alone is a tenth of a start and 5 MB. All others stay outside. */
const joined = ['zod', 'fastify-type-provider-zod', '@fastify/error']

/** Stands for the way from a bundled file back to the root of the package's code. */
const root = '__ROOT__/'

/**
 * Joins the compiled modules of a folder into few files: reading some 800 files is half of a start. The entry points keep their names, code
 * that is loaded on use stays apart.
 */
export async function bundlePackage(out: string): Promise<void> {
  const folder = resolve(out)
  const bundle = await rolldown({
    input: Object.fromEntries(entries.map((name) => [name, join(folder, `${name}.js`)])),
    platform: 'node',
    // No comment with the path of each module: it depends on where the package is built.
    experimental: { attachDebugInfo: 'none' },
    // Of this project, wherever the folder is.
    resolve: { modules: [resolve('node_modules')] },
    external: (id) => !/^[./\\]|^\w:/.test(id) && !joined.some((name) => id === name || id.startsWith(`${name}/`)),
    plugins: [
      {
        // A module that reads a file beside it finds it where it was before.
        name: 'own-paths',
        transform: (code, id) => {
          if (!id.startsWith(folder)) return null
          const path = relative(folder, id).replaceAll(sep, '/')
          return code.replaceAll('import.meta.url', `new URL("${root}${path}", import.meta.url).href`)
        },
        renderChunk: (code, { fileName }) => code.replaceAll(root, `./${'../'.repeat(fileName.split('/').length - 1)}`),
      },
    ],
  })
  const bundled = join(folder, 'bundled')
  await bundle.write({
    dir: bundled,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    // A process keeps the text of its code. With one character beyond ASCII it would take two bytes for each.
    charset: 'ascii',
    comments: false,
  })
  for (const file of globSync(`${folder}/**/*.js`, { exclude: [`${folder}/console/**`, `${bundled}/**`] })) rmSync(file)
  cpSync(bundled, folder, { recursive: true })
  rmSync(bundled, { recursive: true })
  writeFileSync(
    join(folder, 'LICENSES.txt'),
    `Parts of these packages are in the code.\n\n${joined.map(licenceOf).join('\n')}`,
  )
}

function licenceOf(name: string): string {
  const read = (file: string) => readFileSync(`node_modules/${name}/${file}`, 'utf8')
  return `${name} ${(JSON.parse(read('package.json')) as { version: string }).version}\n\n${read('LICENSE')}`
}
