import { createHash } from 'node:crypto'
import { importPeer } from '../../bench/peers/install.ts'
import { type MastraMessage, mastraText, openMastra } from '../../bench/peers/open-peers.ts'
import { type Library, type LibraryPlace, openLibrary } from '../library-process.ts'
import { installedPeer } from '../peer.ts'
import type { Product, Scope } from '../product.ts'

type Memory = {
  getThreadById(input: { threadId: string }): Promise<unknown>
  saveThread(input: { thread: object }): Promise<unknown>
  saveMessages(input: { messages: object[] }): Promise<unknown>
  updateMessages(input: { messages: object[] }): Promise<unknown>
  recall(input: object): Promise<{ messages: MastraMessage[] }>
  deleteMessages(ids: string[]): Promise<void>
  deleteThread(id: string): Promise<void>
  settled(): Promise<void>
}
type Filter = {
  processInput(input: { messages: object[]; abort(reason?: string): never }): object[] | Promise<object[]>
}
type Rule = { name: string; pattern: RegExp }

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const threadOf = ({ tenant, user }: Scope) => ({ threadId: `${tenant}/${user}`, resourceId: `${tenant}/${user}` })
const contentOf = (text: string) => ({ format: 2, parts: [{ type: 'text', text }] })
const memoryOf = (message: MastraMessage) => ({ id: message.id, text: mastraText(message) })
const idOf = ({ tenant, user }: Scope, event: string) => `${tenant}/${user}/${event}`

export async function open({ folder }: LibraryPlace): Promise<Library> {
  type Processors = { RegexFilterProcessor: new (options: object) => Filter }
  const { RegexFilterProcessor } = await importPeer<Processors>('@mastra/core/processors')
  type Closing = { close(): Promise<void> }
  const { memory, storage, vector } = await openMastra<Memory, Closing, Closing>(folder, {
    lastMessages: 10_000,
    semanticRecall: { topK: 50, messageRange: 0, scope: 'thread' },
  })
  const threads = new Map<string, Promise<unknown>>()
  const rules = new Map<string, Rule[]>()
  async function ready(scope: Scope) {
    const { threadId: id, resourceId } = threadOf(scope)
    const now = new Date()
    const made =
      threads.get(id) ?? memory.saveThread({ thread: { id, resourceId, title: '', createdAt: now, updatedAt: now } })
    threads.set(id, made)
    await made
  }
  /** As an agent's input processor does it, before anything is saved. */
  async function filtered(scope: Scope, messages: object[]): Promise<object[]> {
    const known = rules.get(scope.tenant)
    if (known === undefined) return messages
    const filter = new RegexFilterProcessor({ presets: ['secrets'], rules: known, strategy: 'redact' })
    const abort = (reason?: string): never => {
      throw new Error(reason)
    }
    return filter.processInput({ messages, abort })
  }
  const recall = async (scope: Scope, more: object) =>
    (await memory.recall({ ...threadOf(scope), ...more })).messages.map(memoryOf)
  const list = async (scope: Scope) => {
    const isThere = threads.has(threadOf(scope).threadId) || (await memory.getThreadById(threadOf(scope)))
    return isThere ? recall(scope, { perPage: false }) : []
  }
  return {
    async ingest({ scope, event, text }) {
      await ready(scope)
      const message = { id: idOf(scope, event), ...threadOf(scope), role: 'user', createdAt: new Date() }
      await memory.saveMessages({ messages: await filtered(scope, [{ ...message, content: contentOf(text) }]) })
    },
    settle: () => memory.settled(),
    list,
    search: (scope, query) => recall(scope, { perPage: 0, vectorSearchString: query }),
    async change(_scope, id, text) {
      await memory.updateMessages({ messages: [{ id, content: contentOf(text) }] })
    },
    remove: (_scope, id) => memory.deleteMessages([id]),
    async knowSecret(tenant, name, value) {
      const pattern = new RegExp(value.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), 'g')
      rules.set(tenant, [...(rules.get(tenant) ?? []), { name, pattern }])
    },
    // A message is its own source, and is kept as it came.
    trace: async (scope, id) =>
      (await list(scope))
        .filter((message) => message.id === id)
        .map(({ text }) => ({ event: id.slice(idOf(scope, '').length), sha256: sha256(text) })),
    fingerprint: async ({ text }) => sha256(text),
    async forget(scope) {
      threads.delete(threadOf(scope).threadId)
      await memory.deleteThread(threadOf(scope).threadId)
      await memory.settled()
    },
    async close() {
      await vector.close()
      await storage.close()
    },
  }
}

export const mastra: Product = {
  id: 'mastra',
  name: 'Mastra memory',
  version: () => installedPeer('@mastra/memory'),
  configuration:
    'LibSQL storage and vectors, a thread and a resource per tenant and user, the event as id of the message; for secrets the RegexFilterProcessor with its preset and a rule per known value',
  needsPostgres: false,
  notOffered: {
    snapshot: 'recall reads what is there now; cloneThread copies messages, by hand and before',
    authority: 'messages have a role, and no rank among those who wrote them',
    retries: 'a message that is saved again after it was deleted is a new one',
    edits: 'a message has a role and a resource, and no key that alone may speak for them',
    laundering: 'a message has no class by its origin',
    sybil: 'a message has no class by its origin',
    containment: 'messages can be deleted by id; what was derived from them is not known',
    keys: 'the memory has no keys: every caller that reaches it has all rights',
    hostile: 'a library in the process of its caller, which serves no other caller',
    tamper: 'there is no record of changes',
    split: 'there is no log that two parties could compare',
    foreign: 'there is no log that another program could verify',
    resurrection: 'a workflow’s snapshot keeps its own state; what it recalled is recalled anew',
    replay: 'a workflow’s snapshot keeps its own state; what it recalled is recalled anew',
  },
  open: (place) => openLibrary(import.meta.url, place),
}
