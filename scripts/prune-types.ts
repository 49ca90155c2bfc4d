import { globSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, join, posix, resolve } from 'node:path'

const imported = /(?:\bfrom|\bimport|\bimport\()\s*["'](\.[^"']+)\.ts["']/g

/** Removes the declarations that no entry point reaches: four of five files, of the program and of what is inside of the engine. */
export function pruneTypes(out: string, entries: readonly string[]): void {
  const folder = resolve(out)
  const reached = new Set<string>()
  const waiting = entries.map((entry) => join(folder, posix.relative('dist', entry)))
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(imported))
      waiting.push(`${join(dirname(file), target)}.d.ts`)
  }
  for (const name of globSync('**/*.d.ts', { cwd: folder })) {
    const file = join(folder, name)
    if (!reached.has(file)) rmSync(file)
  }
  removeEmpty(folder)
}

function removeEmpty(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmpty(join(folder, entry.name))
  if (readdirSync(folder).length === 0) rmdirSync(folder)
}
