import { createRequire } from 'node:module'
import { join } from 'node:path'
import { startMcp } from '../../bench/peers/mcp-client.ts'
import { installedPeer } from '../peer.ts'
import type { Place } from '../place.ts'
import type { Product, Scope, Session } from '../product.ts'

type Graph = { readonly entities: { name: string; entityType: string; observations: string[] }[] }

/** It has no users: the type of an entity stands for one, and the adapter filters by it. */
const kindOf = ({ tenant, user }: Scope) => `${tenant}/${user}`

async function open({ folder }: Place): Promise<Session> {
  const resolve = createRequire(new URL('../../bench/peers/', import.meta.url)).resolve
  const program = resolve('@modelcontextprotocol/server-memory/dist/index.js')
  const client = await startMcp([program], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') })
  const graph = async () => JSON.parse(await client.call('read_graph', {})) as Graph
  const list = async (scope: Scope) =>
    (await graph()).entities
      .filter(({ entityType }) => entityType === kindOf(scope))
      .map(({ name, observations }) => ({ id: name, text: observations.join('\n') }))
  const remove = async (names: string[]) => void (await client.call('delete_entities', { entityNames: names }))
  return {
    async ingest({ scope, event, text }) {
      const name = `${kindOf(scope)}/${event}`
      await client.call('create_entities', { entities: [{ name, entityType: kindOf(scope), observations: [text] }] })
    },
    settle: async () => {},
    list,
    async search(scope, query) {
      const found = JSON.parse(await client.call('search_nodes', { query })) as Graph
      return found.entities
        .filter(({ entityType }) => entityType === kindOf(scope))
        .map(({ name, observations }) => ({ id: name, text: observations.join('\n') }))
    },
    async change(scope, id, text) {
      const before = (await list(scope)).find((memory) => memory.id === id)
      const deletions = [{ entityName: id, observations: [before?.text ?? ''] }]
      await client.call('delete_observations', { deletions })
      await client.call('add_observations', { observations: [{ entityName: id, contents: [text] }] })
    },
    remove: (_scope, id) => remove([id]),
    forget: async (scope) => remove((await list(scope)).map(({ id }) => id)),
    kill: () => client.kill(),
    stop: () => client.kill(),
  }
}

export const mcpMemory: Product = {
  id: 'mcp-memory',
  name: 'MCP server-memory',
  version: () => installedPeer('@modelcontextprotocol/server-memory'),
  configuration: 'over standard input and output, one file; an entity per event, named by it',
  needsPostgres: false,
  notOffered: {
    snapshot: 'read_graph reads what is there now',
    secrets: 'observations are stored as they are given',
    authority: 'observations have no writer',
    provenance: 'observations have no source',
    bleed: 'there are no users and no tenants: all clients read one graph',
    retries: 'an entity that is created again after it was deleted is a new one',
    edits: 'observations have no writer',
    laundering: 'an observation has no class by its origin',
    sybil: 'an observation has no class by its origin',
    containment: 'observations have no source that could be contained',
    keys: 'there are no keys: the process that starts it has all rights',
    hostile: 'one process for each client, which serves no other caller',
    tamper: 'there is no record of changes',
    split: 'there is no log that two parties could compare',
    foreign: 'there is no log that another program could verify',
    resurrection: 'there are no runs that could be played again',
    replay: 'there are no runs that could be played again',
  },
  open,
}
