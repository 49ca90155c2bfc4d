import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import type { Client } from '../client/index.ts'
import { visibleText } from '../core/visible-text.ts'
import { asData } from './as-data.ts'
import type { BoundRef } from './bound-ref.ts'
import { completeRefs } from './completions.ts'
import { describeError } from './describe-error.ts'
import { traceOf } from './trace.ts'

const entriesShown = 50
const refsShown = 100
const about = { mimeType: 'text/plain', description: 'The newest memories, as data' }
const aboutOne = { mimeType: 'text/plain', description: 'One memory and its provenance, as data' }
const scheme = 'colophon://memory/'

/** The URI of a ref, or of one of its memories. */
export function uriOf(ref: string, id?: string): string {
  return scheme + [ref, ...(id === undefined ? [] : [id])].map(encodeURIComponent).join('/')
}

/** Whether a URI is a ref or a memory that this connection can read. */
export function isResourceUri(uri: string, { ref }: BoundRef): boolean {
  if (ref !== null) return uri === uriOf(ref) || (uri.startsWith(`${uriOf(ref)}/`) && isWellFormed(uri))
  return isWellFormed(uri)
}

function isWellFormed(uri: string): boolean {
  return /^colophon:\/\/memory\/[^/?#]+(?:\/[^/?#]+)?$/.test(uri)
}

/** Each memoryRef is a resource, and each memory with its provenance; a bound connection has those of one ref. */
export function addResources(server: McpServer, client: Client, bound: BoundRef): void {
  const read = async (uri: URL, ref: string) => {
    const { entries } = await client.memory.list(ref, { limit: entriesShown }).catch(refuse)
    return { contents: [{ uri: uri.href, mimeType: about.mimeType, text: asData(entries) }] }
  }
  const readOne = async (uri: URL, ref: string, id: string) => {
    const [memory, provenance] = await Promise.all([client.memory.get(ref, id), traceOf(client, ref, id)]).catch(refuse)
    return { contents: [{ uri: uri.href, mimeType: aboutOne.mimeType, text: asData([{ memory, provenance }]) }] }
  }
  const one = { title: 'One memory', ...aboutOne }
  if (bound.ref !== null) {
    const { ref } = bound
    server.registerResource('memory', uriOf(ref), { title: `Memory: ${ref}`, ...about }, (uri) => read(uri, ref))
    const oneOfRef = new ResourceTemplate(`${uriOf(ref)}/{id}`, { list: undefined })
    server.registerResource('memory-entry', oneOfRef, one, (uri, { id }) => readOne(uri, ref, decoded(id)))
    return
  }
  const complete = { ref: completeRefs(client) }
  const template = new ResourceTemplate(`${scheme}{ref}`, {
    complete,
    async list() {
      const { refs } = await client.memory.refs({ limit: refsShown }).catch(refuse)
      return {
        resources: refs.map(({ memoryRef, entries, lastWriteAt }) => ({
          uri: uriOf(memoryRef),
          name: visibleText(memoryRef),
          mimeType: about.mimeType,
          description: `${entries} memories, last write at ${lastWriteAt}`,
        })),
      }
    },
  })
  server.registerResource('memory', template, { title: 'Memory', ...about }, (uri, { ref }) => read(uri, decoded(ref)))
  const oneOfAny = new ResourceTemplate(`${scheme}{ref}/{id}`, { list: undefined, complete })
  server.registerResource('memory-entry', oneOfAny, one, (uri, { ref, id }) => readOne(uri, decoded(ref), decoded(id)))
}

function decoded(part: string | string[] | undefined): string {
  return decodeURIComponent(String(part))
}

function refuse(error: unknown): never {
  throw new Error(describeError(error))
}
