import type { Client, MemoryEntry } from '../../client/index.ts'
import { createSourceWriter, type SourceWriter } from '../../client/source-writer.ts'
import { shortSha256 } from '../../core/audit/digest.ts'
import { rolePrefix, roleTag } from '../../core/provenance/said-by.ts'
import { visibleText } from '../../core/visible-text.ts'
import { tagValue } from '../../integrations/items.ts'
import { asData } from '../../mcp/as-data.ts'
import type { Assistant } from './assistants.ts'
import type { HookEvent, HookInput, SpokenText } from './hook-input.ts'
import { hookLimits } from './hook-limits.ts'
import { readsOldName } from './old-names.ts'
import { type Project, projectOf } from './project.ts'
import { readTranscript } from './transcript.ts'

export type HookOptions = {
  readonly assistant: Assistant
  /** The memoryRef; by default `coding/` and the id of the project. */
  readonly ref?: string | undefined
  readonly service?: string | undefined
  /** Whom the memories are about, so that a forget of this person finds them. */
  readonly subject?: string | undefined
  /** Whether the memory of earlier versions, under the name of a project alone, is read too. */
  readonly readsOldName?: ((project: Project) => boolean) | undefined
}

/** Handles one event of an assistant. What it returns goes to the assistant: the memory of the project at the start of a session. */
export async function runHook(client: Client, event: HookEvent, input: HookInput, options: HookOptions) {
  const project = projectOf(input.folder ?? '.')
  const ref = options.ref ?? refOf(project.id)
  if (event === 'SessionStart') {
    const isChosen = options.ref === undefined && (options.readsOldName ?? readsOldName)(project)
    return recall(client, isChosen ? [ref, refOf(project.name)] : [ref])
  }
  if (!input.isFromPerson) return null
  const writer = createSourceWriter(client, { service: options.service }, options.assistant)
  const remember = (texts: readonly SpokenText[], turn: string) =>
    store(writer, ref, texts, { event, turn, input, options })
  if (event === 'UserPromptSubmit' && input.prompt !== null)
    await remember([{ role: 'user', text: input.prompt }], `${input.turnId ?? 'turn'}:prompt`)
  if (event === 'Stop' && input.reply !== null)
    await remember([{ role: 'assistant', text: input.reply }], `${input.turnId ?? 'turn'}:reply`)
  if (event === 'PreCompact') await remember(await unsaved(client, ref, input), 'compact')
  return null
}

const refOf = (name: string) => `coding/${name}`

/** The newest entries of the project as data: the model reads that they are no instructions. */
async function recall(client: Client, refs: readonly string[]): Promise<string | null> {
  const pages = await Promise.all(refs.map((ref) => client.memory.list(ref, { limit: hookLimits.recalledEntriesMax })))
  const entries = pages.flatMap((page) => page.entries).slice(0, hookLimits.recalledEntriesMax)
  const items: object[] = []
  let characters = 0
  for (const { id, createdAt, tags, content } of entries) {
    const said = tagValue({ tags }, rolePrefix)
    const item = { id, at: createdAt, ...(said === undefined ? {} : { said_by: said }), content }
    characters += JSON.stringify(item).length
    if (characters > hookLimits.recalledCharactersMax) break
    items.push(item)
  }
  if (items.length === 0) return null
  return `From earlier sessions in this project, newest first (memory ${visibleText(refs.join(' and '))} of Colophon):\n${asData(items)}`
}

type Storing = {
  readonly event: HookEvent
  readonly turn: string
  readonly input: HookInput
  readonly options: HookOptions
}

/**
 * Stores texts as one source event. Its id consists of the session, the turn and a digest of the texts: an assistant that calls the
 * hook again stores nothing, and two replies in one turn are two events.
 */
async function store(
  writer: SourceWriter,
  ref: string,
  texts: readonly SpokenText[],
  { event, turn, input, options }: Storing,
): Promise<void> {
  if (texts.length === 0) return
  const { assistant, subject } = options
  const entries = texts.map(({ role, text }) => ({
    content: shortened(text),
    tags: [`assistant:${assistant}`, roleTag(role), sessionTag(input)],
    subject,
  }))
  const digest = shortSha256(JSON.stringify(texts)).slice(0, 16)
  const id = `${input.sessionId}:${turn}:${digest}`
  const scope = { session_id: input.sessionId, turn_id: input.turnId, assistant, hook: event }
  await writer.write(ref, { entries }, { id, scope })
}

const sessionTag = ({ sessionId }: HookInput) => `session:${sessionId}`

/** The newest messages of the conversation that no earlier hook stored, because there was none for them or because it failed. */
async function unsaved(client: Client, ref: string, input: HookInput): Promise<SpokenText[]> {
  const spoken = input.messages ?? (input.transcript === null ? [] : readTranscript(input.transcript))
  if (spoken.length === 0) return []
  const query = { tag: sessionTag(input), limit: hookLimits.comparedEntriesMax }
  const stored = [...(await client.memory.list(ref, query)).entries]
  const missing = spoken.toReversed().filter(({ role, text }) => {
    const at = stored.findIndex((entry) => isStoredAs(entry, role, shortened(text)))
    if (at >= 0) stored.splice(at, 1)
    return at < 0
  })
  return missing.slice(0, hookLimits.savedMessagesMax).reverse()
}

/** Whether an entry is this text. The server may have replaced secrets in it. */
function isStoredAs({ content, tags }: MemoryEntry, role: string, text: string): boolean {
  if (!tags.includes(roleTag(role))) return false
  const pieces = content.split(/\[REDACTED:[^\]]*\]/)
  const last = pieces.pop() ?? ''
  if (pieces.length === 0) return last === text
  let at = 0
  for (const [index, piece] of pieces.entries()) {
    const found = text.indexOf(piece, at)
    if (found < 0 || (index === 0 && found > 0)) return false
    at = found + piece.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

/** A long text without its middle: its beginning says what it is about, its end what came out. */
function shortened(text: string): string {
  const { textCharactersMax: max } = hookLimits
  if (text.length <= max) return text.toWellFormed()
  const [head, tail] = [text.slice(0, max * 0.75), text.slice(-max * 0.25)]
  return `${head}\n[… ${text.length - max} characters left out]\n${tail}`.toWellFormed()
}
