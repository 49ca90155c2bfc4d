import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import vm from 'node:vm'

/** Runs the built client in a realm that has what browsers and edge runtimes have, and nothing of Node. */

const [entry = '', url = '', key = ''] = process.argv.slice(2)

const context = vm.createContext({
  fetch,
  AbortController,
  AbortSignal,
  TextDecoder,
  crypto: { getRandomValues: (bytes: Uint8Array) => crypto.getRandomValues(bytes) },
  setTimeout,
  clearTimeout,
  given: { url, key },
})

const modules = new Map<string, vm.SourceTextModule>()

function load(file: string): vm.SourceTextModule {
  const known = modules.get(file)
  if (known) return known
  const module = new vm.SourceTextModule(readFileSync(file, 'utf8'), { context, identifier: file })
  modules.set(file, module)
  return module
}

const program = new vm.SourceTextModule(
  `
  import { createClient } from './index.js'
  const client = createClient({ url: given.url, key: given.key })
  const changes = client.changes({ after: 0 })
  await client.memory.put('r', { content: 'One.' })
  await client.memory.put('r', { content: 'Two.' })
  const listed = []
  for await (const { content } of client.memory.each('r', { limit: 1 })) listed.push(content)
  const stranger = createClient({ url: given.url, key: 'wrong' })
  const refused = await stranger.memory.refs().catch(({ code, status }) => ({ code, status }))
  let seen = 0
  for await (const change of changes) if (++seen === 2) break
  export const result = JSON.stringify({
    globals: [typeof process, typeof Buffer, typeof require], listed, refused, changes: seen,
  })
`,
  { context, identifier: entry },
)
await program.link((specifier, from) => load(join(dirname(from.identifier), specifier)))
await program.evaluate()
process.stdout.write((program.namespace as { result: string }).result)
process.exit(0)
