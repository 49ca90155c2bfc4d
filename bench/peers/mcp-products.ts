import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { memoryRef } from '../entries.ts'
import { fillDataFolder } from './colophon.ts'
import { type McpClient, startMcp } from './mcp-client.ts'
import { hitsMax, type Opened, type Product, pageEntries } from './product.ts'

/** A server starts at the first call, so that its data can be written before. */
function lazily(start: () => Promise<McpClient>) {
  let started: Promise<McpClient> | null = null
  return {
    async call(tool: string, args: object) {
      started ??= start()
      return (await started).call(tool, args)
    },
    close: async () => (await started)?.close(),
  }
}

/** The lines between the marks: what is stored, and nothing else. */
function contentsOf(answer: string): string[] {
  const lines = answer.split('\n')
  const from = lines.findIndex((line) => line.startsWith('<memory-data '))
  if (from < 0) return []
  const stored = lines.slice(from + 1, lines.indexOf('</memory-data>'))
  return stored.map((line) => (JSON.parse(line) as { content: string }).content)
}

export const colophonMcp: Product = {
  name: 'Colophon (colophon mcp)',
  package: null,
  durability: 'SQLite, WAL, synchronous=FULL: survives a power cut',
  needsBuild: true,
  async open({ folder }): Promise<Opened> {
    const env = { COLOPHON_DATA_DIR: folder, COLOPHON_LOG_LEVEL: 'silent' }
    const { call, close } = lazily(() => startMcp(['dist/cli/main.js', 'mcp', '--ref', memoryRef], env))
    return {
      async put(content) {
        return /mem_[\w-]+/.exec(await call('remember', { content }))?.[0] ?? ''
      },
      async get(id) {
        const answer = await call('get', { id }).catch((error: Error) => error)
        if (typeof answer === 'string') return contentsOf(answer)[0] ?? null
        if (/not_found/.test(answer.message)) return null
        throw answer
      },
      page: async () => contentsOf(await call('list', { limit: pageEntries })),
      search: async (words) => contentsOf(await call('recall', { query: words, limit: hitsMax })),
      // It shows a preview and needs a confirmation: two calls for one deletion.
      async delete(id) {
        const confirm = /confirm: "(\w+)"/.exec(await call('forget', { id }))?.[1]
        await call('forget', { id, confirm })
      },
      fill: (contents) => fillDataFolder(folder, contents),
      close,
    }
  },
}

type Graph = { entities: { name: string; observations: string[] }[] }

export const serverMemory: Product = {
  name: 'MCP server-memory',
  package: '@modelcontextprotocol/server-memory',
  durability:
    'one JSON Lines file, written anew for each change and renamed: survives the process, not a power cut (no fsync)',
  async open({ folder }): Promise<Opened> {
    const file = join(folder, 'memory.jsonl')
    const program = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-memory/dist/index.js')
    const { call, close } = lazily(() => startMcp([program], { MEMORY_FILE_PATH: file }))
    const toEntity = (name: string, content: string) => ({ name, entityType: 'memory', observations: [content] })
    const contentsIn = (answer: string) =>
      (JSON.parse(answer) as Graph).entities.map(({ observations }) => observations[0] ?? '')
    return {
      async put(content) {
        const name = randomUUID()
        await call('create_entities', { entities: [toEntity(name, content)] })
        return name
      },
      get: async (name) => contentsIn(await call('open_nodes', { names: [name] }))[0] ?? null,
      // There are no pages: it gives the whole graph.
      page: async () => contentsIn(await call('read_graph', {})).slice(-pageEntries),
      search: async (words) => contentsIn(await call('search_nodes', { query: words })),
      async delete(name) {
        await call('delete_entities', { entityNames: [name] })
      },
      // Its own file format: creating compares each new name with all others.
      async fill(contents) {
        const names = contents.map(() => randomUUID())
        const lines = contents.map((text, i) => JSON.stringify({ type: 'entity', ...toEntity(names[i] ?? '', text) }))
        writeFileSync(file, lines.join('\n'))
        return names
      },
      close,
    }
  },
}
