import { openMem0 } from '../../bench/peers/open-peers.ts'
import { type Library, type LibraryPlace, openLibrary } from '../library-process.ts'
import { installedPeer } from '../peer.ts'
import type { Product, Scope } from '../product.ts'

type Item = { readonly id: string; readonly memory: string }
type Mem0 = {
  add(text: string, config: object): Promise<unknown>
  getAll(config: object): Promise<{ results: Item[] }>
  search(query: string, config: object): Promise<{ results: Item[] }>
  update(id: string, text: string): Promise<unknown>
  delete(id: string): Promise<unknown>
  deleteAll(config: object): Promise<unknown>
}

const ownerOf = ({ tenant, user }: Scope) => ({ userId: user, agentId: tenant })
const filtersOf = ({ tenant, user }: Scope) => ({ filters: { user_id: user, agent_id: tenant } })
const memoryOf = ({ id, memory }: Item) => ({ id, text: memory })

export async function open({ folder }: LibraryPlace): Promise<Library> {
  const memory = await openMem0<Mem0>(folder)
  return {
    async ingest({ scope, event, text }) {
      await memory.add(text, { ...ownerOf(scope), infer: false, metadata: { event } })
    },
    settle: async () => {},
    list: async (scope) => (await memory.getAll({ ...filtersOf(scope), topK: 10_000 })).results.map(memoryOf),
    search: async (scope, query) =>
      (await memory.search(query, { ...filtersOf(scope), topK: 50 })).results.map(memoryOf),
    change: async (_scope, id, text) => void (await memory.update(id, text)),
    remove: async (_scope, id) => void (await memory.delete(id)),
    forget: async (scope) => void (await memory.deleteAll(ownerOf(scope))),
  }
}

export const mem0: Product = {
  id: 'mem0',
  name: 'mem0',
  version: () => installedPeer('mem0ai'),
  configuration:
    'open source, TypeScript, infer: false, its SQLite vector and history stores; user and tenant as userId and agentId, the event in metadata; get by id takes no user, so it is not asked',
  needsPostgres: false,
  notOffered: {
    snapshot: 'getAll and search read what is there now',
    secrets: 'add stores what it is given',
    authority: 'add knows a user, an agent and a run, and no rank among them',
    provenance: 'a memory names no message that it came from; metadata is the caller’s own',
    retries: 'add takes no key by which a retry would be known',
    edits: 'a memory names no one as having said it',
    laundering: 'a memory has no class by its origin',
    sybil: 'a memory has no class by its origin',
    containment: 'a memory has no source that could be contained',
    keys: 'the open source memory has no keys: every caller that reaches it has all rights',
    hostile: 'a library in the process of its caller, which serves no other caller',
    tamper: 'history(id) lists changes of a memory, and there is nothing that checks it',
    split: 'there is no log that two parties could compare',
    foreign: 'there is no log that another program could verify',
    resurrection: 'there are no runs that could be played again',
    replay: 'there are no runs that could be played again',
  },
  open: (place) => openLibrary(import.meta.url, place),
}
