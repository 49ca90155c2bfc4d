import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import type { Client } from '../client/index.ts'
import { asData } from './as-data.ts'
import type { BoundRef } from './bound-ref.ts'
import { describeError } from './describe-error.ts'

const entriesShown = 50
const refsShown = 100
const about = { mimeType: 'text/plain', description: 'The newest memories, as data' }

const uriOf = (ref: string) => `colophon://memory/${encodeURIComponent(ref)}`

/** Each memoryRef is a resource; a bound connection has one. */
export function addResources(server: McpServer, client: Client, bound: BoundRef): void {
  const read = async (uri: URL, ref: string) => {
    const { entries } = await client.memory.list(ref, { limit: entriesShown }).catch(refuse)
    return { contents: [{ uri: uri.href, mimeType: about.mimeType, text: asData(entries) }] }
  }
  if (bound.ref !== null) {
    const { ref } = bound
    server.registerResource('memory', uriOf(ref), { title: `Memory: ${ref}`, ...about }, (uri) => read(uri, ref))
    return
  }
  const template = new ResourceTemplate('colophon://memory/{ref}', {
    async list() {
      const { refs } = await client.memory.refs({ limit: refsShown }).catch(refuse)
      return {
        resources: refs.map(({ memoryRef, entries, lastWriteAt }) => ({
          uri: uriOf(memoryRef),
          name: memoryRef,
          mimeType: about.mimeType,
          description: `${entries} memories, last write at ${lastWriteAt}`,
        })),
      }
    },
  })
  server.registerResource('memory', template, { title: 'Memory', ...about }, (uri, { ref }) =>
    read(uri, decodeURIComponent(String(ref))),
  )
}

function refuse(error: unknown): never {
  throw new Error(describeError(error))
}
