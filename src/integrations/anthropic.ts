import { type Client, isClientError, type MemoryEntry } from '../client/index.ts'
import { createSourceWriter, type WriterOptions } from '../client/source-writer.ts'
import { markOf } from '../core/provenance/said-by.ts'
import { visibleText } from '../core/visible-text.ts'
import { tagValue } from './items.ts'

/** Options of `memoryToolHandlers`. */
export type MemoryToolOptions = WriterOptions & {
  readonly client: Client
  /** The memoryRef of the files; 'anthropic' by default. */
  readonly ref?: string | undefined
}

/** The commands of Claude's memory tool, for `betaMemoryTool` of `@anthropic-ai/sdk`. */
export type MemoryToolHandlers = {
  view(command: { path: string; view_range?: number[] }): Promise<string>
  create(command: { path: string; file_text: string }): Promise<string>
  str_replace(command: { path: string; old_str: string; new_str: string }): Promise<string>
  insert(command: { path: string; insert_line: number; insert_text: string }): Promise<string>
  delete(command: { path: string }): Promise<string>
  rename(command: { old_path: string; new_path: string }): Promise<string>
}

/** A file is one entry; its path is a tag. An edit is its next version. */
type File = { readonly id: string; readonly path: string; readonly text: string }
type Files = { readonly all: readonly File[]; readonly position: number }

const root = '/memories'
const pathTag = 'path:'
/** The text of an entry is never empty. */
const emptyTag = 'empty'
const pageSize = 500
const attemptsMax = 20
const numberWidth = 6

/**
 * Files of Claude's memory tool. Every edit is a version of the file, with its own source event: `trace` shows who changed what, and
 * earlier texts stay readable.
 *
 * @example
 * const tools = [betaMemoryTool(memoryToolHandlers({ client, service: 'support-bot' }))]
 * await anthropic.beta.messages.toolRunner({ model, messages, max_tokens: 1024, tools })
 */
export function memoryToolHandlers({ client, ref = 'anthropic', ...options }: MemoryToolOptions): MemoryToolHandlers {
  const writer = createSourceWriter(client, options, 'anthropic')

  async function readFiles(): Promise<Files> {
    const first = await client.memory.list(ref, { limit: pageSize })
    const entries: MemoryEntry[] = [...first.entries]
    for (let { cursor } = first; cursor !== undefined; ) {
      const page = await client.memory.list(ref, { limit: pageSize, cursor })
      entries.push(...page.entries)
      cursor = page.cursor
    }
    const all = entries.map((entry) => ({
      id: entry.id,
      path: tagValue(entry, pathTag) ?? '',
      text: entry.tags.includes(emptyTag) ? '' : entry.content,
    }))
    return { all: all.sort((a, b) => (a.path < b.path ? -1 : 1)), position: first.position }
  }

  /** Reads the files, decides and stores; again if another client has changed one of them since. */
  async function change(command: string, path: string, decide: (files: Files) => Change): Promise<string> {
    const call = { id: crypto.randomUUID(), scope: { tool: 'memory', command, path } }
    for (let attempt = 1; ; attempt++) {
      const files = await readFiles()
      const { answer, entries = [], revisions = [], deletes } = decide(files)
      const gone = deletes === undefined ? {} : { deletes }
      try {
        await writer.write(ref, { entries, revisions, asOf: files.position, ...gone }, call)
        return visibleText(answer)
      } catch (error) {
        if (!isClientError(error, 'version_conflict') || attempt === attemptsMax) throw error
      }
    }
  }

  return {
    async view({ path, view_range: range }) {
      const wanted = checkPath(path)
      const { all } = await readFiles()
      const file = all.find((known) => known.path === wanted)
      if (file !== undefined)
        return visibleText(`Here's the content of ${path} with line numbers:\n${numbered(file.text, range)}`)
      const inside = all.filter((known) => known.path.startsWith(`${wanted}/`))
      if (inside.length === 0 && wanted !== root) throw missing(path)
      return visibleText(listing(wanted, inside))
    },
    create: ({ path, file_text: text }) =>
      change('create', path, ({ all }) => {
        const wanted = checkPath(path)
        if (wanted === root || all.some((known) => known.path === wanted || known.path.startsWith(`${wanted}/`)))
          throw new Error(`File ${path} already exists`)
        return { answer: `File created successfully at: ${path}`, entries: [toText(wanted, text)] }
      }),
    str_replace: ({ path, old_str: before, new_str: after }) =>
      change('str_replace', path, (files) => {
        const file = fileAt(files, path)
        const found = file.text.split(before).length - 1
        if (found === 0) throw new Error(`No replacement was performed, old_str did not appear verbatim in ${path}.`)
        if (found > 1)
          throw new Error(
            `No replacement was performed. old_str appears ${found} times in ${path}. Please ensure it is unique`,
          )
        const text = file.text.replace(before, () => after)
        const line = file.text.slice(0, file.text.indexOf(before)).split('\n').length
        const snippet = numbered(text, [Math.max(1, line - 2), line + 2])
        const answer = `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${snippet}`
        return { answer, revisions: [{ id: file.id, ...toText(file.path, text) }] }
      }),
    insert: ({ path, insert_line: at, insert_text: added }) =>
      change('insert', path, (files) => {
        const file = fileAt(files, path)
        const lines = file.text.split('\n')
        if (at < 0 || at > lines.length)
          throw new Error(`Invalid insert_line: ${at}. It should be within the lines of the file: [0, ${lines.length}]`)
        lines.splice(at, 0, added.replace(/\n$/, ''))
        const revisions = [{ id: file.id, ...toText(file.path, lines.join('\n')) }]
        return { answer: `The file ${path} has been edited.`, revisions }
      }),
    delete: ({ path }) =>
      change('delete', path, ({ all }) => {
        const wanted = checkPath(path)
        if (wanted === root) throw new Error(`Cannot delete the ${root} directory itself`)
        const inside = all.filter((known) => isWithin(known.path, wanted))
        if (inside.length === 0) throw missing(path)
        return { answer: `Successfully deleted ${path}`, deletes: inside.map(({ id }) => id) }
      }),
    rename: ({ old_path: from, new_path: to }) =>
      change('rename', from, ({ all }) => {
        const [before, after] = [checkPath(from), checkPath(to)]
        if (before === root || after === root) throw new Error(`Cannot rename the ${root} directory itself`)
        if (all.some((known) => isWithin(known.path, after))) throw new Error(`The destination ${to} already exists`)
        const inside = all.filter((known) => isWithin(known.path, before))
        if (inside.length === 0) throw missing(from)
        const revisions = inside.map((file) => ({
          id: file.id,
          ...toText(after + file.path.slice(before.length), file.text),
        }))
        return { answer: `Successfully renamed ${from} to ${to}`, revisions }
      }),
  }
}

type Text = { readonly content: string; readonly tags: string[] }
type Change = {
  readonly answer: string
  readonly entries?: Text[]
  readonly revisions?: (Text & { readonly id: string })[]
  readonly deletes?: string[]
}

/** A file is what the model wrote down. */
function toText(path: string, text: string): Text {
  const tags = [pathTag + path, ...markOf('model').tags]
  return text === '' ? { content: '(empty)', tags: [...tags, emptyTag] } : { content: text, tags }
}

/** The path without a slash at its end. It must be inside of the root. */
function checkPath(path: string): string {
  const plain = path.replace(/\/+$/, '')
  if (!isWithin(plain, root) || plain.split('/').some((part) => part === '..' || part === '.'))
    throw new Error(`Path must be inside of ${root}, got: ${path}`)
  return plain
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

function fileAt({ all }: Files, path: string): File {
  const file = all.find((known) => known.path === checkPath(path))
  if (file === undefined) throw missing(path)
  return file
}

function missing(path: string): Error {
  return new Error(`The path ${path} does not exist. Please provide a valid path.`)
}

function numbered(text: string, range?: readonly number[]): string {
  const lines = text.split('\n')
  const [from = 1, to = -1] = range ?? []
  const start = Math.max(1, from)
  return lines
    .slice(start - 1, to === -1 ? lines.length : to)
    .map((line, at) => `${String(start + at).padStart(numberWidth)}\t${line}`)
    .join('\n')
}

/** Files and folders up to two levels deep, with their sizes, as the tool describes them to the model. */
function listing(folder: string, inside: readonly File[]): string {
  const sizes = new Map<string, number>()
  for (const { path, text } of inside) {
    const parts = path.slice(folder.length + 1).split('/')
    for (const depth of [1, 2]) {
      if (parts.length < depth || parts.slice(0, depth).some((part) => part.startsWith('.'))) continue
      const name = parts.slice(0, depth).join('/') + (parts.length > depth ? '/' : '')
      sizes.set(name, (sizes.get(name) ?? 0) + text.length)
    }
  }
  const total = inside.reduce((sum, { text }) => sum + text.length, 0)
  const items = [...sizes].map(([name, size]) => `${size}\t${folder}/${name}`)
  return [
    `Here're the files and directories up to 2 levels deep in ${folder}, excluding hidden items and node_modules:`,
    `${total}\t${folder}`,
    ...items,
  ].join('\n')
}
