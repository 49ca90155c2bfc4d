import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Client } from '../../client/index.ts'
import { visibleText } from '../../core/visible-text.ts'
import type { BoundRef } from '../bound-ref.ts'
import type { CallSource } from '../source-of-call.ts'
import { addsOnly, addTool, deletes, readsOnly, ToolRefusal } from '../tools.ts'
import {
  entityDrafts,
  graphRef,
  isRelationOf,
  observationDraft,
  openGraph,
  partOf,
  relationDraft,
  searchGraph,
} from './graph.ts'
import { createGraphStore } from './store.ts'

const resourceUri = 'memory://knowledge-graph'

const EntitySchema = z.object({
  name: z.string().describe('The name of the entity'),
  entityType: z.string().describe('The type of the entity'),
  observations: z.array(z.string()).describe('An array of observation contents associated with the entity'),
})
const RelationSchema = z.object({
  from: z.string().describe('The name of the entity where the relation starts'),
  to: z.string().describe('The name of the entity where the relation ends'),
  relationType: z.string().describe('The type of the relation'),
})
const GraphSchema = z.object({ entities: z.array(EntitySchema), relations: z.array(RelationSchema) })
const DoneSchema = z.object({ success: z.boolean(), message: z.string() })

const shown = <Output>(structured: Output, value: unknown = structured) => ({
  structured,
  lines: [JSON.stringify(value, null, 2)],
})
const done = (message: string) => ({ structured: { success: true, message }, lines: [message] })

/**
 * The nine tools of `@modelcontextprotocol/server-memory`, with its names, descriptions, inputs and outputs. Entities, observations
 * and relations are memories with a writer and a source event.
 */
export function addServerMemoryTools(server: McpServer, client: Client, bound: BoundRef, source: CallSource): void {
  const store = createGraphStore(client, bound.ref ?? graphRef, bound.readers)
  const argumentNames = { tags: 'name', memoryRef: 'ref of the connection', content: 'observation' }

  addTool(
    server,
    'create_entities',
    {
      title: 'Create Entities',
      description: 'Create multiple new entities in the knowledge graph',
      inputSchema: z.object({ entities: z.array(EntitySchema) }),
      outputSchema: z.object({ entities: z.array(EntitySchema) }),
      annotations: addsOnly,
      argumentNames,
    },
    async ({ entities }, context) => {
      const made = await store.change(source.of('create_entities', context), (graph) => {
        const known = new Set(graph.entities.map(({ name }) => name))
        const isNew = ({ name }: { name: string }) => !known.has(name)
        const drafts = entities.filter(isNew).flatMap(entityDrafts)
        return { entries: drafts }
      })
      return shown({ entities: made.entities }, made.entities)
    },
  )

  addTool(
    server,
    'create_relations',
    {
      title: 'Create Relations',
      description:
        'Create multiple new relations between entities in the knowledge graph. Relations should be in active voice',
      inputSchema: z.object({ relations: z.array(RelationSchema) }),
      outputSchema: z.object({ relations: z.array(RelationSchema) }),
      annotations: addsOnly,
      argumentNames,
    },
    async ({ relations }, context) => {
      const made = await store.change(source.of('create_relations', context), (graph) => {
        const isKnown = isRelationOf(graph.relations)
        return { entries: relations.filter((relation) => !isKnown(relation)).map(relationDraft) }
      })
      return shown({ relations: made.relations }, made.relations)
    },
  )

  addTool(
    server,
    'add_observations',
    {
      title: 'Add Observations',
      description: 'Add new observations to existing entities in the knowledge graph',
      inputSchema: z.object({
        observations: z.array(
          z.object({
            entityName: z.string().describe('The name of the entity to add the observations to'),
            contents: z.array(z.string()).describe('An array of observation contents to add'),
          }),
        ),
      }),
      outputSchema: z.object({
        results: z.array(z.object({ entityName: z.string(), addedObservations: z.array(z.string()) })),
      }),
      annotations: addsOnly,
      argumentNames,
    },
    async ({ observations }, context) => {
      let results: { entityName: string; addedObservations: string[] }[] = []
      await store.change(source.of('add_observations', context), (graph) => {
        const observed = new Map(graph.entities.map((entity) => [entity.name, new Set(entity.observations)]))
        results = observations.map(({ entityName, contents }) => ({
          entityName,
          addedObservations: newObservations(observed, entityName, contents),
        }))
        const drafts = results.flatMap(({ entityName, addedObservations }) =>
          addedObservations.map((text) => observationDraft(entityName, text)),
        )
        return { entries: drafts }
      })
      return shown({ results }, results)
    },
  )

  addTool(
    server,
    'delete_entities',
    {
      title: 'Delete Entities',
      description: 'Delete multiple entities and their associated relations from the knowledge graph',
      inputSchema: z.object({ entityNames: z.array(z.string()).describe('An array of entity names to delete') }),
      outputSchema: DoneSchema,
      annotations: deletes,
      argumentNames,
    },
    async ({ entityNames }, context) => {
      const names = new Set(entityNames)
      await remove('delete_entities', context, (part) =>
        part.kind === 'relation' ? names.has(part.from) || names.has(part.to) : names.has(part.name),
      )
      return done('Entities deleted successfully')
    },
  )

  addTool(
    server,
    'delete_observations',
    {
      title: 'Delete Observations',
      description: 'Delete specific observations from entities in the knowledge graph',
      inputSchema: z.object({
        deletions: z.array(
          z.object({
            entityName: z.string().describe('The name of the entity containing the observations'),
            observations: z.array(z.string()).describe('An array of observations to delete'),
          }),
        ),
      }),
      outputSchema: DoneSchema,
      annotations: deletes,
      argumentNames,
    },
    async ({ deletions }, context) => {
      // The model names an observation as it was shown.
      const pair = (name: string, observation: string) => visibleText(JSON.stringify([name, observation]))
      const gone = new Set(
        deletions.flatMap(({ entityName, observations }) => observations.map((text) => pair(entityName, text))),
      )
      await remove(
        'delete_observations',
        context,
        (part) => part.kind === 'observation' && gone.has(pair(part.name, part.content)),
      )
      return done('Observations deleted successfully')
    },
  )

  addTool(
    server,
    'delete_relations',
    {
      title: 'Delete Relations',
      description: 'Delete multiple relations from the knowledge graph',
      inputSchema: z.object({ relations: z.array(RelationSchema).describe('An array of relations to delete') }),
      outputSchema: DoneSchema,
      annotations: deletes,
      argumentNames,
    },
    async ({ relations }, context) => {
      const isGone = isRelationOf(relations)
      await remove('delete_relations', context, (part) => part.kind === 'relation' && isGone(part))
      return done('Relations deleted successfully')
    },
  )

  addTool(
    server,
    'read_graph',
    {
      title: 'Read Graph',
      description: 'Read the entire knowledge graph',
      inputSchema: z.object({}),
      outputSchema: GraphSchema,
      annotations: readsOnly,
    },
    async () => shown(await store.read()),
  )

  addTool(
    server,
    'search_nodes',
    {
      title: 'Search Nodes',
      description: 'Search for nodes in the knowledge graph based on a query',
      inputSchema: z.object({
        query: z.string().describe('The search query to match against entity names, types, and observation content'),
      }),
      outputSchema: GraphSchema,
      annotations: readsOnly,
    },
    async ({ query }) => shown(searchGraph(await store.read(), query)),
  )

  addTool(
    server,
    'open_nodes',
    {
      title: 'Open Nodes',
      description: 'Open specific nodes in the knowledge graph by their names',
      inputSchema: z.object({ names: z.array(z.string()).describe('An array of entity names to retrieve') }),
      outputSchema: GraphSchema,
      annotations: readsOnly,
    },
    async ({ names }) => shown(openGraph(await store.read(), names)),
  )

  const about = {
    title: 'Knowledge Graph',
    description: 'The full knowledge graph with all entities and relations',
    mimeType: 'application/json',
  }
  server.registerResource('knowledge-graph', resourceUri, about, async (uri) => ({
    contents: [
      { uri: uri.href, mimeType: about.mimeType, text: visibleText(JSON.stringify(await store.read(), null, 2)) },
    ],
  }))

  async function remove(
    tool: string,
    context: Parameters<CallSource['of']>[1],
    isRemoved: (part: NonNullable<ReturnType<typeof partOf>>) => boolean,
  ): Promise<void> {
    await store.change(source.of(tool, context), (_, entries) => ({
      deletes: entries.filter((entry) => isMatch(partOf(entry), isRemoved)).map(({ id }) => id),
    }))
  }
}

function isMatch<Part>(part: Part | null, isWanted: (part: Part) => boolean): boolean {
  return part !== null && isWanted(part)
}

type Observed = ReadonlyMap<string, ReadonlySet<string>>

function newObservations(observed: Observed, entityName: string, contents: readonly string[]): string[] {
  const known = observed.get(entityName)
  if (known === undefined) throw new ToolRefusal('not_found', `Entity with name ${entityName} not found`)
  return contents.filter((content) => !known.has(content))
}
