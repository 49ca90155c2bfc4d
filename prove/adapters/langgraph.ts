import {
  type LangGraphItem,
  type LangGraphStore,
  openInMemoryStore,
  openPostgresStore,
} from '../../bench/peers/open-peers.ts'
import { type Library, type LibraryPlace, openLibrary } from '../library-process.ts'
import { installedPeer } from '../peer.ts'
import type { Product, Scope } from '../product.ts'

/** LangGraph's stores: a namespace, a key that the caller chooses, and a value. */

const everything = 10_000
const namespaceOf = ({ tenant, user }: Scope) => [tenant, user]
const memoryOf = ({ key, value }: LangGraphItem) => ({ id: key, text: value.text })

function session(store: LangGraphStore, close: () => Promise<void>): Library {
  const list = async (scope: Scope) => (await store.search(namespaceOf(scope), { limit: everything })).map(memoryOf)
  const remove = (scope: Scope, id: string) => store.delete(namespaceOf(scope), id)
  return {
    ingest: ({ scope, event, text }) => store.put(namespaceOf(scope), event, { text }),
    settle: async () => {},
    list,
    search: async (scope, query) => (await store.search(namespaceOf(scope), { query, limit: 50 })).map(memoryOf),
    async get(scope, id) {
      const found = await store.get(namespaceOf(scope), id)
      return found === null ? null : memoryOf(found)
    },
    change: (scope, id, text) => store.put(namespaceOf(scope), id, { text }),
    remove,
    async forget(scope) {
      for (const { id } of await list(scope)) await remove(scope, id)
    },
    close,
  }
}

const lacks: Product['notOffered'] = {
  snapshot: 'BaseStore reads what is there now; checkpoints keep the state of a graph, not of a store',
  secrets: 'BaseStore stores values as they are given',
  authority: 'BaseStore has no writers: the last put to a key is the value',
  provenance: 'an Item has a namespace, a key and two instants, and nothing about where its value came from',
  retries: 'a put has no key of its own: sent again, it is another put',
  edits: 'an Item names no one as having said it',
  laundering: 'an item has no class by its origin',
  sybil: 'an item has no class by its origin',
  containment: 'an Item has no source that could be contained',
  keys: 'BaseStore has no keys: every caller that reaches it has all rights',
  hostile: 'texts are stored as they come: nothing reads them that could take long',
  tamper: 'there is no record of changes',
  split: 'there is no log that two parties could compare',
  foreign: 'there is no log that another program could verify',
  resurrection: 'time travel replays the state of a graph; what its nodes read from a store is read anew',
  replay: 'time travel replays the state of a graph; what its nodes read from a store is read anew',
}

/** With a database it is the one that uses it. */
export async function open({ databaseUrl }: LibraryPlace): Promise<Library> {
  if (databaseUrl === null) return session(await openInMemoryStore(), async () => {})
  const store = await openPostgresStore({ connectionString: databaseUrl })
  return session(store, () => store.stop())
}

export const langGraphMemory: Product = {
  id: 'langgraph-memory',
  name: 'LangGraph InMemoryStore',
  version: () => installedPeer('@langchain/langgraph-checkpoint'),
  configuration: 'namespace [tenant, user], the event as key; forgets by listing and deleting',
  needsPostgres: false,
  notOffered: {
    ...lacks,
    kill: 'it keeps everything in the memory of the process, and says so',
    erasure: 'it writes nothing anywhere',
  },
  open: (place) => openLibrary(import.meta.url, place),
}

export const langGraphPostgres: Product = {
  id: 'langgraph-postgres',
  name: 'LangGraph PostgresStore',
  version: () => installedPeer('@langchain/langgraph-checkpoint-postgres'),
  configuration: 'namespace [tenant, user], the event as key, no vectors; forgets by listing and deleting',
  needsPostgres: true,
  notOffered: lacks,
  open: (place) => openLibrary(import.meta.url, place),
}
