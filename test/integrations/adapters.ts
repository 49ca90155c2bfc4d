import { emptyCheckpoint } from '@langchain/langgraph-checkpoint'
import type { Client } from '../../src/client/index.ts'
import { createMemoryService } from '../../src/integrations/adk.ts'
import { memoryTools } from '../../src/integrations/ai-sdk.ts'
import { createSessionStore } from '../../src/integrations/claude-agent.ts'
import { readEntries } from '../../src/integrations/items.ts'
import { ColophonCheckpointer } from '../../src/integrations/langgraph.ts'
import { createMemoryBlock } from '../../src/integrations/llamaindex.ts'
import { createMemoryStorage } from '../../src/integrations/mastra.ts'
import { ColophonSession } from '../../src/integrations/openai-agents.ts'
import { createMemoryStore } from '../../src/integrations/strands.ts'

/** One conversation through an adapter, as a client that retries uses it: a write has an id, and may be sent any number of times. */
export type Conversation = {
  /** Sends the write with this number. */
  write(number: number): Promise<unknown>
  /** The numbers that are stored, oldest first. */
  read(): Promise<number[]>
}

export type AdapterName =
  | 'openai-agents'
  | 'claude-agent'
  | 'langgraph-checkpoint'
  | 'mastra'
  | 'ai-sdk'
  | 'llamaindex'
  | 'strands'
  | 'adk'

const padded = (number: number) => String(number).padStart(12, '0')
const uuidOf = (number: number) => `00000000-0000-4000-8000-${padded(number)}`

/** In place of the class of Mastra, whose own suite is beside this one: a program that is killed starts faster without it. */
abstract class PlainStorage {}

type NumberedMessage = { id: string; threadId: string; createdAt: Date; content: { number: number } }
type MessageStorage = {
  saveMessages(args: { messages: NumberedMessage[] }): Promise<unknown>
  listMessages(args: { threadId: string; perPage: false }): Promise<{ messages: NumberedMessage[] }>
}

/** A text with a number, and the numbers of the texts of a ref. Search, which is how the frameworks read them, does not give all. */
const factOf = (number: number) => `Fact number ${number}.`
const numbersIn = async (client: Client, ref: string) =>
  (await readEntries(client, ref)).map(({ content }) => Number(/\d+/.exec(content)?.[0]))

/** Every adapter whose framework gives writes an id. */
export const adapters: Readonly<Record<AdapterName, (client: Client, session: string) => Conversation>> = {
  'openai-agents': (client, sessionId) => {
    const session = new ColophonSession<{ content: string }>({ client, sessionId })
    return {
      write: (number) =>
        session.applyHistoryTransaction({
          operationId: `op-${number}`,
          transaction: { type: 'append_items', items: [{ content: String(number) }] },
        }),
      read: async () => (await session.getItems()).map(({ content }) => Number(content)),
    }
  },
  'claude-agent': (client, sessionId) => {
    const store = createSessionStore({ client })
    const key = { projectKey: 'project', sessionId }
    return {
      write: (number) => store.append(key, [{ type: 'user', uuid: uuidOf(number), number }]),
      read: async () => ((await store.load(key)) ?? []).map(({ number }) => Number(number)),
    }
  },
  'langgraph-checkpoint': (client, thread) => {
    const saver = new ColophonCheckpointer({ client })
    const config = { configurable: { thread_id: thread, checkpoint_ns: '' } }
    return {
      write: (number) => {
        const checkpoint = { ...emptyCheckpoint(), id: padded(number), ts: '2026-01-01T00:00:00.000Z' }
        return saver.put(config, checkpoint, { source: 'loop', step: number, parents: {} }, {})
      },
      async read() {
        const steps: number[] = []
        for await (const { metadata } of saver.list(config)) steps.push(metadata?.step ?? -1)
        return steps.reverse()
      },
    }
  },
  mastra: (client, threadId) => {
    const storage = createMemoryStorage(PlainStorage, { client, ref: `mastra/${threadId}` }) as MessageStorage
    return {
      write: (number) => {
        const createdAt = new Date(Date.UTC(2026, 0, 1) + number)
        return storage.saveMessages({ messages: [{ id: `m-${number}`, threadId, createdAt, content: { number } }] })
      },
      read: async () => {
        const { messages } = await storage.listMessages({ threadId, perPage: false })
        return messages.map(({ content }) => content.number)
      },
    }
  },
  'ai-sdk': (client, subject) => {
    const { remember } = memoryTools({ client, subject, event: { conversation: subject } })
    return {
      async write(number) {
        const call = { toolCallId: `call-${number}`, messages: [], context: {} }
        const answer = await remember.execute?.({ content: factOf(number) }, call as never)
        if (answer !== 'Stored.') throw new Error(String(answer))
      },
      async read() {
        const numbers: number[] = []
        for await (const { content } of client.memories.each({ external_user_id: subject, limit: 50 }))
          numbers.push(Number(/\d+/.exec(content)?.[0]))
        return numbers.reverse()
      },
    }
  },
  llamaindex: (client, subject) => {
    const block = createMemoryBlock({ client, subject })
    return {
      write: (number) => block.put([{ id: `m-${number}`, role: 'user', content: factOf(number) }]),
      read: () => numbersIn(client, `llamaindex/${subject}`),
    }
  },
  strands: (client, subject) => {
    const store = createMemoryStore({ client, subject, runId: 'run' })
    return {
      write: (number) =>
        store.addMessages([{ role: 'user', content: [{ text: factOf(number) }] }], { sequenceNumbers: [number] }),
      read: () => numbersIn(client, `strands/${subject}`),
    }
  },
  adk: (client, userId) => {
    const service = createMemoryService({ client })
    return {
      write(number) {
        const events = [{ id: `e-${number}`, content: { role: 'user', parts: [{ text: factOf(number) }] } }]
        return service.addSessionToMemory({ id: 'session', appName: 'app', userId, events })
      },
      read: () => numbersIn(client, `adk/app/${userId}`),
    }
  },
}
