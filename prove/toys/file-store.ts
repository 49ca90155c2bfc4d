import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Library, type LibraryPlace, openLibrary } from '../library-process.ts'
import type { Memory, Product, Scope } from '../product.ts'

/**
 * The smallest correct store, a file with a line for each memory, and the same with three ordinary
 * mistakes. They show that the figures are those of the product that runs, also behind a process boundary.
 */

type Line = { readonly scope: string; readonly id: string; readonly text: string }

const isCareless = new URL(import.meta.url).searchParams.has('careless')
/** A delayed write is lost when the process is killed before it. */
const soonMs = 200

export async function open({ folder }: LibraryPlace): Promise<Library> {
  const file = join(folder, 'memories.jsonl')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  let lines = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line)
  const keyOf = ({ tenant, user }: Scope) => JSON.stringify([tenant, user])
  const belongs = (scope: Scope) => (line: Line) =>
    isCareless ? line.scope.startsWith(keyOf(scope).slice(0, -2)) : line.scope === keyOf(scope)
  const memoriesOf = (found: readonly Line[]): Memory[] => found.map((line) => ({ id: line.id, text: line.text }))
  return {
    async ingest({ scope, event, text: content }) {
      if (lines.some((line) => line.scope === keyOf(scope) && line.id === event)) return
      const line = { scope: keyOf(scope), id: event, text: content }
      lines.push(line)
      const write = () => appendFileSync(file, `${JSON.stringify(line)}\n`)
      if (isCareless) setTimeout(write, soonMs)
      else write()
    },
    settle: () => new Promise((resolve) => setTimeout(resolve, isCareless ? 2 * soonMs : 0)),
    list: async (scope) => memoriesOf(lines.filter(belongs(scope))),
    async forget(scope) {
      lines = lines.filter((line) => line.scope !== keyOf(scope))
      if (!isCareless) writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
    },
  }
}

const toy = (id: string, query: string): Product => ({
  id,
  name: id,
  version: () => '1.0.0',
  configuration: 'a file',
  needsPostgres: false,
  notOffered: {},
  open: (place) => openLibrary(`${import.meta.url}${query}`, place),
})

export const carefulStore = toy('careful', '')
export const carelessStore = toy('careless', '?careless')
