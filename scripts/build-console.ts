// Builds the console into dist/console, unless what is there was built from the same files.
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stampFile = `${root}dist/console/.built-from`

/** Everything that can change the result: the console, the client with the schemas of the wires, the rules of the core, the packages. */
function fingerprint(): string {
  const files = globSync(['console/**/*', 'src/{client,core,wires}/**/*.ts', 'package-lock.json'], {
    cwd: root,
    withFileTypes: true,
  })
  const hash = createHash('sha256')
  for (const file of files
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .sort()) {
    hash.update(`${file.slice(root.length)}\0`).update(readFileSync(file))
  }
  return hash.digest('hex')
}

export async function buildConsole(): Promise<void> {
  const wanted = fingerprint()
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wanted) return
  process.stderr.write('colophon: building the console …\n')
  const { build } = await import('vite')
  await build({ configFile: `${root}console/vite.config.ts`, logLevel: 'error' })
  writeFileSync(stampFile, wanted)
}
