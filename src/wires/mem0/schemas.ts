import { z } from 'zod'
import { checkCharacters, checkCount } from '../../core/check.ts'
import { checkContentSize } from '../../core/entries/entry.ts'
import { invalid } from '../../core/errors.ts'
import { limits } from '../../core/limits.ts'
import { checkMessageText } from '../../core/provenance/source-messages.ts'
import { agentId, eventMetadata, messagesOf, subjectId } from '../provenance/schemas/add.ts'
import { bounded, instant, list, withCheck } from '../schema-parts.ts'
import { unsupportedFields } from './unsupported.ts'

/** The requests and responses of the API of mem0, as its client sends and reads them. */

/** Fields that are refused by name after the shape is checked, unless they ask for nothing. */
const refused = Object.fromEntries(unsupportedFields.map((field) => [field, z.unknown().optional()]))
/** Fields that older clients send with the only value that their API had. */
const fixed = {
  output_format: z.enum(['v1.0', 'v1.1']).optional(),
  version: z.enum(['v1', 'v2', 'v3']).optional(),
  async_mode: z.boolean().optional(),
  source: z.string().optional().describe('The surface of the call; not stored'),
}

const entities = {
  user_id: subjectId.nullish().describe('The subject of the memory'),
  agent_id: agentId.nullish(),
  app_id: agentId.nullish(),
  run_id: agentId.nullish().describe('The conversation'),
}

const Message = z
  .looseObject({
    role: z.enum(['user', 'assistant', 'system', 'tool']),
    content: withCheck(z.string(), checkMessageText),
  })
  .meta({
    id: 'Mem0Message',
    description: 'A message of a conversation. Only text is accepted. What a tool or the system says is untrusted.',
  })

export const AddBody = z
  .strictObject({
    ...refused,
    ...fixed,
    ...entities,
    messages: z.union([withCheck(z.string(), checkMessageText), messagesOf(Message)]),
    metadata: eventMetadata.nullish().describe('Kept with the source event'),
    infer: z.boolean().optional().describe('False: every message is stored as one memory, unchanged'),
    // A negative one could be no date at all: every list with the memory would fail.
    timestamp: z.int().min(0).optional().describe('When it was observed, in seconds since 1970'),
  })
  .meta({
    id: 'Mem0Add',
    description: 'Messages to store as memories.',
    examples: [{ messages: [{ role: 'user', content: 'I prefer tea.' }], user_id: 'ada' }],
  })

export const AddResult = z
  .strictObject({ message: z.string(), status: z.literal('PENDING'), event_id: z.string() })
  .meta({
    id: 'Mem0Added',
    description: 'The messages are stored. `event_id` is the job that extracts memories: GET /v1/memories/jobs/{id}.',
    examples: [
      {
        message: 'Memory processing has been queued for background execution',
        status: 'PENDING',
        event_id: 'job_0192f0c1-7a3b-7c44-9d2e-5b1f0a6c8e21',
      },
    ],
  })

const categoryNames = bounded(z.string(), limits, 'categoriesPerQueryMax')
const filters = z.record(z.string(), z.unknown()).describe('Must name user_id, agent_id, app_id or run_id')
const page = withCheck(z.coerce.number().int(), (field, value) => checkCount(field, value, 1))
const pageSize = withCheck(z.coerce.number().int(), (field, value) => {
  checkCount(field, value, 1)
  const max = limits.mem0PageMax
  if (value > max) throw invalid(field, `must be at most ${max}`, { limit: 'mem0PageMax', max })
})
export const PageQuery = z.strictObject({ page: page.optional(), page_size: pageSize.optional() })

export const ListBody = z
  .strictObject({
    ...refused,
    ...fixed,
    filters: filters.optional(),
    categories: categoryNames.optional(),
    latest_only: z.boolean().optional().describe('False: superseded memories too'),
  })
  .meta({ id: 'Mem0List', description: 'Which memories to list.', examples: [{ filters: { user_id: 'ada' } }] })

export const SearchBody = z
  .strictObject({
    ...refused,
    ...fixed,
    query: withCheck(z.string(), (field, value) =>
      checkCharacters(field, value, 'queryCharactersMax', limits.queryCharactersMax),
    ),
    filters: filters.optional(),
    metadata: z.record(z.string(), z.unknown()).optional(),
    categories: categoryNames.optional(),
    top_k: z.int().min(1).max(limits.memoriesPageMax).optional().describe('Default 10'),
    threshold: z.number().min(0).max(1).optional().describe('The lowest score'),
    latest_only: z.literal(true).optional(),
    keyword_search: z.boolean().optional().describe('Words are always searched'),
  })
  .meta({
    id: 'Mem0Search',
    description: 'A search of the memories of a subject.',
    examples: [{ query: 'what does she drink?', filters: { user_id: 'ada' } }],
  })

export const UpdateBody = z
  .strictObject({
    ...refused,
    text: withCheck(z.string(), (field, value) => {
      checkContentSize(value, field)
      if (value.trim() === '') throw invalid(field, 'must not be empty')
    }).optional(),
    metadata: z.unknown().optional(),
    timestamp: z.unknown().optional(),
  })
  .meta({ id: 'Mem0Update', description: 'The new text of a memory.', examples: [{ text: 'Prefers green tea.' }] })

export const DeleteQuery = z.strictObject({ delete_linked: z.string().optional() })
export const EntityQuery = z.strictObject({
  ...entities,
  org_id: z.string().optional(),
  project_id: z.string().optional(),
})

const exampleMemory = {
  id: 'mem_0192f0c1-7a3b-7c44-9d2e-5b1f0a6c8e21',
  memory: 'Prefers tea.',
  user_id: 'ada',
  agent_id: null,
  app_id: null,
  run_id: 'chat-17',
  metadata: null,
  categories: ['preference'],
  created_at: '2026-06-11T09:55:01.040Z',
  updated_at: '2026-06-11T09:55:01.040Z',
  expiration_date: null,
}
const name = z.string().nullable()

const memory = {
  id: z.string(),
  memory: z.string().optional().describe('After a change, with the scope `memory:read` only'),
  user_id: name,
  agent_id: name,
  app_id: name,
  run_id: name.describe('The conversation of its source event'),
  metadata: z.record(z.string(), z.unknown()).nullable().describe('Of its source event'),
  categories: list(z.string()),
  created_at: instant,
  updated_at: instant,
  expiration_date: z.string().nullable(),
}

export const Memory = z
  .strictObject(memory)
  .meta({ id: 'Mem0Memory', description: 'A memory, in the names of mem0.', examples: [exampleMemory] })

const paging = { count: z.int(), next: z.string().nullable(), previous: z.string().nullable() }

export const MemoryList = z.strictObject({ ...paging, results: list(Memory) }).meta({
  id: 'Mem0MemoryList',
  description: 'Memories, newest first.',
  examples: [{ count: 1, next: null, previous: null, results: [exampleMemory] }],
})

export const Found = z.strictObject({ results: list(z.strictObject({ ...memory, score: z.number() })) }).meta({
  id: 'Mem0Found',
  description: 'Memories, best first.',
  examples: [{ results: [{ ...exampleMemory, score: 0.7 }] }],
})

export const Done = z
  .strictObject({ message: z.string() })
  .meta({ id: 'Mem0Done', description: 'Done.', examples: [{ message: 'Memory deleted successfully!' }] })

export const Pong = z.strictObject({ status: z.literal('ok'), message: z.string() }).meta({
  id: 'Mem0Pong',
  description: 'The key is valid.',
  examples: [{ status: 'ok', message: 'The key is valid.' }],
})

const HistoryStep = z.strictObject({
  id: z.string(),
  memory_id: z.string(),
  input: list(z.unknown()).describe('Empty: messages are read with the scope `audit:read`'),
  old_memory: name,
  new_memory: name,
  user_id: name,
  categories: list(z.string()),
  event: z.enum(['ADD', 'UPDATE', 'DELETE', 'NOOP']),
  reason: name.describe('Why, or what happened in the words of Colophon'),
  actor: z.string(),
  created_at: instant,
  updated_at: instant,
})

export const History = list(HistoryStep).meta({
  id: 'Mem0History',
  description: 'Every change of a memory, oldest first.',
  examples: [
    [
      {
        id: 'mem_0192f0c1-7a3b-7c44-9d2e-5b1f0a6c8e21.1',
        memory_id: 'mem_0192f0c1-7a3b-7c44-9d2e-5b1f0a6c8e21',
        input: [],
        old_memory: null,
        new_memory: 'Prefers tea.',
        user_id: 'ada',
        categories: ['preference'],
        event: 'ADD',
        reason: 'created',
        actor: 'key:key_0192f0c1-7a3b-7c44-9d2e-5b1f0a6c8e22',
        created_at: '2026-06-11T09:55:01.040Z',
        updated_at: '2026-06-11T09:55:01.040Z',
      },
    ],
  ],
})

const Entity = z.strictObject({
  id: z.string(),
  name: z.string(),
  type: z.enum(['user', 'agent', 'app', 'run']),
  total_memories: z.int(),
  created_at: instant.nullable().describe('Always null: only the last write of a subject is known'),
  updated_at: instant,
  owner: z.string().describe('The tenant'),
})

export const EntityList = z.strictObject({ ...paging, results: list(Entity) }).meta({
  id: 'Mem0EntityList',
  description: 'The users, agents, apps and runs that have memories, in order of subject.',
  examples: [
    {
      count: 1,
      next: null,
      previous: null,
      results: [
        {
          id: 'ada',
          name: 'ada',
          type: 'user',
          total_memories: 3,
          created_at: null,
          updated_at: '2026-06-11T09:55:01.040Z',
          owner: 'default',
        },
      ],
    },
  ],
})
